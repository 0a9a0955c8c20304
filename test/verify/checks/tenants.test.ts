import { describe, expect, it } from "vitest";
import type { OperationId } from "../../../src/verify/exchange.ts";
import { dialects } from "./dialects.ts";
import { type Call, type Faults, jsonReply, play, type Scene, told } from "./faulty-provider.ts";
import { spoilList } from "./spoil.ts";

const options = { only: ["tenants"] as const };

/** The operations of the contract: with a fault in one half, the other half must not be accused. */
const HALVES: readonly OperationId[][] = [
  ["listOutlets", "findCandidates", "getShift", "assignCandidate", "deleteAssignment", "cancelShift"],
  ["listRoles", "getCandidateRegistry", "updateShift", "unassignCandidate", "createCandidate"],
];

const HEADERS = ["x-provider-id", "x-platform-provider-id"];

function asFor(providerId: string, call: Call): void {
  call.url = call.url.replace(/^\/providers\/[^/]+/, `/providers/${providerId}`);
  if (call.url.startsWith("/providers/")) return;
  for (const name of HEADERS) call.headers[name] = providerId;
}

/** Looks at no providerId where the rule says so. */
const ignores = (when: (call: Call) => boolean): Faults => ({
  before: (call, { providerId }) => {
    if (when(call)) asFor(providerId, call);
    return undefined;
  },
});

describe("a provider that looks at the providerId", () => {
  it.each(dialects)("passes: %s", async (_, dialect) => {
    const { verification, sandbox, shiftId } = await play({ dialect, options });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual([]);
    expect(sandbox.shift(shiftId)?.assigned.size).toBe(0);
    expect(sandbox.shifts.some(({ cancelled }) => cancelled)).toBe(false);
  });

  it("gets a warning for an unusual refusal", async () => {
    const faults: Faults = { after: ({ status }) => (status === 404 ? jsonReply(400, {}) : undefined) };
    const { verification } = await play({ faults, options });
    expect(told(verification, "warning")).toContain("tenant_status getShift");
    expect(told(verification).filter((each) => each.startsWith("tenant"))).toEqual([]);
  });
});

describe("a provider that ignores the providerId fails where it does:", () => {
  it.each(HALVES)("%s", async (...operations) => {
    const faults = ignores(({ operation }) => operations.some((each) => each === operation));
    const { verification } = await play({ faults, options });
    const expected = operations.map((operation) => `tenant_ignored ${operation}`);
    expect(told(verification)).toEqual(expected.sort());
  });

  it("a missing header", async () => {
    const dialect = { routing: "header" as const };
    const faults = ignores(({ headers }) => headers["x-provider-id"] === undefined);
    const { verification } = await play({ dialect, faults, options });
    const expected = HALVES.flat().map((operation) => `tenant_ignored ${operation}`);
    expect(told(verification)).toEqual(expected.sort());
  });

  it("one that is no UUID", async () => {
    const { verification } = await play({
      faults: ignores(({ url }) => url.includes("not-a-uuid")),
      options,
    });
    expect(told(verification)).toEqual(["tenant_ignored getShift", "tenant_ignored listOutlets"]);
  });
});

it("rows of another organisation are found by their providerId", async () => {
  const providerId = "0a8f6f0e-5f0b-4c6e-9d0e-1b2c3d4e5f60";
  const faults = spoilList("listOutlets", ([first, ...rest]) => [{ ...first, providerId }, ...rest]);
  expect(told((await play({ faults, options })).verification)).toEqual(["tenant_shared listOutlets"]);
  const own: Faults = {
    after: (reply, { operation }, sandbox) =>
      operation === "listOutlets" && reply.status === 200
        ? jsonReply(
            200,
            sandbox.outlets.map((each) => ({ ...each, providerId: sandbox.providerId })),
          )
        : undefined,
  };
  expect(told((await play({ faults: own, options })).verification)).toEqual([]);
});

describe("two organisations", () => {
  let other = { providerId: "", token: "" };
  const prepare: Scene["prepare"] = (sandbox) => {
    const desk = sandbox.addOrganisation();
    other = { providerId: desk.providerId, token: desk.token };
    return { other };
  };
  const isOthers = ({ headers }: Call) => headers.authorization === `Bearer ${other.token}`;
  const asOwn = (when: (call: Call) => boolean): Faults => ({
    before: (call, { providerId, token }) => {
      if (!when(call)) return undefined;
      asFor(providerId, call);
      call.headers.authorization = `Bearer ${token}`;
      return undefined;
    },
  });

  it.each(dialects)("are kept apart: %s", async (_, dialect) => {
    const { verification } = await play({ dialect, options, prepare });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual([]);
    expect(told(verification, "skipped")).not.toContain("skipped_not_prepared provider");
  });

  it.each(["getShift", "listOutlets", "findCandidates", "getCandidateRegistry"])(
    "see each other's data: %s",
    async (operation) => {
      const faults = asOwn(
        (call) => call.operation === operation && isOthers(call) && call.url.includes(other.providerId),
      );
      const { verification } = await play({ faults, options, prepare });
      expect(told(verification)).toEqual([`tenant_shared ${operation}`]);
    },
  );

  it.each(["updateShift", "assignCandidate", "unassignCandidate", "deleteAssignment", "cancelShift"])(
    "change each other's shifts: %s",
    async (operation) => {
      const asOther = (call: Call) => call.operation === operation && isOthers(call);
      const faults = asOwn((call) => asOther(call) && call.url.includes(other.providerId));
      const { verification, sandbox } = await play({ faults, options, prepare });
      expect(told(verification)).toEqual([`tenant_shared ${operation}`]);
      expect(sandbox.shifts[0]).toMatchObject({ positions: 2, assigned: new Map() });
      const withToken = asOwn((call) => asOther(call) && !call.url.includes(other.providerId));
      expect(told((await play({ faults: withToken, options, prepare })).verification)).toEqual([
        `tenant_shared ${operation}`,
      ]);
    },
  );

  it("are told of no change that was acknowledged and did not happen", async () => {
    const faults: Faults = {
      before: (call) =>
        call.operation === "updateShift" && isOthers(call)
          ? { status: 204, headers: {}, body: "" }
          : undefined,
    };
    const { verification } = await play({ faults, options, prepare });
    expect(told(verification)).toEqual([]);
  });

  it("open each other's doors", async () => {
    const isRoles = ({ operation }: Call) => operation === "listRoles";
    const theirs = asOwn((call) => isRoles(call) && isOthers(call) && !call.url.includes(other.providerId));
    expect(told((await play({ faults: theirs, options, prepare })).verification)).toEqual([
      "tenant_shared listRoles",
    ]);
    const ours = asOwn((call) => isRoles(call) && !isOthers(call) && call.url.includes(other.providerId));
    expect(told((await play({ faults: ours, options, prepare })).verification)).toEqual([
      "tenant_shared listRoles",
    ]);
  });

  it("may count their ids each for itself", async () => {
    const faults = spoilList("listOutlets", (list) => list.map((each, at) => ({ ...each, id: `${at + 1}` })));
    const { verification } = await play({ faults, options, prepare });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "skipped")).toContain("skipped_not_visible listOutlets");
  });

  it("are not compared when the other is not served", async () => {
    const { verification } = await play({
      options: { ...options, other: { providerId: other.providerId, token: "x" } },
    });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "skipped")).toContain("skipped_after_failure provider");
  });
});
