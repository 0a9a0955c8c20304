import { describe, expect, it } from "vitest";
import type { OperationId } from "../../../src/verify/exchange.ts";
import { dialects } from "./dialects.ts";
import { type Call, type Faults, jsonReply, play, told } from "./faulty-provider.ts";

const options = { only: ["authentication"] as const };

/** The operations of the contract: with a fault in one half, the other half must not be accused. */
const HALVES: readonly OperationId[][] = [
  ["listOutlets", "findCandidates", "getShift", "assignCandidate", "deleteAssignment", "cancelShift"],
  ["listRoles", "getCandidateRegistry", "updateShift", "unassignCandidate", "createCandidate"],
];
const OPERATIONS = HALVES.flat();

type Accepts = (sent: string | undefined, token: string, call: Call) => boolean;

/** Lets in whom the rule lets in. */
const lets = (accepts: Accepts): Faults => ({
  before: (call, { token }) => {
    if (accepts(call.headers.authorization, token, call)) call.headers.authorization = `Bearer ${token}`;
    return undefined;
  },
});

describe("a provider that asks for its token", () => {
  it.each(dialects)("passes: %s", async (_, dialect) => {
    const { verification, sandbox, shiftId } = await play({ dialect, options });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual([]);
    expect(sandbox.shift(shiftId)?.assigned.size).toBe(0);
    expect(sandbox.shift(shiftId)?.positions).toBe(2);
    expect(sandbox.shifts.some(({ cancelled }) => cancelled)).toBe(false);
  });

  it("passes without any data of its own, as far as that can be seen", async () => {
    const { verification } = await play({ options: { ...options, fixtures: {} } });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "skipped").join()).not.toContain("cancelShift");
  });

  it("is asked with GET only when read-only", async () => {
    const methods = new Set<string>();
    const faults = lets((_, __, { method }) => {
      methods.add(method);
      return false;
    });
    const { verification } = await play({ faults, options: { ...options, readOnly: true } });
    expect([...methods]).toEqual(["GET"]);
    expect(told(verification, "skipped")).toContain("skipped_read_only assignCandidate");
  });
});

describe("a provider that does not ask everywhere fails where it does not:", () => {
  it.each(HALVES)("%s", async (...operations) => {
    const faults = lets((_, __, { operation }) => operations.some((each) => each === operation));
    const { verification } = await play({ faults, options });
    // Any other token and any other scheme are accepted for the same reason.
    const expected = operations.map((operation) => `auth_missing ${operation}`);
    expect(told(verification)).toEqual(expected.sort());
  });

  it("a shift that nobody has, without data of the provider's own", async () => {
    const faults: Faults = {
      before: ({ operation, headers }) =>
        operation === "getShift" && !headers.authorization ? jsonReply(200, {}) : undefined,
    };
    const { verification } = await play({ faults, options: { ...options, fixtures: {} } });
    expect(told(verification)).toContain("auth_missing getShift");
  });
});

describe("a provider fails that takes", () => {
  const CLOSE = ["getShift", "listOutlets"];
  const CASES: readonly (readonly [string, Accepts, string, readonly string[]])[] = [
    ["any token", (sent) => /^Bearer ./.test(sent ?? ""), "auth_any_token", OPERATIONS],
    ["any scheme", (sent, token) => sent?.split(" ")[1] === token, "auth_wrong_scheme", OPERATIONS],
    ["only the scheme Token", (sent, token) => sent === `Token ${token}`, "auth_wrong_scheme", CLOSE],
    ["an empty token", (sent) => sent === "Bearer", "auth_missing", CLOSE],
    ["what begins so", (sent, token) => !!sent?.startsWith(`Bearer ${token}`), "auth_any_token", CLOSE],
    [
      "half a token",
      (sent, token) => !!sent && `Bearer ${token}`.startsWith(sent) && sent.length > 20,
      "auth_any_token",
      CLOSE,
    ],
  ];

  it.each(CASES)("%s", async (_, accepts, code, operations) => {
    const { verification } = await play({ faults: lets(accepts), options });
    expect(told(verification)).toEqual([...operations].sort().map((operation) => `${code} ${operation}`));
  });
});

it.each(["assignCandidate", "unassignCandidate", "deleteAssignment", "updateShift", "cancelShift"] as const)(
  "a refusal that is carried out all the same is found: %s",
  async (operation) => {
    const refused = new Set<Call>();
    const faults: Faults = {
      before: (call, { token }) => {
        if (call.operation !== operation || call.headers.authorization === `Bearer ${token}`)
          return undefined;
        refused.add(call);
        call.headers.authorization = `Bearer ${token}`;
        return undefined;
      },
      after: (_, sent) => (refused.has(sent) ? jsonReply(401, {}) : undefined),
    };
    const { verification } = await play({ faults, options });
    expect(told(verification)).toEqual([`auth_missing ${operation}`]);
    const [finding] = verification.findings.filter(({ severity }) => severity === "error");
    expect(finding?.actual).toBe("status 401, but it was applied");
  },
);

it("another refusal than 401 is worth a warning", async () => {
  const faults: Faults = { after: ({ status }) => (status === 401 ? jsonReply(403, {}) : undefined) };
  const { verification } = await play({ faults, options });
  expect(told(verification)).toEqual([]);
  expect(told(verification, "warning")).toContain("auth_status getShift");
});

it("an operation that serves nothing is not accused of refusing", async () => {
  const faults: Faults = {
    before: ({ operation }) => (operation === "listRoles" ? jsonReply(500, {}) : undefined),
  };
  const { verification } = await play({ faults, options });
  expect(told(verification)).toEqual(["server_error listRoles"]);
  expect(told(verification, "skipped")).toContain("skipped_after_failure listRoles");
});

it("who cannot be assigned is not said to have been taken off", async () => {
  const faults: Faults = {
    after: ({ status }, { operation, url }, sandbox) => {
      if (operation !== "assignCandidate" || status !== 200) return undefined;
      for (const shift of sandbox.shifts) if (url.includes(shift.id)) shift.assigned.clear();
      return jsonReply(200, { success: true });
    },
  };
  expect(told((await play({ faults, options })).verification)).toEqual([]);
});

it("neither the token nor most of it stands in a report", async () => {
  const { verification, sandbox } = await play({ faults: lets(() => true), options });
  expect(told(verification)).not.toEqual([]);
  expect(JSON.stringify(verification)).not.toContain(sandbox.token.slice(0, -1));
});
