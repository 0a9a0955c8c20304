import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { providerStates } from "../../../src/sandbox/provider-states.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { Verification } from "../../../src/verify/events.ts";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import {
  type Call,
  codesOf,
  type Faults,
  jsonReply,
  type Reply,
  run,
} from "../../harness/faulty-provider.ts";
import { untilReset } from "../../harness/http.ts";
import { dialects, hyphenatedOnly } from "./spoil.ts";

const options = { only: ["contracts"] } satisfies Partial<VerifyOptions>;
/** The groups that detect the forms on which interactions depend. */
const whole = {
  only: ["meaning", "registry", "cancellation", "contracts"],
} satisfies Partial<VerifyOptions>;

const does = (text: string) => text.replace(/ \[.*$/, "");
const honoured = ({ passed }: Verification) =>
  passed.filter(({ group }) => group === "contracts").map(({ title }) => does(title));
const broken = ({ findings }: Verification) => findings.filter(({ code }) => code === "contract_broken");
const skipsOf = ({ findings }: Verification) =>
  Object.fromEntries(
    findings
      .filter(({ severity }) => severity === "skipped")
      .map(({ title, actual }) => [does(title), actual]),
  );

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts Pact's callback. It returns 500 for unknown states, and for those that `isKnown` excludes. */
async function callback(sandbox: Sandbox, isKnown = (_: string) => true, printed = ""): Promise<string> {
  const states: Record<string, (parameters?: never) => object> = providerStates(sandbox);
  const listener = untilReset(async (request, response) => {
    const { state, params } = (await json(request)) as { state: string; params: never };
    const values = isKnown(state) ? states[state]?.(params) : undefined;
    response
      .writeHead(values ? 200 : 500, { "Content-Type": "application/json" })
      .end(printed + JSON.stringify(values));
  });
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/states`;
}

/** Replies in place of the sandbox to one operation. */
function answering(
  operation: Call["operation"],
  reply: (call: Call, sandbox: Sandbox) => Reply | undefined,
): Faults {
  return {
    before: (call, sandbox) => (call.operation === operation ? reply(call, sandbox) : undefined),
  };
}

describe("the platform's contract is honoured", () => {
  it.each([...dialects, ["hyphenated only", hyphenatedOnly] as const])(
    "by a correct provider, which is unchanged afterwards: %s",
    async (_, dialect) => {
      const { verification, sandbox, shiftId } = await run({ dialect, options: whole });
      expect(codesOf(verification)).toEqual([]);
      expect(honoured(verification).length).toBeGreaterThanOrEqual(15);
      expect(Object.keys(skipsOf(verification))).toContain("cancels a shift");
      expect(sandbox.shift(shiftId)).toMatchObject({ positions: 2, assigned: new Map() });
    },
  );

  it("on a shift with other candidates, who stay assigned", async () => {
    const assigned = (sandbox: Sandbox) => [...(sandbox.shifts[0]?.assigned.keys() ?? [])];
    let before: string[] = [];
    const { verification, sandbox } = await run({
      options: whole,
      prepare: (made) => {
        const [shift] = made.shifts;
        for (const { id } of made.candidates.slice(0, 2)) shift?.assigned.set(id, shift.createdAt);
        before = assigned(made);
        return { fixtures: { shiftId: shift?.id ?? "" } };
      },
    });
    expect(codesOf(verification)).toEqual([]);
    expect(honoured(verification)).toContain("assigns a candidate to a full shift");
    expect(skipsOf(verification)["replaces the times and positions of a shift"]).toContain("has other");
    expect(assigned(sandbox)).toEqual(before);
  });

  it("in states that the provider sets up", async () => {
    const states = async (sandbox: Sandbox) => ({ statesUrl: await callback(sandbox) });
    const { verification } = await run({ options: whole, prepare: states });
    expect(codesOf(verification)).toEqual([]);
    expect(honoured(verification)).toContain("cancels a shift");
    expect(skipsOf(verification)).not.toHaveProperty("cancels a shift");
  });

  it("in those states that the provider can set up", async () => {
    const knows = (state: string) => state !== "a shift was deleted";
    const states = async (sandbox: Sandbox) => ({ statesUrl: await callback(sandbox, knows) });
    const { verification } = await run({ options: whole, prepare: states });
    expect(codesOf(verification)).toEqual([]);
    expect(skipsOf(verification)["reads a deleted shift"]).toBe(
      '--states-url: status 500 for the state "a shift was deleted"',
    );
  });

  it("not in states whose values come after a message of the runtime", async () => {
    const printed = "<br />\n<b>Warning</b>: Undefined array key\n";
    const states = async (sandbox: Sandbox) => ({ statesUrl: await callback(sandbox, undefined, printed) });
    await expect(run({ options: whole, prepare: states })).rejects.toThrow(
      '--states-url: a body that begins with "Warning: Undefined array key", for the state "a shift exists"',
    );
  });

  it("with GET only in a read-only run", async () => {
    const methods = new Set<string>();
    const faults: Faults = { before: ({ method }) => void methods.add(method) };
    const { verification } = await run({ faults, options: { ...options, readOnly: true } });
    expect([...methods]).toEqual(["GET"]);
    expect(codesOf(verification)).toEqual([]);
    expect(honoured(verification)).toEqual([
      "lists the outlets",
      "lists the roles",
      "reads a shift that is not there",
      "fetches the registry",
      "looks up an unknown candidate under 12 digits",
      "looks up an unknown candidate under the hyphenated form",
    ]);
    expect(codesOf(verification, "skipped")).toContain("skipped_read_only assignCandidate");
  });

  it("after the wait that a 429 requires", async () => {
    const waits: number[] = [];
    let isFirst = true;
    const busy: Reply = { status: 429, headers: { "retry-after": "2" }, body: "" };
    // Sent by the replay alone.
    const faults = answering("getCandidateRegistry", ({ url }) => {
      if (!isFirst || !url.includes("limit=")) return undefined;
      isFirst = false;
      return busy;
    });
    const wait = async (ms: number) => void waits.push(ms);
    const { verification } = await run({ faults, options: { ...options, wait } });
    expect(codesOf(verification)).toEqual([]);
    // The shorter ones are the pace afterwards.
    expect(waits.filter((ms) => ms >= 1_000)).toEqual([2_000]);
  });
});

describe("an allowed difference is not reported:", () => {
  const unknown = ({ url }: Call, { shifts }: Sandbox) => !shifts.some(({ id }) => url.includes(id));
  const CASES: readonly (readonly [string, Faults])[] = [
    [
      "400 for an unknown shift",
      {
        before: (call, sandbox) =>
          call.url.includes("/shifts/") && unknown(call, sandbox) ? jsonReply(400, {}) : undefined,
      },
    ],
    [
      "422 for the hyphenated form",
      answering("findCandidates", ({ url }) => (/=\d{8}-/.test(url) ? jsonReply(422, {}) : undefined)),
    ],
    ["an empty registry", answering("getCandidateRegistry", () => jsonReply(200, { candidates: [] }))],
    [
      "400 for the registry's limit",
      answering("getCandidateRegistry", ({ url }) =>
        url.includes("limit=") ? jsonReply(400, {}) : undefined,
      ),
    ],
    [
      "a list with another JSON media type",
      {
        after: (reply, { operation }) =>
          operation === "listRoles"
            ? { ...reply, headers: { ...reply.headers, "content-type": "application/hal+json" } }
            : undefined,
      },
    ],
    ["409 for every update", answering("updateShift", () => jsonReply(409, {}))],
  ];

  it.each(CASES)("%s", async (_, faults) => {
    const { verification } = await run({
      faults,
      options: { only: ["cancellation", "contracts"] },
    });
    expect(broken(verification)).toEqual([]);
    expect(honoured(verification).length).toBeGreaterThan(5);
  });
});

describe("an interaction that is not honoured", () => {
  it("is reported with its status, a fix and a curl command", async () => {
    const faults = answering("assignCandidate", ({ url }, { shifts }) => {
      const isRepeated = shifts.some(({ assigned }) => [...assigned.keys()].some((id) => url.includes(id)));
      return isRepeated ? jsonReply(409, {}) : undefined;
    });
    const { verification } = await run({ faults, options });
    expect(broken(verification)).toEqual([
      expect.objectContaining({
        severity: "error",
        operation: "assignCandidate",
        expected: expect.stringMatching(/^assigns a candidate again: status 200/),
        actual: "status 409",
        fix: expect.stringMatching(/^Return status 200/),
        reproduce: expect.stringMatching(/^curl -i -X PUT .*\/assign\/.*\$\{?PROVIDER_TOKEN\b/),
      }),
    ]);
  });

  it("is not a second finding for an invalid response, and shows no value of it", async () => {
    const invalid = [{ id: 7, personalNumber: "secret", firstName: "secret" }];
    const faults = answering("listOutlets", () => jsonReply(200, invalid));
    const { verification } = await run({ faults, options });
    expect(broken(verification)).toEqual([]);
    expect(codesOf(verification)).toEqual(["field_missing listOutlets", "field_wrong listOutlets"]);
    expect(skipsOf(verification)["lists the outlets"]).toMatch(/^a consequence of another error: /);
    expect(JSON.stringify(verification.findings)).not.toContain("secret");
  });

  it("is reported with the same texts in a second run", async () => {
    const faults = answering("listOutlets", () => jsonReply(200, {}));
    const one = await run({ faults, options });
    const other = await run({ faults, options });
    const texts = ({ verification }: typeof one) =>
      broken(verification).map(({ expected, actual }) => [expected, actual]);
    expect(texts(one)).toEqual(texts(other));
  });

  it.each([500, 302])("is skipped when the status is %i, which other checks report", async (status) => {
    const faults = answering("listOutlets", () => ({ status, headers: { location: "/" }, body: "" }));
    const { verification } = await run({ faults, options });
    expect(broken(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_after_failure listOutlets");
  });
});
