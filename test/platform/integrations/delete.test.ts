import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { engines } from "../../harness/engines.ts";
import { mappingsOf, ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";
import { mapAll, orderOf, paramsOf } from "../../harness/responders.ts";

const ROUNDS = 6;

describe.each(engines)("a draft is deleted, on %s", (engine) => {
  const harness = useHarness(engine);
  const opened: Sandbox[] = [];
  afterEach(async () => {
    await harness().platform.idle();
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  const sandbox = async () => {
    const one = await startSandbox();
    opened.push(one);
    return one;
  };
  const register = async (of: Sandbox) => {
    const body = { ...orderOf(of), kind: "sandbox" };
    return ok(await harness().operations.createIntegration({ body })).platformToken;
  };
  const remove = (of: { providerId: string }) => harness().operations.deleteIntegration(paramsOf(of));
  const send = (token: string, providerId: string) =>
    fetch(`${harness().platform.url}/webhooks/scheduling-provider`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        event: "shift.create",
        providerId,
        content: { shiftId: randomUUID() },
        traceId: randomUUID(),
      }),
    });

  it("with everything that belongs to it, and its providerId may be registered again", async () => {
    const provider = await sandbox();
    const { providerId } = provider;
    const token = await register(provider);
    await mapAll(harness().operations, provider);
    const imported = ok(await harness().operations.importRegistry(paramsOf(provider)));
    expect((await send(token, providerId)).status).toBe(200);
    provider.setFault("token-rejected");
    ok(await harness().operations.changeIntegration({ ...paramsOf(provider), body: { routing: "auto" } }));
    provider.clearFaults();

    expect((await remove(provider)).response.status).toBe(204);
    expect((await harness().operations.getIntegration(paramsOf(provider))).error).toMatchObject({
      code: "provider_not_found",
    });
    const query = { params: { query: { providerId } } };
    expect(ok(await harness().operations.listEvents(query)).items).toEqual([]);
    expect(ok(await harness().operations.listIssues(query)).items).toEqual([]);
    expect((await send(token, providerId)).status).toBe(401);
    const { items } = ok(await harness().operations.listCandidates({ params: { query: {} } }));
    expect(imported.imported).toBeGreaterThan(0);
    expect(items.filter(({ shared }) => !shared)).toEqual([]);

    const another = await register(provider);
    expect((await send(another, providerId)).status).toBe(200);
    expect(await mappingsOf(harness().operations, provider)).toEqual({
      outlets: [],
      roles: [],
    });
    ok(await harness().operations.importRegistry(paramsOf(provider)));
  });

  it("but not after its activation", async () => {
    const { provider, params } = await harness().onboard({ connect: false });
    for (const state of ["active", "suspended"]) {
      expect((await remove(provider)).error).toMatchObject({
        code: "integration_not_draft",
        status: 409,
        detail: expect.stringContaining(state),
      });
      ok(await harness().operations.suspendIntegration({ params }));
    }
    ok(await harness().operations.getIntegration({ params }));
  });

  it("once: the second deletion is a 404", async () => {
    const provider = await sandbox();
    await register(provider);
    const answers = await Promise.all([remove(provider), remove(provider)]);
    expect(answers.map(({ response }) => response.status).sort()).toEqual([204, 404]);
  });

  it("or activated, when both are requested at once", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const provider = await sandbox();
      await register(provider);
      await mapAll(harness().operations, provider);
      const [deleted, activated] = await Promise.all([
        remove(provider),
        harness().operations.activateIntegration(paramsOf(provider)),
      ]);
      const outcome = [deleted.response.status, activated.response.status];
      expect([
        [204, 404],
        // The deletion was requested, and is still forgetting people.
        [204, 409],
        [409, 200],
      ]).toContainEqual(outcome);
    }
  });

  it("while its provider is read: the reading stores nothing", async () => {
    const provider = await sandbox();
    await register(provider);
    const [read, imported, deleted] = await Promise.all([
      harness().operations.discoverIntegration(paramsOf(provider)),
      harness().operations.importRegistry(paramsOf(provider)),
      remove(provider),
    ]);
    expect(deleted.response.status).toBe(204);
    for (const { response } of [read, imported]) expect([200, 404]).toContain(response.status);
  });
});
