import { describe, expect, it } from "vitest";
import type { StoredShift } from "../../../src/sandbox/organisation.ts";
import type { OperationId } from "../../../src/verify/exchange.ts";
import { type Call, codesOf, type Faults, jsonReply, run } from "../../harness/faulty-provider.ts";

const options = { only: ["authentication"] as const };

type Accepts = (sent: string | undefined, token: string, call: Call) => boolean;

/** Authorizes the calls that the rule accepts. */
const lets = (accepts: Accepts): Faults => ({
  before: (call, { token }) => {
    if (accepts(call.headers.authorization, token, call)) call.headers.authorization = `Bearer ${token}`;
    return undefined;
  },
});

describe("a provider that requires its token", () => {
  it("passes without fixtures, as far as that can be observed", async () => {
    const { verification } = await run({ options: { ...options, fixtures: {} } });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped").join()).not.toContain("cancelShift");
  });
});

describe("a provider that requires no token fails at", () => {
  it("getShift for an unknown shift, without fixtures", async () => {
    const faults: Faults = {
      before: ({ operation, headers }) =>
        operation === "getShift" && !headers.authorization ? jsonReply(200, {}) : undefined,
    };
    const { verification } = await run({ faults, options: { ...options, fixtures: {} } });
    expect(codesOf(verification)).toContain("auth_missing getShift");
  });
});

describe("a provider fails that accepts", () => {
  const CASES: readonly (readonly [string, Accepts, string])[] = [
    ["only the scheme Token", (sent, token) => sent === `Token ${token}`, "auth_wrong_scheme"],
    ["an empty token", (sent) => sent === "Bearer", "auth_missing"],
    [
      "half a token",
      (sent, token) => !!sent && `Bearer ${token}`.startsWith(sent) && sent.length > 20,
      "auth_any_token",
    ],
  ];

  it.each(CASES)("%s", async (_, accepts, code) => {
    const { verification } = await run({ faults: lets(accepts), options });
    expect(codesOf(verification)).toEqual([`${code} provider`]);
    expect(verification.findings.find((each) => each.code === code)?.places).toEqual([
      "getShift",
      "listOutlets",
    ]);
  });
});

const EFFECTS = [
  ...(["assignCandidate", "unassignCandidate", "deleteAssignment"] as const),
  ...(["updateShift", "cancelShift"] as const),
];

function refusesAndApplies(operation: OperationId): Faults {
  const refused = new Set<Call>();
  return {
    before: (call, { token }) => {
      if (call.operation !== operation || call.headers.authorization === `Bearer ${token}`) return undefined;
      refused.add(call);
      call.headers.authorization = `Bearer ${token}`;
      return undefined;
    },
    after: (_, sent) => (refused.has(sent) ? jsonReply(401, {}) : undefined),
  };
}

it.each(EFFECTS)("a refused request that takes effect is reported: %s", async (operation) => {
  const { verification } = await run({ faults: refusesAndApplies(operation), options });
  expect(codesOf(verification)).toEqual([`auth_missing ${operation}`]);
  const [finding] = verification.findings.filter(({ severity }) => severity === "error");
  expect(finding?.actual).toBe("status 401, but it was applied");
});

/** Reads of a shift, from a replica that gets the last change during the next wait. */
function lagging() {
  const replica = new Map<string, StoredShift>();
  const before = new Map<Call, StoredShift>();
  let shown = 0;
  const faults: Faults = {
    before: (call, { shifts }) => {
      const shift = shifts.find(({ id }) => call.url.includes(id));
      if (shift && call.method !== "GET") before.set(call, structuredClone(shift));
      return undefined;
    },
    after: ({ status, body }, sent) => {
      const was = before.get(sent);
      if (was && status < 300) replica.set(was.id, was);
      const seen = [...replica.values()].find(({ id }) => sent.url.includes(id));
      if (!seen || sent.operation !== "getShift" || status !== 200) return undefined;
      shown += 1;
      const assignedCandidates = [...seen.assigned.keys()].map((candidateId) => ({ candidateId }));
      return jsonReply(200, { ...JSON.parse(body), slots: seen.positions, assignedCandidates });
    },
  };
  return { faults, wait: async () => replica.clear(), shown: () => shown };
}

describe("a provider whose reads lag", () => {
  it("passes when they show the state before the last change", async () => {
    const { faults, wait, shown } = lagging();
    const { verification } = await run({ faults, options: { ...options, wait } });
    expect(shown()).toBeGreaterThan(0);
    expect(codesOf(verification)).toEqual([]);
  });

  it.each(EFFECTS)("fails when it applies what it refuses: %s", async (operation) => {
    const { faults, wait } = lagging();
    const refusing = refusesAndApplies(operation);
    const both: Faults = {
      before: (call, sandbox) => {
        refusing.before?.(call, sandbox);
        return faults.before?.(call, sandbox);
      },
      after: (reply, sent, sandbox) => {
        const lagged = faults.after?.(reply, sent, sandbox) ?? reply;
        return refusing.after?.(lagged, sent, sandbox) ?? lagged;
      },
    };
    const { verification } = await run({ faults: both, options: { ...options, wait } });
    expect(codesOf(verification)).toEqual([`auth_missing ${operation}`]);
  });

  it("passes when a replica has not seen the shift to be cancelled", async () => {
    let reads = 0;
    let waits = 0;
    const wait = async () => {
      waits += 1;
    };
    const faults: Faults = {
      before: ({ operation, url }, { shifts }) => {
        if (operation !== "getShift" || !url.includes(shifts[1]?.id ?? "")) return undefined;
        reads += 1;
        return reads > 2 && waits === 0 ? jsonReply(404, {}) : undefined;
      },
    };
    const { verification } = await run({ faults, options: { ...options, wait } });
    expect(codesOf(verification)).toEqual([]);
    expect(waits).toBe(1);
  });
});

it("an operation that always fails is not reported for its refusals", async () => {
  const faults: Faults = {
    before: ({ operation }) => (operation === "listRoles" ? jsonReply(500, {}) : undefined),
  };
  const { verification } = await run({ faults, options });
  expect(codesOf(verification)).toEqual(["server_error listRoles"]);
  expect(codesOf(verification, "skipped")).toContain("skipped_after_failure listRoles");
});

it("an unassignment is not reported when the assignment has no effect", async () => {
  const faults: Faults = {
    after: ({ status }, { operation, url }, sandbox) => {
      if (operation !== "assignCandidate" || status !== 200) return undefined;
      for (const shift of sandbox.shifts) if (url.includes(shift.id)) shift.assigned.clear();
      return jsonReply(200, { success: true });
    },
  };
  expect(codesOf((await run({ faults, options })).verification)).toEqual([]);
});

it("a report contains neither the token nor most of it", async () => {
  const { verification, sandbox } = await run({ faults: lets(() => true), options });
  expect(codesOf(verification)).not.toEqual([]);
  expect(JSON.stringify(verification)).not.toContain(sandbox.token.slice(0, -1));
});
