import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type {
  Integration,
  IntegrationCreated,
  Mappings,
  Workplace,
} from "../../../generated/operations/types.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { discover, expectBody, register } from "../../harness/draft.ts";
import { featureEngines } from "../../harness/engines.ts";
import { expectProblem, pointersOf } from "../../harness/http.ts";
import { shiftEvent, useTenants } from "../../harness/tenants.ts";

describe.each(featureEngines)("onboarding, on %s", (engine) => {
  const harness = useTenants(engine);
  let provider: Sandbox;

  beforeEach(async () => {
    provider = await startSandbox();
    return () => provider.close();
  });

  const integration = (path = "") => `/integrations/${provider.providerId}${path}`;

  it("leads from a draft to an active organisation", async () => {
    await register(harness(), provider);
    const draft = await expectBody<Integration>(harness(), "GET", integration());
    const { providerId, url: baseUrl } = provider;
    expect(draft).toMatchObject({
      providerId,
      baseUrl,
      kind: "sandbox",
      name: "Restauranggruppen",
      state: "draft",
      routing: "path",
      timeZone: "Europe/Stockholm",
      dialect: {},
    });

    const nothing = expectProblem(await harness().operate("POST", integration("/activate")), "not_ready");
    expect(pointersOf(nothing)).toEqual(["/outlets", "/roles"]);

    const [first, ...others] = provider.outlets;
    if (!first) throw new Error("not seeded");
    const place = await expectBody<Workplace>(harness(), "POST", "/workplaces", {
      name: first.name.toUpperCase(),
    });
    const found = await discover(harness(), provider);
    expect(found.outlets).toHaveLength(provider.outlets.length);
    expect(found.outlets[0]).toEqual({
      outletId: first.id,
      name: first.name,
      address: first.address,
      workplaceId: place.workplaceId,
      suggestions: [],
    });
    const missing = expectProblem(await harness().operate("POST", integration("/activate")), "not_ready");
    expect(pointersOf(missing)).toEqual(
      expect.arrayContaining([
        ...others.map(({ id }) => `/outlets/${id}`),
        ...provider.roles.map(({ id }) => `/roles/${id}`),
      ]),
    );
    expect(missing).toHaveLength(others.length + provider.roles.length);

    const rest = others.map(({ id }) => ({ outletId: id, workplaceId: place.workplaceId }));
    const competence = { name: "Everything" };
    const { competenceId } = await expectBody<{ competenceId: string }>(
      harness(),
      "POST",
      "/competences",
      competence,
    );
    const roles = provider.roles.map(({ id }) => ({ roleId: id, competenceId }));
    const mapped = await expectBody<Mappings>(harness(), "PUT", integration("/mappings"), {
      outlets: rest,
      roles,
    });
    expect(mapped.outlets).toHaveLength(provider.outlets.length);
    expect(mapped.roles).toHaveLength(provider.roles.length);

    const active = await expectBody<Integration>(harness(), "POST", integration("/activate"));
    expect(active.state).toBe("active");
    expect(await expectBody<Integration>(harness(), "POST", integration("/activate"))).toEqual(active);
  });

  it("keeps an operator's mappings when it discovers again", async () => {
    await register(harness(), provider);
    const name = `Only ${randomUUID()}`;
    const { workplaceId } = await expectBody<Workplace>(harness(), "POST", "/workplaces", { name });
    await discover(harness(), provider);
    const outletId = provider.outlets[1]?.id ?? "";
    const mappings = { outlets: [{ outletId, workplaceId: workplaceId.toUpperCase() }], roles: [] };
    await expectBody(harness(), "PUT", integration("/mappings"), mappings);
    const again = await discover(harness(), provider);
    expect(again.outlets.find((outlet) => outlet.outletId === outletId)?.workplaceId).toBe(workplaceId);
  });

  it("does not map similar names", async () => {
    await register(harness(), provider);
    await expectBody(harness(), "POST", "/competences", { name: "Warehouse workers" });
    const { roles } = await discover(harness(), provider);
    const role = roles.find((each) => each.name === "Warehouse worker");
    expect(role).not.toHaveProperty("competenceId");
    expect(role?.suggestions).toEqual([]);
  });

  it("maps nothing when one id is unknown", async () => {
    await register(harness(), provider);
    await discover(harness(), provider);
    const { workplaceId } = await expectBody<Workplace>(harness(), "POST", "/workplaces", {
      name: "Somewhere",
    });
    const before = await expectBody<Mappings>(harness(), "PUT", integration("/mappings"), {
      outlets: [],
      roles: [],
    });
    const [outlet] = provider.outlets;
    const wrong = {
      outlets: [
        { outletId: provider.outlets[2]?.id, workplaceId },
        { outletId: "not-an-outlet", workplaceId },
        { outletId: outlet?.id, workplaceId: randomUUID() },
      ],
      roles: [{ roleId: "not-a-role", competenceId: randomUUID() }],
    };
    const faults = expectProblem(
      await harness().operate("PUT", integration("/mappings"), wrong),
      "validation_failed",
    );
    expect(pointersOf(faults)).toEqual([
      "/outlets/1/outletId",
      "/outlets/2/workplaceId",
      "/roles/0/competenceId",
    ]);
    expect(await expectBody(harness(), "PUT", integration("/mappings"), { outlets: [], roles: [] })).toEqual(
      before,
    );
  });

  it("registers a providerId once, in whatever case, and leaves the first registration unchanged", async () => {
    const token = await register(harness(), provider);
    const before = await expectBody(harness(), "GET", integration());
    for (const providerId of [provider.providerId, provider.providerId.toUpperCase()]) {
      const order = {
        kind: "other",
        name: "Other",
        baseUrl: "http://127.0.0.1:9",
        providerToken: "another-token",
      };
      const answer = await harness().operate("POST", "/integrations", { providerId, ...order });
      expectProblem(answer, "integration_exists");
      expect(answer.text).not.toContain("spp_");
    }
    expect(await expectBody(harness(), "GET", integration())).toEqual(before);
    const path = "/api/v3/integrations/sandbox/webhook";
    const sending = {
      method: "POST",
      authorization: `Bearer ${token}`,
      body: shiftEvent(provider.providerId),
    };
    expect((await harness().send(path, sending)).status).toBe(200);
  });

  it("returns a providerId in the form in which it is stored", async () => {
    const order = {
      kind: "tempo",
      name: "Kajen",
      baseUrl: "http://127.0.0.1:9",
      routing: "header",
      providerToken: "provider-token",
    };
    const providerId = randomUUID();
    const sent = { ...order, providerId: providerId.toUpperCase() };
    const created = await expectBody<IntegrationCreated>(harness(), "POST", "/integrations", sent);
    expect(created).toEqual({
      providerId,
      state: "draft",
      routing: "header",
      routingSource: "given",
      routingAttempts: [],
      platformToken: expect.stringMatching(/^spp_.{43}$/),
    });
  });

  it("stores events before the activation and processes them after it", async () => {
    await register(harness(), provider);
    const { traceId, shiftId } = provider.createShift();
    expect(await provider.delivered(traceId)).toMatchObject({ delivered: true });
    await harness().platform.idle();
    const waiting = await harness().operate("GET", `/events?traceId=${traceId}`);
    expect(waiting.body).toMatchObject({ items: [{ shiftId, status: "queued", attempts: 0 }] });

    await discover(harness(), provider);
    const name = randomUUID();
    const { workplaceId } = await expectBody<Workplace>(harness(), "POST", "/workplaces", { name });
    const { competenceId } = await expectBody<{ competenceId: string }>(harness(), "POST", "/competences", {
      name,
    });
    await expectBody(harness(), "PUT", integration("/mappings"), {
      outlets: provider.outlets.map(({ id }) => ({ outletId: id, workplaceId })),
      roles: provider.roles.map(({ id }) => ({ roleId: id, competenceId })),
    });
    await expectBody(harness(), "POST", integration("/activate"));
    await harness().platform.idle();
    const done = await harness().operate("GET", `/events?traceId=${traceId}`);
    expect(done.body).toMatchObject({ items: [{ shiftId, status: "processed" }] });
    const jobs = await harness().operate("GET", `/jobs?shiftId=${shiftId}`);
    expect(jobs.body).toMatchObject({ items: [{ shiftId, status: "open", workplaceId, competenceId }] });
  });

  it("returns 502 when the provider's response cannot be read, and discovers once it can", async () => {
    await register(harness(), provider);
    provider.setFault("garbage");
    const answer = await harness().operate("POST", integration("/discover"));
    expectProblem(answer, "provider_unavailable");
    expect(answer.text).not.toContain(provider.token);
    provider.clearFaults();
    expect((await discover(harness(), provider)).outlets).toHaveLength(provider.outlets.length);
  });

  it("returns 502 when the provider is down, or rejects the token", async () => {
    await register(harness(), provider);
    await provider.close();
    expectProblem(await harness().operate("POST", integration("/discover")), "provider_unavailable");

    const stranger = await startSandbox();
    const order = { kind: "sandbox", name: "x", baseUrl: stranger.url, providerToken: "not-its-token" };
    const { providerId } = stranger;
    await expectBody(harness(), "POST", "/integrations", { providerId, ...order });
    const answer = await harness().operate("POST", `/integrations/${providerId}/discover`);
    expectProblem(answer, "provider_unavailable");
    expect(answer.body).toMatchObject({ detail: expect.stringContaining("401") });
    await stranger.close();
  });

  it("omits an outlet whose text cannot be stored, and names it in the result", async () => {
    await register(harness(), provider);
    const [outlet, ...others] = provider.outlets;
    if (outlet) outlet.name = "a\u0000b";
    const discovery = await discover(harness(), provider);
    expect(discovery.outlets.map(({ outletId }) => outletId)).toEqual(others.map(({ id }) => id));
    expect(discovery.faults).toEqual([{ list: "outlets", entry: 1, reason: "name cannot be stored" }]);
  });
});

describe("the address guard at registration", () => {
  const harness = useTenants("pglite", { config: { allowInsecureProviders: false } });
  const order = (baseUrl: string) => ({
    providerId: randomUUID(),
    kind: "tempo",
    name: "Kajen",
    baseUrl,
    providerToken: "provider-token",
  });

  it.each(["https://0x7f.1", "https://user:hunter2@provider.example"])(
    "refuses %s without repeating the address",
    async (baseUrl) => {
      const answer = await harness().operate("POST", "/integrations", order(baseUrl));
      expect(pointersOf(expectProblem(answer, "validation_failed"))).toEqual(["/baseUrl"]);
      expect(answer.text).not.toContain("hunter2");
    },
  );

  it("accepts a public address", async () => {
    const answer = await harness().operate("POST", "/integrations", order("https://provider.example/api/"));
    expect(answer.status).toBe(201);
  });
});
