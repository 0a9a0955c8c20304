import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import type { IntegrationChange } from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS } from "../../../src/contract/timestamp.ts";
import type { CheckTarget } from "../../../src/platform/deps.ts";
import { type SandboxOptions, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { engines } from "../../harness/engines.ts";
import { mappingsOf, ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";
import { mapAll, orderOf, paramsOf, read, startNothing, startResponder } from "../../harness/responders.ts";

const ROUNDS = 8;

describe("corrections and deletions are logged", () => {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
  const harness = useHarness("postgres", { log });

  it("with the names of what was changed, and without the token", async () => {
    const provider = await startSandbox();
    const { operations } = harness();
    ok(await operations.createIntegration({ body: orderOf(provider) }));
    const body = { name: "Kajens kök", providerToken: "another-provider-token" };
    ok(await operations.changeIntegration({ ...paramsOf(provider), body }));
    await operations.deleteIntegration(paramsOf(provider));
    await provider.close();
    const logged = (msg: string) =>
      lines.map((line) => JSON.parse(line)).filter((entry) => entry.msg === msg);
    const { providerId } = provider;
    expect(logged("an integration was changed")).toMatchObject([
      { providerId, changed: ["name", "providerToken"] },
    ]);
    expect(logged("a draft was deleted")).toMatchObject([{ providerId }]);
    expect(lines.join("")).not.toContain(body.providerToken);
  });
});

describe.each(engines)("a registration is corrected, on %s", (engine) => {
  const checks: CheckTarget[] = [];
  let skewMs = 0;
  const harness = useHarness(engine, {
    timing: { hourlyMs: 100 },
    now: () => new Date(Date.now() + skewMs),
    checkProvider: async (target) => {
      checks.push(target);
      return [];
    },
  });
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    skewMs = 0;
    await harness().platform.idle();
    checks.length = 0;
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  const open = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const one = await opening;
    opened.push(one);
    return one;
  };
  const sandbox = (options?: SandboxOptions) => open(startSandbox(options));
  const register = async (of: Parameters<typeof orderOf>[0], rest: object = {}) =>
    ok(await harness().operations.createIntegration({ body: { ...orderOf(of), ...rest } }));
  const change = (of: { providerId: string }, body: IntegrationChange) =>
    harness().operations.changeIntegration({ ...paramsOf(of), body });
  const activate = (of: { providerId: string }) => harness().operations.activateIntegration(paramsOf(of));

  it("in a draft: everything, and then it is activated", async () => {
    const provider = await sandbox({ dialect: { routing: "header" } });
    const nothing = await startNothing();
    const { platformToken } = await register(provider, {
      baseUrl: nothing.url,
      kind: "wrong",
      name: "Wrong",
    });
    const body = {
      kind: "sandbox",
      name: "Kajen",
      baseUrl: provider.url,
      timeZone: "Europe/Helsinki",
      providerToken: provider.token,
    };
    const changed = ok(await change(provider, body));
    const { providerToken: _sealed, ...shown } = body;
    expect(changed).toMatchObject({ ...shown, state: "draft", routing: "header", routingSource: "detected" });
    await mapAll(harness().operations, provider);
    expect(ok(await activate(provider))).toMatchObject({ ...shown, state: "active" });
    provider.connectPlatform({ url: harness().platform.url, token: platformToken, kind: "sandbox" });
    const { traceId } = provider.createShift();
    expect(await provider.delivered(traceId)).toMatchObject({ delivered: true });
  });

  it("in a draft: fields that are not given stay", async () => {
    const provider = await sandbox();
    await register(provider);
    const before = await read(harness().operations, provider);
    ok(await change(provider, { name: "Kajens kök" }));
    expect(await read(harness().operations, provider)).toEqual({ ...before, name: "Kajens kök" });
  });

  it("in a draft: a new base URL makes a detected routing unknown, and removes unmapped outlets and roles", async () => {
    const wrong = await sandbox({ dialect: { routing: "path" } });
    await register(wrong);
    ok(await harness().operations.discoverIntegration(paramsOf(wrong)));
    const nothing = await startNothing();
    const moved = ok(await change(wrong, { baseUrl: nothing.url, providerToken: wrong.token }));
    expect(moved).toMatchObject({ state: "draft", routingSource: "pending", baseUrl: nothing.url });
    expect(moved.routingAttempts.map(({ routing }) => routing)).toEqual(["path", "header"]);
    expect(await mappingsOf(harness().operations, wrong)).toEqual({ outlets: [], roles: [] });
    const { providerId, token } = wrong;
    const right = await sandbox({ providerId, token, dialect: { routing: "header" } });
    expect(ok(await change(wrong, { baseUrl: right.url, providerToken: token }))).toMatchObject({
      routing: "header",
      routingSource: "detected",
      routingAttempts: [],
    });
  });

  it("in a draft: a given routing is kept until another one is given", async () => {
    const provider = await sandbox({ dialect: { routing: "path" } });
    await register(provider, { routing: "header", baseUrl: "http://127.0.0.1:9" });
    const { url: baseUrl, token: providerToken } = provider;
    expect(ok(await change(provider, { baseUrl, providerToken }))).toMatchObject({
      routing: "header",
      routingSource: "given",
    });
    expect(ok(await change(provider, { routing: "path" }))).toMatchObject({ routing: "path" });
    ok(await harness().operations.discoverIntegration(paramsOf(provider)));
  });

  it.each(["draft", "active"] as const)(
    "in a %s: another origin needs the token again, and the stored one is not sent there",
    async (state) => {
      const other = await open(startResponder(() => 200));
      const { provider } = await harness().onboard({ connect: false, activate: state === "active" });
      const { error, response } = await change(provider, { baseUrl: `${other.url}/api` });
      expect(response.status).toBe(400);
      expect(error).toMatchObject({ code: "validation_failed", errors: [{ pointer: "/providerToken" }] });
      expect(other.calls).toEqual([]);
      expect((await read(harness().operations, provider)).baseUrl).toBe(provider.url);
    },
  );

  it("in a draft: another path at the same origin keeps the token", async () => {
    const provider = await sandbox();
    await register(provider);
    expect(ok(await change(provider, { baseUrl: `${provider.url}/api` })).baseUrl).toBe(
      `${provider.url}/api`,
    );
  });

  it("after the activation: only to values that work, and then it is checked", async () => {
    const { provider, trySend, findJob, processed } = await harness().onboard({
      connect: false,
      dialect: { routing: "path" },
    });
    await harness().platform.idle();
    checks.length = 0;
    const before = await read(harness().operations, provider);
    const nothing = await startNothing();
    const refused = await change(provider, {
      baseUrl: nothing.url,
      providerToken: provider.token,
      name: "Elsewhere",
    });
    expect(refused.error).toMatchObject({ code: "provider_unavailable" });
    const call = (way: string, path: string) =>
      `tried by ${way}: GET ${nothing.url}${path}/outlets had no usable`;
    expect(refused.error?.detail).toContain(call("path", `/providers/${provider.providerId}`));
    expect(refused.error?.detail).toContain(call("headers", ""));
    expect(await read(harness().operations, provider)).toMatchObject({
      name: before.name,
      baseUrl: before.baseUrl,
      routing: "path",
      routingSource: "detected",
    });
    const wrongToken = await change(provider, { providerToken: "not-its-token" });
    expect(wrongToken.error).toMatchObject({ code: "provider_unavailable" });

    const { providerId, token } = provider;
    const moved = await sandbox({ providerId, token: `${token}-new`, dialect: { routing: "header" } });
    const body = { baseUrl: moved.url, providerToken: moved.token, name: "Elsewhere" };
    expect(ok(await change(provider, body))).toMatchObject({
      state: "active",
      baseUrl: moved.url,
      routing: "header",
      routingSource: "detected",
      name: "Elsewhere",
    });
    const { shiftId } = moved.createShift();
    await trySend(shiftId);
    await processed();
    expect(await findJob(shiftId)).toBeDefined();
    await harness().platform.idle();
    expect(checks).toMatchObject([{ baseUrl: moved.url, routing: "header", token: moved.token }]);
  });

  it("after the activation: work that waited for the right address is resumed", async () => {
    const { provider, trySend, processed, findJob } = await harness().onboard({ connect: false });
    const { providerId, token } = provider;
    const elsewhere = await sandbox({ providerId, token });
    const { shiftId } = elsewhere.createShift();
    await provider.close();
    await trySend(shiftId);
    await expect
      .poll(async () => (await read(harness().operations, provider)).health.code)
      .toBe("unreachable");
    ok(await change(provider, { baseUrl: elsewhere.url, providerToken: token }));
    await processed();
    expect(await findJob(shiftId)).toBeDefined();
    await expect.poll(async () => (await read(harness().operations, provider)).health.code).toBe("reachable");
  });

  it("after the activation: webhooks are accepted on the path of the new kind, and for 30 days on the former one", async () => {
    const { platform } = harness();
    const { provider, platformToken } = await harness().onboard({ connect: false });
    const status = async (kind: string) => {
      const content = { shiftId: randomUUID() };
      const event = {
        event: "shift.update",
        providerId: provider.providerId,
        content,
        traceId: randomUUID(),
      };
      const headers = { Authorization: `Bearer ${platformToken}`, "Content-Type": "application/json" };
      const url = `${platform.url}/api/v3/integrations/${kind}/webhook`;
      return (await fetch(url, { method: "POST", headers, body: JSON.stringify(event) })).status;
    };
    expect(ok(await change(provider, { kind: "other" }))).toMatchObject({ kind: "other", state: "active" });
    expect([await status("sandbox"), await status("other"), await status("third")]).toEqual([200, 200, 404]);
    skewMs = 31 * DAY_MS;
    expect([await status("sandbox"), await status("other")]).toEqual([404, 200]);
  });

  it("after the activation: times without an offset are read again in the new time zone", async () => {
    const { provider, trySend, processed, findJob } = await harness().onboard({ connect: false });
    provider.setFault("time-without-offset");
    const { shiftId } = provider.createShift();
    await trySend(shiftId);
    await processed();
    const before = Date.parse((await findJob(shiftId))?.startTime ?? "");
    ok(await change(provider, { timeZone: "Europe/Helsinki" }));
    await expect
      .poll(async () => before - Date.parse((await findJob(shiftId))?.startTime ?? ""))
      .toBe(HOUR_MS);
  });

  it("and activated at the same time: it is active only with values that work", async () => {
    const wrong = await open(startResponder(() => 404));
    for (let round = 0; round < ROUNDS; round += 1) {
      const provider = await sandbox({ dialect: { routing: "path" } });
      await register(provider);
      await mapAll(harness().operations, provider);
      const [changed, activated] = await Promise.all([
        change(provider, { baseUrl: wrong.url, providerToken: provider.token }),
        activate(provider),
      ]);
      const { state, baseUrl, routingSource } = await read(harness().operations, provider);
      expect([
        ["not_ready", undefined, "draft", wrong.url, "pending"],
        [undefined, "provider_unavailable", "active", provider.url, "detected"],
      ]).toContainEqual([activated.error?.code, changed.error?.code, state, baseUrl, routingSource]);
      if (state === "active") continue;
      ok(await change(provider, { baseUrl: provider.url, providerToken: provider.token }));
      expect(ok(await activate(provider))).toMatchObject({ state: "active", baseUrl: provider.url });
    }
  });

  it("by two operators at once: both changes are kept", async () => {
    const provider = await sandbox();
    await register(provider);
    const answers = await Promise.all([
      change(provider, { name: "One name" }),
      change(provider, { kind: "other" }),
      change(provider, { timeZone: "Europe/Helsinki" }),
    ]);
    for (const answer of answers) ok(answer);
    expect(await read(harness().operations, provider)).toMatchObject({
      name: "One name",
      kind: "other",
      timeZone: "Europe/Helsinki",
    });
  });

  it("but not without a change, and not for an unknown providerId", async () => {
    const provider = await sandbox();
    const { response } = await change(provider, {});
    expect(response.status).toBe(400);
    expect((await change(provider, { name: "No one" })).error).toMatchObject({ code: "provider_not_found" });
  });
});
