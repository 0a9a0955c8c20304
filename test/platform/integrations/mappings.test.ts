import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type {
  Competence,
  Discovery,
  Integration,
  OutletPage,
  RolePage,
  Workplace,
} from "../../../generated/operations/types.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { discover, expectBody, register } from "../../harness/draft.ts";
import { featureEngines } from "../../harness/engines.ts";
import { expectProblem } from "../../harness/http.ts";
import { useTenants } from "../../harness/tenants.ts";

type Outlet = Sandbox["outlets"][number];

describe.each(featureEngines)("the mappings, on %s", (engine) => {
  const harness = useTenants(engine);

  const open = async (outlets?: readonly Outlet[]) => {
    const provider = await startSandbox();
    if (outlets) (provider.outlets as Outlet[]).splice(0, Number.POSITIVE_INFINITY, ...outlets);
    await register(harness(), provider);
    return { provider, path: `/integrations/${provider.providerId}` };
  };
  const outletsOf = (path: string, query = "") =>
    expectBody<OutletPage>(harness(), "GET", `${path}/outlets${query}`);
  const read = async (path: string): Promise<Discovery> => ({
    outlets: (await outletsOf(path)).items,
    roles: (await expectBody<RolePage>(harness(), "GET", `${path}/roles`)).items,
  });
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
    const listed = await read(path);
    expect(Object.keys(byId(listed).outlets).sort()).toEqual(Object.keys(byId(found).outlets).sort());
    const { competenceId, name } = similar;
    expect(listed.roles.find((each) => each.name === "Warehouse worker")?.suggestions).toEqual([
      { competenceId, name, score: expect.toSatisfy((score) => score > 0.5 && score < 1) },
    ]);
    await provider.close();
    expect(byId(await read(path))).toEqual(byId(listed));
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
    await expectBody(harness(), "PUT", `${path}/mappings`, {
      outlets: [{ outletId, workplaceId }],
      roles: [],
    });
    expect(byId(await read(path)).outlets[outletId]).toEqual({
      outletId,
      name,
      address: outlet?.address,
      workplaceId,
      suggestions: [],
    });
    await provider.close();
  });

  it("are read in pages: what is not mapped first, each part by name", async () => {
    const outlets = Array.from({ length: 7 }, (_, at) => ({
      id: `Outlet_${at}`,
      name: at === 3 ? "Same" : `Place ${9 - at}`,
      address: null,
    }));
    const { provider, path } = await open([...outlets, { id: "_", name: "Same", address: null }]);
    await discover(harness(), provider);
    const { workplaceId } = await expectBody<Workplace>(harness(), "POST", "/workplaces", {
      name: "Elsewhere",
    });
    const mapped = ["Outlet_6", "Outlet_1"].map((outletId) => ({ outletId, workplaceId }));
    await expectBody(harness(), "PUT", `${path}/mappings`, { outlets: mapped, roles: [] });
    const walk = async (query: string, limit: number) => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const next = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const { items, nextCursor } = await outletsOf(path, `?limit=${limit}${query}${next}`);
        expect(items.length).toBeLessThanOrEqual(limit);
        ids.push(...items.map(({ outletId }) => outletId));
        cursor = nextCursor;
      } while (cursor !== undefined);
      return ids;
    };
    const unmapped = ["Outlet_5", "Outlet_4", "Outlet_2", "Outlet_0"];
    for (const limit of [1, 3, 200]) {
      const all = await walk("", limit);
      expect(all.filter((id) => unmapped.includes(id))).toEqual(unmapped);
      expect(all.slice(-2)).toEqual(["Outlet_6", "Outlet_1"]);
      expect(new Set(all).size).toBe(8);
      expect(all).toHaveLength(8);
      expect(await walk("&state=mapped", limit)).toEqual(["Outlet_6", "Outlet_1"]);
      expect(await walk("&state=unmapped", limit)).toEqual(all.slice(0, 6));
    }
    expect(await walk("&search=PLACE%204", 50)).toEqual(["Outlet_5"]);
    expect(await walk("&search=Outlet_4", 50)).toEqual(["Outlet_4"]);
    expect(await walk("&search=%25", 50)).toEqual([]);
    const integration = await expectBody<Integration>(harness(), "GET", path);
    expect(integration.mapping).toMatchObject({ outlets: 8, mappedOutlets: 2, mappedRoles: 0 });
    await provider.close();
  });

  it("that an operator maps between two pages are not missed, and a removed one ends no list", async () => {
    const { provider, path } = await open(
      ["a", "b", "c", "d"].map((id) => ({ id, name: id, address: null })),
    );
    await discover(harness(), provider);
    const first = await outletsOf(path, "?limit=2&state=unmapped");
    const { workplaceId } = await expectBody<Workplace>(harness(), "POST", "/workplaces", {
      name: "Elsewhere",
    });
    const all = first.items.map(({ outletId }) => ({ outletId, workplaceId }));
    await expectBody(harness(), "PUT", `${path}/mappings`, { outlets: all, roles: [] });
    const rest = `?state=unmapped&cursor=${first.nextCursor}`;
    expect((await outletsOf(path, rest)).items.map(({ outletId }) => outletId)).toEqual(["c", "d"]);
    expect((await outletsOf(path, "?cursor=0_gone")).items.map(({ outletId }) => outletId)).toEqual([
      "c",
      "d",
      "a",
      "b",
    ]);
    for (const cursor of [randomUUID(), "2_a", "0_"])
      expectProblem(await harness().operate("GET", `${path}/outlets?cursor=${cursor}`), "validation_failed");
    await provider.close();
  });

  it("of an unknown organisation are a 404", async () => {
    for (const list of ["outlets", "roles"]) {
      const answer = await harness().operate("GET", `/integrations/${randomUUID()}/${list}`);
      expectProblem(answer, "provider_not_found");
      expectProblem(await harness().operate("GET", `/integrations/7/${list}`), "validation_failed");
    }
  });
});
