import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { operationsTable as webhooks } from "../../../generated/platform/server.ts";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { OPERATIONS_TOKEN, useHarness } from "../../harness/platform.ts";
import { type Documented, documented } from "./documented.ts";

/** The ids of what belongs to one organisation. Operators work for all of them, so that only an id can be of the wrong one. */
const OWNED = ["providerId", "jobId", "candidateId", "outletId", "roleId", "shiftId", "traceId", "eventId"];
const owned = ({ ids }: Documented) => OWNED.filter((id) => ids.includes(id));
/** Operations that name two such objects: the first one may be of one organisation and the second of another. */
const OF_TWO = documented().filter((each) => owned(each).length > 1);
const READS = documented().filter(
  ({ method, ids, path }) => method === "GET" && ids.includes("providerId") && !/\{(?!providerId)/.test(path),
);

type Ids = Record<string, string>;

/** The bodies of the operations that change something; `own` is of one organisation, `foreign` of the other. */
const BODIES: Record<string, (own: Ids, foreign: Ids) => object | undefined> = {
  updateMappings: (own, foreign) => ({
    outlets: [{ outletId: foreign.outletId, workplaceId: own.workplaceId }],
    roles: [{ roleId: foreign.roleId, competenceId: own.competenceId }],
  }),
  releaseCandidate: (own) => ({ providerId: own.providerId }),
  acceptJob: (_own, foreign) => ({ candidateId: foreign.candidateId }),
  withdrawBooking: () => undefined,
  endBooking: () => ({ reason: "other" }),
};
const REFUSALS: Record<string, string> = {
  updateMappings: "validation_failed",
  releaseCandidate: "candidate_not_found",
  acceptJob: "candidate_not_released",
  withdrawBooking: "booking_not_found",
  endBooking: "booking_not_found",
};

/** What an operation that changes something has in its path, the other one's; a providerId or a jobId is the own one. */
const FOREIGN_IN_PATHS = ["candidateId"];

/** What a list or a trace shows; nothing of one that is not found. */
const shownIn = (body: unknown): unknown[] => {
  const { items, steps } = body as { items?: unknown[]; steps?: unknown[] };
  return items ?? steps ?? [];
};

/** The registry's answer with a history for each of its people. */
function withHistory(body: unknown, workHistory: object[]): unknown {
  const { candidates } = (body ?? {}) as { candidates?: object[] };
  if (candidates === undefined) return body;
  return { ...(body as object), candidates: candidates.map((each) => ({ ...each, workHistory })) };
}

describe.each(featureEngines)("two organisations, on %s", (engine) => {
  const harness = useHarness(engine);

  /** Each has a job, for the same competence. The registry of the other one names a person, who has worked there and has it. */
  async function pair() {
    const worked: object[] = [];
    const own = await harness().onboard();
    const other = await harness().onboard({ rewrite: (body) => withHistory(body, worked) });
    const [roleId, { competenceId }] = [other.provider.roles[0]?.id ?? "", other];
    worked.push({ shiftId: randomUUID(), date: "2027-02-14", roleId });
    const roles = own.provider.roles.map(({ id }) => ({ roleId: id, competenceId }));
    ok(await own.operations.updateMappings({ params: own.params, body: { outlets: [], roles } }));
    await own.open();
    const job = await other.open();
    ok(await other.operations.importRegistry({ params: other.params }));
    const able = { params: { query: { competenceId } } };
    const [person] = ok(await other.operations.listCandidates(able)).items;
    if (person === undefined) throw new Error("the registry has named no one who has the competence");
    return {
      own,
      other,
      ids: await idsOf(own),
      foreign: await idsOf(other, person.candidateId),
      job,
      person,
    };
  }

  async function idsOf(organisation: Organisation, candidateId = ""): Promise<Ids> {
    const { provider, providerId, workplaceId, competenceId } = organisation;
    const [job] = await organisation.jobs();
    const [event] = await organisation.events();
    const { jobId = "", shiftId = "", traceId = "" } = job ?? {};
    const [outletId = "", roleId = ""] = [provider.outlets[0]?.id, provider.roles[0]?.id];
    const eventId = event?.eventId ?? "";
    return {
      ...{ providerId, jobId, shiftId, traceId, eventId, outletId, roleId },
      ...{ workplaceId, competenceId, candidateId },
    };
  }

  /** The ids of the path and of the query; of several, the first is the own one. */
  function addressOf(operation: Documented, own: Ids, foreign: Ids, others = owned(operation).slice(1)) {
    const idOf = (id: string) => (others.includes(id) ? foreign[id] : own[id]) ?? "";
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, id = ""]) => id);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, id) => idOf(id));
    const [first = "", ...rest] = owned(operation);
    const asked = [first, ...rest.filter((id) => others.includes(id))].filter((id) => !inPath.includes(id));
    const query = new URLSearchParams(asked.map((id) => [id, idOf(id)]));
    return operation.method === "GET" ? `${path}?${query}` : path;
  }

  const ask = async (path: string, method = "GET", body?: object) =>
    harness().send(path, { method, authorization: `Bearer ${OPERATIONS_TOKEN}`, body });

  /** Everything that the operations show of an organisation. */
  async function shown({ providerId }: Ids): Promise<Map<string, string>> {
    const all = new Map<string, string>();
    for (const operation of READS) {
      const { status, text } = await ask(addressOf(operation, { providerId: providerId ?? "" }, {}, []));
      expect([operation.name, status]).toEqual([operation.name, 200]);
      all.set(operation.name, text);
    }
    return all;
  }

  it("show nothing of each other in any operation that names one", async () => {
    const { ids, foreign } = await pair();
    const values = OWNED.map((id) => foreign[id] ?? "");
    const namesOf = (texts: Map<string, string>) =>
      [...texts].filter(([, text]) => values.some((id) => text.includes(id))).map(([name]) => name);
    expect(namesOf(await shown(ids))).toEqual([]);
    expect(namesOf(await shown(foreign))).toEqual(
      expect.arrayContaining(["getIntegration", "listOutlets", "listRoles", "listJobs", "listEvents"]),
    );
  });

  it("find and change nothing with an id of the one beside an id of the other", async () => {
    const { ids, foreign, other, job, person } = await pair();
    expect(await other.accept(job, person)).toMatchObject({ status: 201 });
    await other.idle();
    other.provider.updateShift(job.shiftId, { endTime: job.startTime });
    await other.idle();
    const before = await shown(foreign);
    const met: Record<string, unknown> = {};
    const wanted: Record<string, unknown> = {};
    /** Where two ids of one organisation find nothing either, so that an empty list shows nothing. */
    const empty: string[] = [];
    for (const operation of OF_TWO) {
      const { name, method } = operation;
      if (method === "GET") {
        for (const id of owned(operation).slice(1)) {
          met[`${name} ${id}`] = shownIn((await ask(addressOf(operation, ids, foreign, [id]))).body);
          wanted[`${name} ${id}`] = [];
          const { body } = await ask(addressOf(operation, foreign, foreign, [id]));
          if (shownIn(body).length === 0) empty.push(`${name} ${id}`);
        }
        continue;
      }
      const bodyOf = BODIES[name];
      if (bodyOf === undefined) throw new Error(`the test has no body for ${name}`);
      const { body } = await ask(
        addressOf(operation, ids, foreign, FOREIGN_IN_PATHS),
        method,
        bodyOf(ids, foreign),
      );
      met[name] = (body as { code?: string }).code;
      wanted[name] = REFUSALS[name];
    }
    expect([met, empty]).toEqual([wanted, []]);
    expect(await shown(foreign)).toEqual(before);
  });

  it("change nothing of each other by a webhook", async () => {
    const { own, other, ids, foreign } = await pair();
    const before = await other.jobs();
    const { kind } = await own.integration();
    const statuses: number[] = [];
    for (const { method, path } of webhooks.filter(({ security }) => security.length > 0)) {
      for (const event of ["shift.create", "shift.update", "shift.delete"]) {
        const authorization = `Bearer ${own.platformToken}`;
        const send = async (providerId: string | undefined) => {
          const body = { event, providerId, content: { shiftId: foreign.shiftId }, traceId: randomUUID() };
          const answer = await harness().send(path.replace("{provider}", kind), {
            method,
            authorization,
            body,
          });
          statuses.push(answer.status);
        };
        await send(foreign.providerId);
        await send(ids.providerId);
      }
    }
    expect(statuses).toEqual(Array.from({ length: 12 }, (_, nth) => (nth % 2 === 0 ? 403 : 200)));
    await own.idle();
    await other.idle();
    expect(await other.jobs()).toEqual(before);
    expect(await own.findJob(foreign.shiftId ?? "")).toBeUndefined();
    expect(await other.events({ shiftId: foreign.shiftId ?? "" })).toHaveLength(1);
  });
});
