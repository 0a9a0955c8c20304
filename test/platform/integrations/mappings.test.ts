import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Competence, Discovery, Workplace } from "../../../generated/operations/types.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { featureEngines } from "../../harness/engines.ts";
import { expectProblem } from "../../harness/http.ts";
import { discover, expectBody, register } from "../../harness/onboard.ts";
import { useTenants } from "../../harness/tenants.ts";

describe.each(featureEngines)("the mappings, on %s", (engine) => {
  const harness = useTenants(engine);

  const open = async () => {
    const provider = await startSandbox();
    await register(harness(), provider);
    return { provider, path: `/integrations/${provider.providerId}/mappings` };
  };
  const read = (path: string) => expectBody<Discovery>(harness(), "GET", path);
  const callsTo = async (providerId: string) => {
    const lines = (await harness().metrics()).split("\n");
    const counts = lines.filter(
      (line) => line.startsWith("shiftpact_provider_calls_total{") && line.includes(providerId),
    );
    return counts.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  const byId = ({ outlets, roles }: Discovery) => ({
    outlets: Object.fromEntries(outlets.map((outlet) => [outlet.outletId, outlet])),
    roles: Object.fromEntries(roles.map((role) => [role.roleId, role])),
  });

  it("are empty before the first reading", async () => {
    const { provider, path } = await open();
    expect(await read(path)).toEqual({ outlets: [], roles: [] });
    expect(await callsTo(provider.providerId)).toBe(0);
    await provider.close();
  });

  it("list the outlets and roles of the last reading, with suggestions, without a call", async () => {
    const { provider, path } = await open();
    const similar = await expectBody<Competence>(harness(), "POST", "/competences", {
      name: "Warehouse workers",
    });
    const found = await discover(harness(), provider);
    expect(await callsTo(provider.providerId)).toBe(2);
    expect(byId(await read(path))).toEqual(byId(found));
    const { roles } = await read(path);
    expect(roles.find(({ name }) => name === "Warehouse worker")?.suggestions).toEqual([
      { competenceId: similar.competenceId, name: "Warehouse workers", score: expect.closeTo(0.97, 1) },
    ]);
    await provider.close();
    expect(byId(await read(path))).toEqual(byId(found));
    expect(await callsTo(provider.providerId)).toBe(2);
  });

  it("suggest equal names that were added since, and nothing for mapped entries", async () => {
    const { provider, path } = await open();
    await discover(harness(), provider);
    const [outlet] = provider.outlets;
    const { id: outletId = "", name = "" } = outlet ?? {};
    const place = await expectBody<Workplace>(harness(), "POST", "/workplaces", { name: name.toUpperCase() });
    const suggested = byId(await read(path)).outlets[outletId];
    expect(suggested).not.toHaveProperty("workplaceId");
    expect(suggested?.suggestions).toEqual([
      { workplaceId: place.workplaceId, name: name.toUpperCase(), score: 1 },
    ]);
    const { workplaceId } = place;
    await expectBody(harness(), "PUT", path, { outlets: [{ outletId, workplaceId }], roles: [] });
    expect(byId(await read(path)).outlets[outletId]).toEqual({
      outletId,
      name,
      address: outlet?.address,
      workplaceId,
      suggestions: [],
    });
    await provider.close();
  });

  it("of an unknown organisation are a 404", async () => {
    const answer = await harness().operate("GET", `/integrations/${randomUUID()}/mappings`);
    expectProblem(answer, "provider_not_found");
    expectProblem(await harness().operate("GET", "/integrations/7/mappings"), "validation_failed");
  });
});
