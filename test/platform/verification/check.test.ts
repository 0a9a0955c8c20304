import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Issue } from "../../../generated/operations/types.ts";
import { createProviderCheck } from "../../../src/cli/check-provider.ts";
import type { CheckProvider, CheckTarget, ProviderFinding } from "../../../src/platform/deps.ts";
import { startPlatform } from "../../../src/platform/main.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { featureEngines, silent } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { configFor, OPERATIONS_TOKEN, useHarness } from "../../harness/platform.ts";
import { startWithTenants } from "../../harness/tenants.ts";

const checkProvider = createProviderCheck();
const UNKNOWN = { path: { providerId: "00000000-0000-4000-8000-000000000000" } };
const FINDING: ProviderFinding = {
  code: "body_missing",
  severity: "error",
  operation: "listRoles",
  title: "A body is missing",
  expected: "a JSON body",
  actual: "an empty body",
  section: "4.2",
  fix: "Answer with the list.",
  reproduce: "curl -i 'https://provider.example/roles'",
};

const subjectOf = ({ subject: { operation, finding } }: Issue) => `${operation}: ${finding}`;

/** Everything that a check could change at the provider. */
const dataOf = ({ shifts, candidates }: Sandbox) => structuredClone({ shifts, candidates });

describe.each(featureEngines)("a provider is checked, on %s", (engine) => {
  let check: CheckProvider = checkProvider;
  const harness = useHarness(engine, { checkProvider: (target) => check(target), timing: { hourlyMs: 100 } });

  const issues = async ({ params }: Organisation) => {
    const query = { providerId: params.path.providerId };
    const { items } = ok(await harness().operations.listIssues({ params: { query } }));
    return items.filter(({ code }) => code.startsWith("provider_check"));
  };
  const subjects = async (of: Organisation) => (await issues(of)).map(subjectOf).sort();
  const ask = async ({ params }: Organisation) =>
    ok(await harness().operations.verifyIntegration({ params }));
  const activate = async ({ params }: Organisation) =>
    ok(await harness().operations.activateIntegration({ params }));

  it("and a check that could not run raises no issue for a registration that was changed meanwhile", async () => {
    const calls = [Promise.withResolvers<ProviderFinding[]>(), Promise.withResolvers<ProviderFinding[]>()];
    const begun = Promise.withResolvers<void>();
    let asked = 0;
    check = () => {
      begun.resolve();
      asked += 1;
      return calls[asked - 1]?.promise ?? Promise.resolve([]);
    };
    const of = await harness().onboard({ connect: false, activate: false });
    await of.activate();
    await begun.promise;
    const { params } = of;
    ok(await harness().operations.changeIntegration({ params, body: { routing: "path" } }));
    calls[0]?.reject(new Error("nothing listens there any more"));
    await expect.poll(() => asked).toBe(2);
    expect(await issues(of)).toEqual([]);
    calls[1]?.resolve([]);
    check = checkProvider;
  });

  it("when it is activated: what is wrong is an issue until it is fixed, and nothing is changed there", async () => {
    check = checkProvider;
    const of = await harness().onboard({ connect: false, activate: false });
    const { provider, trySend } = of;
    await trySend(provider.createShift({ positions: 2 }).shiftId);
    provider.setFault("time-without-offset");
    const before = dataOf(provider);
    const checkedAt = async () => (await of.integration()).checkedAt;
    expect(await checkedAt()).toBeUndefined();
    await activate(of);
    await expect.poll(() => subjects(of)).toContain("getShift: time_without_offset");
    expect(Date.parse((await checkedAt()) ?? "")).not.toBeNaN();
    const isFound = (issue: Issue) => subjectOf(issue) === "getShift: time_without_offset";
    const [issue] = (await issues(of)).filter(isFound);
    expect(issue).toMatchObject({ code: "provider_check", count: 1 });
    const text = expect.any(String);
    const finding = { severity: "error", title: text, section: text, expected: text, actual: text };
    const reproduce = expect.stringMatching(/^curl /);
    expect(issue?.params.findings?.[0]).toEqual({ ...finding, reproduce, fix: text });
    expect(JSON.stringify(issue)).not.toContain(provider.token);
    provider.clearFaults();
    expect(await ask(of)).toEqual({ queued: true });
    await expect.poll(() => subjects(of)).toEqual([]);
    expect(dataOf(provider)).toEqual(before);
  });

  it("as it is registered, through the platform's own connections", async () => {
    const targets: CheckTarget[] = [];
    check = async (target) => {
      targets.push(target);
      const answer = await target.fetch(new Request(`${target.baseUrl}/outlets`));
      return answer.status === 404 ? [] : [FINDING];
    };
    const of = await harness().onboard({ connect: false, dialect: { routing: "path" } });
    await harness().platform.idle();
    const { url: baseUrl, providerId, token } = of.provider;
    const calls = { fetch: expect.any(Function), signal: expect.any(AbortSignal) };
    expect(targets).toEqual([{ baseUrl, providerId, token, routing: "path", ...calls }]);
  });

  it("again, without a second issue for what is still wrong", async () => {
    check = async () => [FINDING, { ...FINDING, actual: "something else" }];
    const of = await harness().onboard({ connect: false });
    await expect.poll(() => subjects(of)).toEqual(["listRoles: body_missing"]);
    const [issue] = await issues(of);
    const actual = issue?.params.findings?.map((finding) => finding.actual);
    expect(actual).toEqual(["an empty body", "something else"]);
    ok(await harness().operations.suspendIntegration({ params: of.params }));
    await activate(of);
    await expect.poll(async () => (await issues(of)).map(({ count }) => count)).toEqual([2]);
    expect((await issues(of))[0]?.issueId).toBe(issue?.issueId);
  });

  it("and a check that cannot run raises an issue, and keeps the earlier findings", async () => {
    check = async () => [FINDING];
    const of = await harness().onboard({ connect: false });
    await expect.poll(() => subjects(of)).toHaveLength(1);
    const { checkedAt } = await of.integration();
    check = () => Promise.reject(new Error("nothing answers at its address"));
    await ask(of);
    await expect
      .poll(async () => (await issues(of)).map(({ code }) => code).sort())
      .toEqual(["provider_check", "provider_check_failed"]);
    const [failed] = (await issues(of)).filter(({ code }) => code === "provider_check_failed");
    expect(failed).toMatchObject({ subject: { kind: "integration" }, params: {} });
    expect(await of.integration()).toMatchObject({ checkedAt });
    of.provider.setFault("reset");
    check = async ({ fetch, baseUrl, providerId }) => {
      await fetch?.(new Request(`${baseUrl}/providers/${providerId}/outlets`)).catch(() => undefined);
      throw new Error("no response from the provider");
    };
    await ask(of);
    await expect
      .poll(async () => (await issues(of)).map(({ params }) => params.failure))
      .toContain("connection_failed");
    of.provider.clearFaults();
    check = async () => [FINDING];
    await ask(of);
    await expect.poll(async () => (await issues(of)).map(({ code }) => code)).toEqual(["provider_check"]);
  });

  it("without naming a person in its issues", async () => {
    const reproduce = "curl -i 'https://provider.example/candidates?personalNumber=18900116-9813'";
    check = async () => [{ ...FINDING, reproduce, actual: "a\0b" }];
    const of = await harness().onboard({ connect: false });
    await expect.poll(() => subjects(of)).toHaveLength(1);
    const [issue] = await issues(of);
    expect(issue?.params.findings).toMatchObject([
      { actual: "a\\0b", reproduce: expect.stringContaining("personalNumber=[personal number]") },
    ]);
  });

  it("after the response to the operator: a slow provider delays no request", async () => {
    const slow = Promise.withResolvers<ProviderFinding[]>();
    check = () => slow.promise;
    const of = await harness().onboard({ connect: false, activate: false });
    await of.activate();
    expect(await issues(of)).toEqual([]);
    slow.resolve([FINDING]);
    await expect.poll(() => subjects(of)).toHaveLength(1);
  });

  it("but an unknown providerId is a 404", async () => {
    const { error } = await harness().operations.verifyIntegration({ params: UNKNOWN });
    expect(error).toMatchObject({ code: "provider_not_found" });
  });
});

describe.each(featureEngines)("a platform that was started without a check, on %s", (engine) => {
  const harness = useHarness(engine);

  it("returns queued: false when a check is requested", async () => {
    const { params } = await harness().onboard({ connect: false });
    expect(ok(await harness().operations.verifyIntegration({ params }))).toEqual({ queued: false });
  });
});

/** The platform waits for the rest of its body. */
async function beginRequest(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  const headers = `Authorization: Bearer ${OPERATIONS_TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 100`;
  socket.write(
    `POST /operations/v1/workplaces HTTP/1.1\r\nHost: x\r\n${headers}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await once(socket, "readable");
  return socket;
}

describe.each(featureEngines)("a check that is under way when the platform stops, on %s", (engine) => {
  it("does not delay the stop, and runs after the next start", async () => {
    const begun = Promise.withResolvers<void>();
    const checkProvider: CheckProvider = () => {
      begun.resolve();
      return new Promise(() => undefined);
    };
    const retries = { baseMs: 5, capMs: 20 };
    const harness = await startWithTenants(engine, { checkProvider, retries });
    try {
      const { providerId } = harness.tenant;
      expect((await harness.operate("POST", `/integrations/${providerId}/verify`)).status).toBe(202);
      await begun.promise;
      const late = await beginRequest(harness.platform.port);
      const closing = harness.platform.close();
      // While a request is under way, the worker goes on: long enough for a check that fails at once to use up its attempts.
      await sleep(500);
      late.destroy();
      await closing;
      const again = { checkProvider: async () => [FINDING], log: silent, retries };
      const next = await startPlatform(configFor(harness.location), again);
      const headers = { Authorization: `Bearer ${OPERATIONS_TOKEN}` };
      const issues = async () => {
        const answer = await fetch(`${next.url}/operations/v1/issues`, { headers });
        return ((await answer.json()) as { items: { code: string }[] }).items.map(({ code }) => code);
      };
      await expect.poll(issues).toEqual(["provider_check"]);
      await next.close();
    } finally {
      await harness.close();
    }
  });
});
