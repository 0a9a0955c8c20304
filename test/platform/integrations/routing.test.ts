import { afterEach, describe, expect, it } from "vitest";
import { issueText } from "../../../src/contract/operator-text.ts";
import { type SandboxOptions, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { engines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";
import {
  mapAll,
  orderOf,
  paramsOf,
  type Responder,
  read,
  startNothing,
  startResponder,
  startRewriting,
} from "../../harness/responders.ts";

describe.each(engines)("the routing of a registration, on %s", (engine) => {
  const harness = useHarness(engine);
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  const open = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const one = await opening;
    opened.push(one);
    return one;
  };
  const sandbox = (options?: SandboxOptions) => open(startSandbox(options));
  const responder = (...args: Parameters<typeof startResponder>) => open(startResponder(...args));
  const register = async (of: Parameters<typeof orderOf>[0], routing?: "auto" | "path" | "header") =>
    ok(
      await harness().operations.createIntegration({ body: { ...orderOf(of), ...(routing && { routing }) } }),
    );
  const issuesOf = async ({ providerId }: { providerId: string }) =>
    ok(await harness().operations.listIssues({ params: { query: { providerId } } })).items;

  it.each(["path", "header"] as const)("is detected as %s and remembered", async (routing) => {
    const provider = await sandbox({ dialect: { routing } });
    const known = { routing, routingSource: "detected", routingAttempts: [] };
    expect(await register(provider)).toMatchObject(known);
    expect(await read(harness().operations, provider)).toMatchObject(known);
    const { outlets } = ok(await harness().operations.discoverIntegration(paramsOf(provider)));
    expect(outlets).toHaveLength(provider.outlets.length);
    expect(await issuesOf(provider)).toEqual([]);
  });

  it("is detected for `auto`, and otherwise used as given, without a call", async () => {
    const header = await sandbox({ dialect: { routing: "header" } });
    expect(await register(header, "auto")).toMatchObject({ routing: "header", routingSource: "detected" });
    const silent = await responder(() => 500);
    expect(await register(silent, "header")).toMatchObject({ routing: "header", routingSource: "given" });
    expect(silent.calls).toEqual([]);
  });

  it("is the path prefix when the provider answers both ways", async () => {
    const provider = await sandbox({ dialect: { routing: "path" } });
    const both = await open(startRewriting(provider.url, provider.providerId));
    expect(await register({ ...provider, url: both.url })).toMatchObject({ routing: "path" });
  });

  it("stays unknown when one routing is refused and the other does not exist, and each call is named", async () => {
    const provider = await responder((path) => (path.startsWith("/providers/") ? 404 : 401));
    const { routingSource, routingAttempts, ...rest } = await register(provider);
    const { url, providerId } = provider;
    const byPath = `${url}/providers/${providerId}/outlets`;
    expect(routingSource).toBe("pending");
    expect(rest).toMatchObject({ state: "draft", platformToken: expect.stringMatching(/^spp_/) });
    expect(rest).not.toHaveProperty("routing");
    expect(routingAttempts).toEqual([
      { routing: "path", url: byPath, status: 404 },
      { routing: "header", url: `${url}/outlets`, status: 401 },
    ]);
    const text = `tried by path: GET ${byPath} returned 404; tried by headers: GET ${url}/outlets returned 401`;

    const { error } = await harness().operations.discoverIntegration(paramsOf(provider));
    expect(error).toMatchObject({ code: "provider_unavailable", detail: expect.stringContaining(text) });
    const activation = await harness().operations.activateIntegration(paramsOf(provider));
    expect(activation.error).toMatchObject({ code: "not_ready" });
    expect(activation.error?.errors?.[0]).toEqual({
      pointer: "/routing",
      message: expect.stringContaining(text),
    });
    const [issue, ...others] = await issuesOf(provider);
    expect(others).toEqual([]);
    expect(issue).toMatchObject({ code: "provider_check_failed", params: { routingAttempts } });
    expect(issue && issueText(issue).detail).toContain(text);
    expect(JSON.stringify([error, activation.error, issue])).not.toContain(provider.token);
  });

  it("names a redirect, which is not followed", async () => {
    const target = await sandbox();
    const provider = await responder(() => 302, {
      location: `${target.url}/providers/${target.providerId}/outlets`,
    });
    const { routingAttempts } = await register({ ...provider, token: target.token });
    expect(routingAttempts).toMatchObject([
      { routing: "path", failure: "redirected", status: 302 },
      { routing: "header", failure: "redirected", status: 302 },
    ]);
    const { error } = await harness().operations.activateIntegration(paramsOf(provider));
    expect(error?.errors?.[0]?.message).toContain("(redirect not followed, HTTP 302)");
  });

  it("is detected by the activation when the provider was down at the registration", async () => {
    const provider = await sandbox({ dialect: { routing: "header" } });
    await provider.close();
    const { routingAttempts } = await register(provider);
    expect(routingAttempts).toMatchObject([
      { failure: "connection_failed", providerCode: "ECONNREFUSED" },
      { failure: "connection_failed", providerCode: "ECONNREFUSED" },
    ]);
    const refused = await harness().operations.activateIntegration(paramsOf(provider));
    expect(refused.error?.errors?.map(({ pointer }) => pointer)).toEqual(["/routing", "/outlets", "/roles"]);

    const { port, providerId, token } = provider;
    await sandbox({ port, providerId, token, dialect: { routing: "header" } });
    const activation = await harness().operations.activateIntegration(paramsOf(provider));
    expect(activation.error?.errors?.map(({ pointer }) => pointer)).toEqual(["/outlets", "/roles"]);
    expect(await read(harness().operations, provider)).toMatchObject({
      routing: "header",
      routingSource: "detected",
      routingAttempts: [],
    });
    expect(await issuesOf(provider)).toEqual([]);
  });

  it.each(["discoverIntegration", "importRegistry", "verifyIntegration"] as const)(
    "is detected by %s",
    async (operation) => {
      const provider = await sandbox({ dialect: { routing: "header" } });
      await provider.close();
      await register(provider);
      const { port, providerId, token } = provider;
      await sandbox({ port, providerId, token, dialect: { routing: "header" } });
      expect((await harness().operations[operation](paramsOf(provider))).response.status).toBeLessThan(300);
      expect(await read(harness().operations, provider)).toMatchObject({ routing: "header" });
    },
  );

  it("is detected with the provider's token once that is right", async () => {
    const provider = await sandbox({ dialect: { routing: "header" } });
    expect(await register({ ...provider, token: "not-its-token" })).toMatchObject({
      routingSource: "pending",
    });
    const body = { direction: "provider", providerToken: provider.token } as const;
    const { data } = await harness().operations.rotateToken({ ...paramsOf(provider), body });
    expect(data).toMatchObject({ routing: "header", routingSource: "detected" });
    expect(await issuesOf(provider)).toEqual([]);
  });

  it("is never used while it is unknown: only the detection calls the provider", async () => {
    const provider = await responder((path) => (path.endsWith("/outlets") ? 404 : 500));
    const { platformToken } = await register(provider);
    const headers = { Authorization: `Bearer ${platformToken}`, "Content-Type": "application/json" };
    const { providerId } = provider;
    const event = {
      event: "shift.create",
      providerId,
      content: { shiftId: crypto.randomUUID() },
      traceId: crypto.randomUUID(),
    };
    const { url } = harness().platform;
    const sent = { method: "POST", headers, body: JSON.stringify(event) };
    expect((await fetch(`${url}/webhooks/scheduling-provider`, sent)).status).toBe(200);
    await harness().operations.importRegistry(paramsOf(provider));
    await harness().operations.verifyIntegration(paramsOf(provider));
    await harness().operations.activateIntegration(paramsOf(provider));
    await harness().platform.idle();
    expect(new Set(provider.calls)).toEqual(
      new Set([`GET /providers/${providerId}/outlets`, "GET /outlets"]),
    );
  });

  it("names the given routing when a later call is refused", async () => {
    const provider = await sandbox({ dialect: { routing: "path" } });
    await register(provider, "header");
    const { error } = await harness().operations.discoverIntegration(paramsOf(provider));
    expect(error?.detail).toContain(`tried by headers: GET ${provider.url}/outlets returned 404`);
    const { data } = await harness().operations.changeIntegration({
      ...paramsOf(provider),
      body: { routing: "auto" },
    });
    expect(data).toMatchObject({ routing: "path", routingSource: "detected" });
    await mapAll(harness().operations, provider);
    expect(ok(await harness().operations.activateIntegration(paramsOf(provider))).state).toBe("active");
  });

  it("stays unknown at an address where nothing listens, and the registration is stored", async () => {
    const provider: Responder = await startNothing();
    expect(await register(provider)).toMatchObject({ state: "draft", routingSource: "pending" });
    expect(await read(harness().operations, provider)).toMatchObject({ routingSource: "pending" });
  });
});
