import { describe, expect, it } from "vitest";
import {
  type Call,
  codesOf,
  type Faults,
  jsonReply,
  run,
  type Setup,
} from "../../harness/faulty-provider.ts";
import { spoilList } from "./spoil.ts";

const options = { only: ["tenants"] as const };

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

it("a provider that serves a providerId that is not a UUID fails", async () => {
  const faults = ignores(({ url }) => url.includes("not-a-uuid"));
  const { verification } = await run({ faults, options });
  expect(codesOf(verification)).toEqual(["tenant_ignored provider"]);
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
