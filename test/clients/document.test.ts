import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operationsTable } from "../../generated/provider/server.ts";
import { responses } from "../../generated/provider/validators.js";
import detailed from "../../spec/examples/assignment-detailed.json" with { type: "json" };
import minimal from "../../spec/examples/assignment-minimal.json" with { type: "json" };
import candidate from "../../spec/examples/candidate.json" with { type: "json" };
import registry from "../../spec/examples/candidate-registry.json" with { type: "json" };
import outlet from "../../spec/examples/outlet.json" with { type: "json" };
import role from "../../spec/examples/role.json" with { type: "json" };
import shiftA from "../../spec/examples/shift-variant-a.json" with { type: "json" };
import shiftB from "../../spec/examples/shift-variant-b.json" with { type: "json" };
import { createProviderClient, type ProviderClient } from "../../src/clients/provider/client.ts";
import { ADAS_NUMBER, CALL } from "../harness/provider-sandbox.ts";

const seed = Number(process.env.DOCUMENT_SEED ?? Date.now() % 1_000_000);

/** Creates a client of a provider with one fixed response. */
function clientOf(answer: (request: Request) => Response): ProviderClient {
  return createProviderClient({
    baseUrl: "https://provider.example",
    providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11",
    token: "provider-token",
    fetch: async (request) => answer(request),
  });
}

const GONE = Symbol("left out");
const TIMES = [
  "2027-03-27T22",
  "2027-03-27T2200",
  "20270327T220000,5+01",
  "2027-03-27T24:00Z",
  "2027-03-27t22:00z",
  "2027-03-27T22:00:60Z",
  "2027-02-30T10:00:00Z",
  "2027-03-27 22:00",
  "2027-03-27T25:00Z",
  "0000-01-01T00:00:00Z",
  "27/03/2027",
];
const ODD = [
  GONE,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  101,
  2_147_483_647,
  2_147_483_648,
  "",
  "x",
  "a".repeat(201),
  {},
  [],
  [null],
  "open",
  "closed",
  ...TIMES,
];

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, below]) => pathsOf(below, [...path, key]))];
}

/** Returns the value with one place changed. */
function changed(value: unknown, path: Path, odd: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return odd;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...(value as object) };
  const below = changed((copy as Record<string, unknown>)[key], rest, odd);
  if (below !== GONE) Object.assign(copy, { [key]: below });
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
}

/** Returns one of the bodies, with up to three places changed; undefined: none. */
const bodies = (examples: readonly unknown[]) =>
  fc
    .tuple(
      fc.constantFrom(...examples),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...ODD)), { maxLength: 3 }),
    )
    .map(([example, changes]) =>
      changes.reduce<unknown>((body, [nth, odd]) => {
        const paths = pathsOf(body);
        return changed(body, paths[nth % paths.length] ?? [], odd);
      }, example),
    )
    .map((body) => (body === GONE ? null : body));

interface Case {
  examples: readonly unknown[];
  accepts: (body: unknown) => boolean;
  call: (client: ProviderClient) => Promise<{ kind: string; failure?: string; code?: string | undefined }>;
  /** Returns whether each entry of a list was read, too. */
  isWhole?: (answer: never) => boolean;
}

const seat = { shiftId: shiftA.id, candidateId: candidate.id };
const change = { startTime: shiftA.startTime, endTime: shiftA.endTime, positions: 2 };
const ada = { ...candidate, personalNumber: ADAS_NUMBER };

const CASES: Record<string, Case> = {
  getShift: {
    examples: [shiftA, shiftB],
    accepts: responses.getShift[200],
    call: (client) => client.getShift(shiftA.id, CALL),
  },
  updateShift: {
    examples: [shiftA, shiftB, {}, "done", null],
    accepts: responses.updateShift[200],
    call: (client) => client.updateShift(shiftA.id, change, CALL),
  },
  assignCandidate: {
    examples: [minimal, detailed],
    accepts: responses.assignCandidate[200],
    call: (client) => client.assign(seat, CALL),
  },
  unassignCandidate: {
    examples: [minimal, { success: false }, "done", null],
    accepts: responses.unassignCandidate[200],
    call: (client) => client.unassign(seat, CALL),
  },
  findCandidates: {
    examples: [[ada], [ada, ada], []],
    accepts: responses.findCandidates[200],
    call: (client) => client.findCandidates(ADAS_NUMBER, CALL),
  },
  createCandidate: {
    examples: [ada],
    accepts: responses.createCandidate[201],
    call: (client) => client.createCandidate(ada, CALL),
  },
  getCandidateRegistry: {
    examples: [registry],
    accepts: responses.getCandidateRegistry[200],
    call: (client) => client.readRegistry({ limit: 10 }, CALL),
    isWhole: ({ page }: { page: { candidates: readonly { fault?: unknown }[] } }) =>
      page.candidates.every(({ fault }) => fault === undefined),
  },
  listOutlets: {
    examples: [[outlet, { ...outlet, address: null }]],
    accepts: responses.listOutlets[200],
    call: (client) => client.listOutlets(CALL),
    isWhole: ({ faults }: { faults: readonly unknown[] }) => faults.length === 0,
  },
  listRoles: {
    examples: [[role, role]],
    accepts: responses.listRoles[200],
    call: (client) => client.listRoles(CALL),
    isWhole: ({ faults }: { faults: readonly unknown[] }) => faults.length === 0,
  },
};

const CALLS: Record<string, Case["call"]> = {
  ...Object.fromEntries(Object.entries(CASES).map(([operation, { call }]) => [operation, call])),
  cancelShift: (client) => client.cancelShift(shiftA.id, CALL),
  deleteAssignment: (client) => client.unassign(seat, CALL),
};

/** The client's results for a readable body about another object than the requested one. */
const OF_ANOTHER = ["wrong_shift", "wrong_person", "assignment_of_another"];
const NOT_SUCCESSFUL = ["assignment_not_successful", "unassignment_not_successful"];

async function isTaken({ call, isWhole }: Case, status: number, body: unknown): Promise<boolean> {
  const text = JSON.stringify(body);
  // After an update with another body the client reads the shift.
  const client = clientOf(({ method }) =>
    method === "GET" && call === CASES.updateShift?.call
      ? Response.json({ ...shiftA, ...change, slots: 2 })
      : new Response(text, { status }),
  );
  const answer = await call(client);
  if (OF_ANOTHER.includes(answer.failure ?? answer.code ?? "")) return true;
  if (answer.failure === "contract_violation" || NOT_SUCCESSFUL.includes(answer.code ?? "")) return false;
  if (answer.kind === "unavailable" || answer.kind === "refused") throw new Error(JSON.stringify(answer));
  return isWhole?.(answer as never) ?? true;
}

describe(`the document and the client agree (seed ${seed})`, () => {
  it.each(Object.entries(CASES))("on the body of a success: %s", async (operation, each) => {
    const status = operation === "createCandidate" ? 201 : 200;
    const seen = { taken: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(bodies(each.examples), async (body) => {
        const taken = await isTaken(each, status, body);
        seen[taken ? "taken" : "refused"] += 1;
        expect(taken).toBe(each.accepts(body));
      }),
      { seed, numRuns: 1_500 },
    );
    expect(seen.taken).toBeGreaterThan(100);
    if (operation !== "updateShift") expect(seen.refused).toBeGreaterThan(10);
  });

  it.each(operationsTable.map(({ operationId }) => operationId))(
    "when an error has any body: %s",
    async (operation) => {
      const all: Readonly<Record<string, ((body: unknown) => boolean) | undefined>> = responses[operation];
      const status = fc.oneof(fc.integer({ min: 400, max: 599 }), fc.constantFrom(408, 409, 429, 500, 503));
      const labels = fc.constantFrom("application/json", "application/problem+json", "text/html", "x");
      const waits = fc.constantFrom(undefined, "5", "Wed, 21 Oct 2026 07:28:00 GMT", "soon");
      await fc.assert(
        fc.asyncProperty(status, fc.json(), labels, waits, async (code, text, label, wait) => {
          const accepts = all[code] ?? all.default;
          expect(accepts?.(JSON.parse(text))).toBe(true);
          const headers = { "content-type": label, ...(wait && { "retry-after": wait }) };
          const answer = await CALLS[operation]?.(
            clientOf(() => new Response(text, { status: code, headers })),
          );
          expect(["contract_violation", undefined]).not.toContain(answer?.failure ?? answer?.kind);
        }),
        { seed, numRuns: 200 },
      );
    },
  );
});
