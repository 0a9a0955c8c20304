import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Competence, Workplace } from "../../../generated/operations/types.ts";
import { featureEngines } from "../../harness/engines.ts";
import { expectProblem } from "../../harness/http.ts";
import { useTenants } from "../../harness/tenants.ts";

describe.each(featureEngines)("workplaces and competences, on %s", (engine) => {
  const harness = useTenants(engine);
  const list = async <T>(path: string) =>
    ((await harness().operate("GET", path)).body as { items: T[] }).items;

  it("are found by a part of their name", async () => {
    for (const name of ["Kajen 1_0", "Kajen 100", "Torget"])
      for (const path of ["/workplaces", "/competences"]) await harness().operate("POST", path, { name });
    for (const path of ["/workplaces", "/competences"]) {
      const found = await list<{ name: string }>(`${path}?search=kAJEN`);
      expect(found.map(({ name }) => name)).toEqual(["Kajen 100", "Kajen 1_0"]);
      // No character is a pattern.
      expect(await list(`${path}?search=1_0`)).toHaveLength(1);
    }
  });

  it("are renamed, and a workplace moves", async () => {
    const { body: added } = await harness().operate("POST", "/workplaces", {
      name: "Kaj",
      address: "Vägen 1",
    });
    const { workplaceId } = added as Workplace;
    const path = `/workplaces/${workplaceId}`;
    const renamed = await harness().operate("PATCH", path, { name: "Kajen" });
    expect(renamed).toMatchObject({ status: 200, body: { ...(added as Workplace), name: "Kajen" } });
    const { body: moved } = await harness().operate("PATCH", path, { address: null });
    expect(moved).toMatchObject({ name: "Kajen", address: null });
    const { body: role } = await harness().operate("POST", "/competences", { name: "Cok" });
    const { competenceId } = role as Competence;
    expect(await harness().operate("PATCH", `/competences/${competenceId}`, { name: "Cook" })).toMatchObject({
      status: 200,
      body: { competenceId, name: "Cook" },
    });
    expect(
      (await list<Workplace>("/workplaces?search=kajen")).some((one) => one.workplaceId === workplaceId),
    ).toBe(true);
  });

  it("are not changed by a request with an unknown id, or without a change", async () => {
    const missing = randomUUID();
    const name = { name: "Kajen" };
    expectProblem(await harness().operate("PATCH", `/workplaces/${missing}`, name), "workplace_not_found");
    expectProblem(await harness().operate("PATCH", `/competences/${missing}`, name), "competence_not_found");
    expectProblem(await harness().operate("PATCH", `/workplaces/${missing}`, {}), "validation_failed");
    expectProblem(await harness().operate("PATCH", `/competences/${missing}`, {}), "validation_failed");
  });
});
