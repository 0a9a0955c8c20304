import { describe, expect, it } from "vitest";
import type { OperationId } from "../../../src/verify/exchange.ts";
import { dialects } from "./dialects.ts";
import { type Call, codesOf, type Faults, jsonReply, run, type Setup } from "./faulty-provider.ts";
import { spoilList } from "./spoil.ts";

const options = { only: ["tenants"] as const };

/** The operations of the contract: a fault in one half must cause no finding in the other half. */
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

/** Ignores the providerId where the rule applies. */
const ignores = (when: (call: Call) => boolean): Faults => ({
  before: (call, { providerId }) => {
    if (when(call)) asFor(providerId, call);
    return undefined;
  },
});

describe("a provider that checks the providerId", () => {
  it.each(dialects)("passes: %s", async (_, dialect) => {
    const { verification, sandbox, shiftId } = await run({ dialect, options });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toEqual([]);
    expect(sandbox.shift(shiftId)?.assigned.size).toBe(0);
    expect(sandbox.shifts.some(({ cancelled }) => cancelled)).toBe(false);
  });

  it("gets a warning for an unusual refusal", async () => {
    const faults: Faults = { after: ({ status }) => (status === 404 ? jsonReply(400, {}) : undefined) };
    const { verification } = await run({ faults, options });
    expect(codesOf(verification, "warning")).toContain("tenant_status getShift");
    expect(codesOf(verification).filter((each) => each.startsWith("tenant"))).toEqual([]);
  });
});

describe("a provider that ignores the providerId fails for:", () => {
  it.each(HALVES)("%s", async (...operations) => {
    const faults = ignores(({ operation }) => operations.some((each) => each === operation));
    const { verification } = await run({ faults, options });
    const expected = operations.map((operation) => `tenant_ignored ${operation}`);
    expect(codesOf(verification)).toEqual(expected.sort());
  });

  it("a missing header", async () => {
    const dialect = { routing: "header" as const };
    const faults = ignores(({ headers }) => headers["x-provider-id"] === undefined);
    const { verification } = await run({ dialect, faults, options });
    const expected = HALVES.flat().map((operation) => `tenant_ignored ${operation}`);
    expect(codesOf(verification)).toEqual(expected.sort());
  });

  it("a providerId that is not a UUID", async () => {
    const { verification } = await run({
      faults: ignores(({ url }) => url.includes("not-a-uuid")),
      options,
    });
    expect(codesOf(verification)).toEqual(["tenant_ignored getShift", "tenant_ignored listOutlets"]);
  });
});

it("rows of another organisation are detected by their providerId", async () => {
  const providerId = "0a8f6f0e-5f0b-4c6e-9d0e-1b2c3d4e5f60";
  const faults = spoilList("listOutlets", ([first, ...rest]) => [{ ...first, providerId }, ...rest]);
  expect(codesOf((await run({ faults, options })).verification)).toEqual(["tenant_shared listOutlets"]);
  const own: Faults = {
    after: (reply, { operation }, sandbox) =>
      operation === "listOutlets" && reply.status === 200
        ? jsonReply(
            200,
            sandbox.outlets.map((each) => ({ ...each, providerId: sandbox.providerId })),
          )
        : undefined,
  };
  expect(codesOf((await run({ faults: own, options })).verification)).toEqual([]);
});

describe("two organisations", () => {
  let other = { providerId: "", token: "" };
  const prepare: Setup["prepare"] = (sandbox) => {
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

  it.each(dialects)("are isolated: %s", async (_, dialect) => {
    const { verification } = await run({ dialect, options, prepare });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toEqual([]);
    expect(codesOf(verification, "skipped")).not.toContain("skipped_not_prepared provider");
  });

  it.each(["getShift", "listOutlets", "findCandidates", "getCandidateRegistry"])(
    "are reported when they see each other's data: %s",
    async (operation) => {
      const faults = asOwn(
        (call) => call.operation === operation && isOthers(call) && call.url.includes(other.providerId),
      );
      const { verification } = await run({ faults, options, prepare });
      expect(codesOf(verification)).toEqual([`tenant_shared ${operation}`]);
    },
  );

  it.each(["updateShift", "assignCandidate", "unassignCandidate", "deleteAssignment", "cancelShift"])(
    "are reported when they change each other's shifts: %s",
    async (operation) => {
      const asOther = (call: Call) => call.operation === operation && isOthers(call);
      const faults = asOwn((call) => asOther(call) && call.url.includes(other.providerId));
      const { verification, sandbox } = await run({ faults, options, prepare });
      expect(codesOf(verification)).toEqual([`tenant_shared ${operation}`]);
      expect(sandbox.shifts[0]).toMatchObject({ positions: 2, assigned: new Map() });
      const withToken = asOwn((call) => asOther(call) && !call.url.includes(other.providerId));
      expect(codesOf((await run({ faults: withToken, options, prepare })).verification)).toEqual([
        `tenant_shared ${operation}`,
      ]);
    },
  );

  it("are not reported for an acknowledged change without effect", async () => {
    const faults: Faults = {
      before: (call) =>
        call.operation === "updateShift" && isOthers(call)
          ? { status: 204, headers: {}, body: "" }
          : undefined,
    };
    const { verification } = await run({ faults, options, prepare });
    expect(codesOf(verification)).toEqual([]);
  });

  it("are reported when one's token gives access to the other", async () => {
    const isRoles = ({ operation }: Call) => operation === "listRoles";
    const asOther = asOwn((call) => isRoles(call) && isOthers(call) && !call.url.includes(other.providerId));
    expect(codesOf((await run({ faults: asOther, options, prepare })).verification)).toEqual([
      "tenant_shared listRoles",
    ]);
    const asOwner = asOwn((call) => isRoles(call) && !isOthers(call) && call.url.includes(other.providerId));
    expect(codesOf((await run({ faults: asOwner, options, prepare })).verification)).toEqual([
      "tenant_shared listRoles",
    ]);
  });

  it("may use the same sequential ids", async () => {
    const faults = spoilList("listOutlets", (list) => list.map((each, at) => ({ ...each, id: `${at + 1}` })));
    const { verification } = await run({ faults, options, prepare });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_not_visible listOutlets");
  });

  it("are not compared when the other is not served", async () => {
    const { verification } = await run({
      options: { ...options, other: { providerId: other.providerId, token: "x" } },
    });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_after_failure provider");
  });
});
