import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { codesOf, type Faults, jsonReply, KNOWN_NUMBER, run } from "../harness/faulty-provider.ts";

const options = { skip: ["contracts"] } as const;

/** Refuses creations: the known candidate replaces the test candidate. */
const refusing = ({ operation }: { operation: string | undefined }) =>
  operation === "createCandidate" ? jsonReply(403, { error: "refused" }) : undefined;

const knownOf = ({ candidates }: Sandbox) =>
  candidates.find(({ personalNumber }) => personalNumber === KNOWN_NUMBER)?.id ?? "";

/** Records calls that would unassign the known candidate from the first shift. */
function watched(faults: Faults = {}): { faults: Faults; removals: string[] } {
  const removals: string[] = [];
  const before: Faults["before"] = (call, sandbox) => {
    const shift = sandbox.shifts[0]?.id ?? "";
    const isRemoval = call.operation === "unassignCandidate" || call.operation === "deleteAssignment";
    const isKnown = call.url.toLowerCase().includes(knownOf(sandbox)) && call.url.includes(shift);
    if (isRemoval && isKnown) removals.push(`${call.method} ${call.url}`);
    return faults.before?.(call, sandbox) ?? refusing(call);
  };
  return { faults: { ...faults, before }, removals };
}

const putOnShift = (sandbox: Sandbox) => {
  const [shift] = sandbox.shifts;
  shift?.assigned.set(knownOf(sandbox), shift.createdAt);
};

it("a candidate's id of dots is a finding, and is part of no path", async () => {
  const strange: string[] = [];
  const before: Faults["before"] = ({ operation, method, url }) => {
    if (operation === undefined || /\/(?:un)?assign\/[^/]{0,2}$/.test(url)) strange.push(`${method} ${url}`);
    return undefined;
  };
  const dots = (body: object) => ({ ...body, id: ".." });
  const after: Faults["after"] = (reply, { operation }) => {
    if (reply.status >= 300) return undefined;
    const change = { createCandidate: dots, findCandidates: (list: object) => (list as object[]).map(dots) };
    const spoilt = operation && operation in change ? change[operation as keyof typeof change] : undefined;
    return spoilt && { ...reply, body: JSON.stringify(spoilt(JSON.parse(reply.body))) };
  };
  const { verification, sandbox, shiftId } = await run({ faults: { before, after }, options });
  expect(strange).toEqual([]);
  expect(sandbox.shift(shiftId)?.cancelled).toBe(false);
  expect(codesOf(verification)).toContain("field_wrong provider");
});

describe("a known candidate assigned by the provider stays assigned", () => {
  it("when the assignment existed before the run", async () => {
    const { faults, removals } = watched();
    const prepare = (sandbox: Sandbox) => void putOnShift(sandbox);
    const { sandbox } = await run({ faults, options, prepare });
    expect(removals).toEqual([]);
    expect([...(sandbox.shifts[0]?.assigned.keys() ?? [])]).toEqual([knownOf(sandbox)]);
  });

  it("when the assignment happens during the run", async () => {
    let lookups = 0;
    const { faults, removals } = watched({
      before: ({ operation }, sandbox) => {
        // The first creation follows the first reads of the shift.
        if (operation === "createCandidate" && ++lookups === 1) putOnShift(sandbox);
        return undefined;
      },
    });
    const { sandbox } = await run({ faults, options });
    expect(lookups).toBeGreaterThan(0);
    expect(removals).toEqual([]);
    expect([...(sandbox.shifts[0]?.assigned.keys() ?? [])]).toEqual([knownOf(sandbox)]);
  });

  it("when the provider returns ids in capitals", async () => {
    const { faults, removals } = watched({
      after: (reply, { operation }) =>
        operation === "getShift" ? { ...reply, body: inCapitals(reply.body) } : undefined,
    });
    const prepare = (sandbox: Sandbox) => void putOnShift(sandbox);
    const { sandbox } = await run({ faults, options, prepare });
    expect(removals).toEqual([]);
    expect([...(sandbox.shifts[0]?.assigned.keys() ?? [])]).toEqual([knownOf(sandbox)]);
  });
});

const inCapitals = (body: string) =>
  body.replaceAll(/"candidateId":"([^"]+)"/g, (_, id: string) => `"candidateId":"${id.toUpperCase()}"`);

it("a known candidate assigned by the run is unassigned again", async () => {
  const { faults, removals } = watched();
  const { sandbox } = await run({ faults, options });
  expect(removals.length).toBeGreaterThan(0);
  expect(sandbox.shifts[0]?.assigned.size).toBe(0);
});

it("a candidate unassigned by a faulty provider is reassigned", async () => {
  const faults: Faults = {
    before: ({ operation }, sandbox) => {
      if (operation === "unassignCandidate") sandbox.shifts[0]?.assigned.clear();
      return undefined;
    },
  };
  const { sandbox } = await run({ faults, options, prepare: (each) => void putOnShift(each) });
  expect([...(sandbox.shifts[0]?.assigned.keys() ?? [])]).toEqual([knownOf(sandbox)]);
});
