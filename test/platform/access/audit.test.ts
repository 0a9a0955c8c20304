import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { operationsTable } from "../../../generated/operations/server.ts";
import type { AuditEntry } from "../../../generated/operations/types.ts";
import type { Channel } from "../../../src/platform/deps.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { mappingsOf, ok } from "../../harness/operations.ts";
import { numberAt } from "../../harness/responders.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

const NUMBER = published.personnummer[57] ?? "";
const ADDRESS = "robin.the.first@example.com";
const channel: Channel = {
  name: "email",
  deliver: async () => ({ kind: "delivered" }),
  close: () => undefined,
};

describe.each(featureEngines)("the audit log on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database(), { channel });
  });
  afterEach(() => organisation.close());

  const audit = async (query = {}) =>
    ok(await organisation.operations.listAudit({ params: { query } })).items;
  const last = async (operation: string): Promise<AuditEntry> => {
    const [entry] = await audit({ operation });
    if (!entry) throw new Error(`no entry of ${operation}`);
    return entry;
  };

  it("has an entry of every operation that changes something, with every id of it", async () => {
    const { operations, providerId } = organisation;
    const subjects = await changeEverything(organisation, (row) => issueOf(database().kysely, row));
    const entries = await audit({ limit: 200 });
    const changing = operationsTable.filter(({ method }) => method !== "GET");
    const recorded = new Set(entries.map(({ operation }) => operation));
    expect(changing.map(({ operationId }) => operationId).filter((id) => !recorded.has(id))).toEqual([]);
    for (const entry of entries) {
      expect(entry).toMatchObject({ operator: { name: "first admin" }, address: "127.0.0.1" });
      // The level of the log is about no one, and signing in about the operator.
      if (entry.operation === "signIn" || entry.operation === "signOut") continue;
      const about = [
        ...Object.keys(entry.subjects),
        ...entry.changes.filter(({ field }) => field === "level"),
      ];
      expect([entry.operation, about]).not.toEqual([entry.operation, []]);
    }
    for (const subject of [providerId, ...subjects]) expect(await audit({ subject })).not.toEqual([]);
    expect(ok(await operations.listAudit({ params: { query: { subject: randomUUID() } } })).items).toEqual(
      [],
    );
  });

  it("holds no personal data and no secret", async () => {
    const { candidateId } = await organisation.addPerson({
      personalNumber: NUMBER,
      email: ADDRESS,
      firstName: "Rubinia",
      phone: "+46701740699",
    });
    const path = { candidateId };
    ok(
      await organisation.operations.changeCandidate({
        params: { path },
        body: { email: `x${ADDRESS}`, competenceIds: [] },
      }),
    );
    ok(await organisation.operations.revealCandidate({ params: { path }, body: { reason: "Rubinia asks" } }));
    const provider = { path: { providerId: organisation.providerId } };
    const body = { direction: "provider", providerToken: organisation.provider.token } as const;
    ok(await organisation.operations.rotateToken({ params: provider, body }));
    const { rows } = await sql<{ row: string }>`select t::text as row from audit t`.execute(
      database().kysely,
    );
    const stored = rows.map(({ row }) => row).join("\n");
    const number = NUMBER;
    for (const secret of [
      number,
      number.slice(4),
      ADDRESS,
      "Rubinia",
      "+46701740699",
      organisation.provider.token,
    ])
      expect(stored).not.toContain(secret);
    expect((await last("changeCandidate")).changes).toEqual([
      { field: "email" },
      { field: "competenceIds", before: [organisation.competenceId], after: [] },
    ]);
    expect((await last("createCandidate")).changes.map(({ field }) => field)).toContain("personalNumber");
  });

  it("shows the reason of a reveal until the person is erased", async () => {
    const { candidateId } = await organisation.addPerson({ personalNumber: NUMBER });
    const path = { candidateId };
    ok(
      await organisation.operations.revealCandidate({
        params: { path },
        body: { reason: "The provider asks" },
      }),
    );
    expect(await last("revealCandidate")).toMatchObject({
      reason: "The provider asks",
      subjects: { candidateId },
    });
    await organisation.operations.eraseCandidate({ params: { path } });
    expect(await last("revealCandidate")).not.toHaveProperty("reason");
  });

  it("names its operator in the trace, in the steps of the request alone", async () => {
    const { candidateId } = await organisation.addPerson({ personalNumber: NUMBER });
    const job = await organisation.open();
    await organisation.accept(job, { candidateId });
    const { traceId = "" } = (await organisation.booking(job, { candidateId })) ?? {};
    const steps = await organisation.steps(traceId);
    const operatorOf = (code: string) => steps.find(({ verdict }) => verdict.code === code)?.operator;
    expect(operatorOf("seat_reserved")).toBe("first admin");
    expect(operatorOf("job_created")).toBeUndefined();
  });

  // The rows are on several servers of Citus, each of which counts its own transactions.
  it.skipIf(isOnCitus)("is written in the transaction of the change", async () => {
    const { candidateId } = await organisation.addPerson({ personalNumber: NUMBER });
    const job = await organisation.open();
    await organisation.accept(job, { candidateId });
    const { operatorId } = ok(
      await organisation.operations.createOperator({ body: { name: "Karin", role: "viewer" } }),
    );
    const ids = [candidateId, job.jobId, operatorId];
    const { rows } = await sql<{ operation: string; isTogether: boolean }>`
      select operation, exists (
        select from candidates where candidates.xmin = audit.xmin
        union all select from trace_steps where trace_steps.xmin = audit.xmin
        union all select from operators where operators.xmin = audit.xmin) as "isTogether"
      from audit
      where operation in ('createCandidate', 'acceptJob', 'createOperator')
        and jsonb_path_query_array(subjects, '$.*') ?| ${ids}::text[]
      order by audit_id`.execute(database().kysely);
    expect(rows).toEqual([
      { operation: "createCandidate", isTogether: true },
      { operation: "acceptJob", isTogether: true },
      { operation: "createOperator", isTogether: true },
    ]);
  });

  it("records the values before and after a change", async () => {
    const path = { providerId: organisation.providerId };
    ok(await organisation.operations.suspendIntegration({ params: { path } }));
    expect((await last("suspendIntegration")).changes).toEqual([
      { field: "state", before: "active", after: "suspended" },
    ]);
    ok(await organisation.operations.changeIntegration({ params: { path }, body: { name: "Kajen" } }));
    expect((await last("changeIntegration")).changes).toEqual([
      { field: "name", before: "Kvarteret", after: "Kajen" },
    ]);
    const [outlet] = (await mappingsOf(organisation.operations, path)).outlets;
    const { workplaceId } = ok(await organisation.operations.createWorkplace({ body: { name: "Kajen" } }));
    const outlets = [{ outletId: outlet?.outletId ?? "", workplaceId }];
    ok(await organisation.operations.updateMappings({ params: { path }, body: { outlets, roles: [] } }));
    expect((await last("updateMappings")).changes).toContainEqual({
      field: `outlets/${outlet?.outletId}`,
      before: outlet?.workplaceId,
      after: workplaceId,
    });
  });

  it("has no entry of a refused request", async () => {
    const before = (await audit({ limit: 200 })).length;
    const path = { candidateId: randomUUID() };
    await organisation.operations.eraseCandidate({ params: { path } });
    await organisation.operations.changeCandidate({ params: { path }, body: { email: ADDRESS } });
    expect(await audit({ limit: 200 })).toHaveLength(before);
  });

  it("is filtered by operator and time", async () => {
    const { operations } = organisation;
    const { operatorId, token } = ok(
      await operations.createOperator({ body: { name: "Karin", role: "admin" } }),
    );
    const created = Date.parse((await last("createOperator")).at);
    await expect.poll(() => Date.now()).toBeGreaterThan(created);
    const since = new Date(created + 1).toISOString();
    const headers = { authorization: `Bearer ${token}` };
    for (const name of ["Waiter", "Cook", "Porter"])
      ok(await operations.createCompetence({ body: { name }, headers }));
    const own = await audit({ operator: "Karin" });
    expect(own.map(({ changes }) => changes[0]?.after)).toEqual(["Porter", "Cook", "Waiter"]);
    expect(own[0]?.operator).toEqual({ operatorId, name: "Karin" });
    expect(await audit({ since })).toEqual(own);
    expect(await audit({ until: since, operation: "createCompetence" })).toHaveLength(1);
  });
});

async function issueOf(kysely: ReturnType<ReturnType<typeof useEngine>>["kysely"], providerId: string) {
  const issueId = randomUUID();
  await kysely
    .insertInto("issues")
    .values({
      issueId,
      providerId,
      code: "provider_check_failed",
      subject: '{"kind":"integration"}',
      traceId: null,
      resolvedAt: null,
    })
    .execute();
  return issueId;
}

/** Runs each operation that changes something, with success. Returns the ids that were concerned. */
async function changeEverything(
  organisation: StartedOrganisation,
  addIssue: (providerId: string) => ReturnType<typeof issueOf>,
): Promise<string[]> {
  const { operations, providerId } = organisation;
  const integration = { params: { path: { providerId } } };
  const { candidateId } = await organisation.addPerson({ personalNumber: NUMBER });
  const candidate = { params: { path: { candidateId } } };
  const job = await organisation.open();
  const { jobId, shiftId } = job;
  await organisation.idle();
  const notifications = ok(await operations.listNotifications({ params: { query: { jobId } } })).items;
  const notificationId = notifications[0]?.notificationId ?? "";
  ok(await operations.resendNotification({ params: { path: { notificationId } } }));
  await organisation.accept({ jobId }, { candidateId });
  ok(await operations.changeJob({ params: { path: { jobId } }, body: { positions: 2 } }));
  await organisation.withdraw({ jobId }, { candidateId });
  await organisation.idle();
  await organisation.accept({ jobId }, { candidateId });
  ok(await operations.endBooking({ params: { path: { jobId, candidateId } }, body: { reason: "other" } }));
  const events = ok(await operations.listEvents({ params: { query: { shiftId } } })).items;
  const eventId = events[0]?.eventId ?? "";
  ok(await operations.replayEvent({ params: { path: { eventId } } }));
  ok(await operations.replayEvents({ body: { providerId, since: "2026-01-01T00:00:00Z" } }));
  await organisation.idle();
  ok(await operations.cancelJob({ params: { path: { jobId } } }));
  await organisation.idle();
  ok(await operations.changeCandidate({ ...candidate, body: { competenceIds: [] } }));
  ok(await operations.revealCandidate({ ...candidate, body: { reason: "The provider asks" } }));
  await operations.eraseCandidate(candidate);
  const issueId = await addIssue(providerId);
  ok(await operations.changeIssues({ body: { issueIds: [issueId], assignedTo: "first admin" } }));
  await operations.resolveIssue({ params: { path: { issueId } } });
  ok(await operations.importRegistry(integration));
  const { items } = ok(await operations.listCandidates({ params: { query: {} } }));
  const { candidateId: named } = items.find(({ shared }) => !shared) ?? { candidateId: "" };
  ok(await operations.releaseCandidate({ params: { path: { candidateId: named } }, body: { providerId } }));
  ok(await operations.releaseCandidates({ ...integration, body: { candidateIds: [named] } }));
  const robin = { firstName: "Robin", lastName: "Ek", email: ADDRESS, phone: "+46701740605" };
  const people = [{ ...robin, personalNumber: numberAt(480), competenceIds: [] }];
  ok(await operations.importCandidates({ body: { people } }));
  ok(
    await operations.setCompetence({
      body: { candidateIds: [named], competenceId: organisation.competenceId, has: true },
    }),
  );
  ok(await operations.verifyIntegration(integration));
  ok(await operations.rotateToken({ ...integration, body: { direction: "platform" } }));
  ok(await operations.changeIntegration({ ...integration, body: { name: "Kajen" } }));
  ok(await operations.suspendIntegration(integration));
  ok(await operations.offboardIntegration({ ...integration, body: { bookings: "keep" } }));
  ok(await operations.signIn({}));
  await operations.signOut({});
  const { competenceId } = organisation;
  const { workplaceId } = ok(await operations.createWorkplace({ body: { name: "Kaje" } }));
  ok(await operations.changeWorkplace({ params: { path: { workplaceId } }, body: { name: "Kajen" } }));
  ok(await operations.changeCompetence({ params: { path: { competenceId } }, body: { name: "Waiter" } }));
  const draft = { providerId: randomUUID(), kind: "tempo", name: "Kajen", routing: "path" as const };
  const body = { ...draft, baseUrl: "http://127.0.0.1:9", providerToken: "provider-token" };
  ok(await operations.createIntegration({ body }));
  await operations.deleteIntegration({ params: { path: { providerId: draft.providerId } } });
  const { operatorId } = ok(await operations.createOperator({ body: { name: "Karin", role: "viewer" } }));
  const operator = { params: { path: { operatorId } } };
  ok(await operations.changeOperator({ ...operator, body: { role: "people" } }));
  ok(await operations.rotateOperatorToken({ ...operator, body: {} }));
  await operations.revokeOperator(operator);
  return [
    candidateId,
    named,
    jobId,
    notificationId,
    eventId,
    issueId,
    draft.providerId,
    operatorId,
    workplaceId,
    competenceId,
  ];
}
