import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import type { Outlet, Role } from "../../../generated/provider/types.ts";
import type { ProviderClient } from "../../../src/clients/provider/client.ts";
import { discover, matcher, suggestionsFor } from "../../../src/platform/integrations/discover.ts";
import { type Option, OUTLETS } from "../../../src/platform/integrations/mapped-lists.ts";
import { depsFor } from "../../harness/deps.ts";
import { expectBody } from "../../harness/draft.ts";
import { engines, featureEngines, useEngine } from "../../harness/engines.ts";
import { expectProblem, listening, pointersOf } from "../../harness/http.ts";
import { mappingsOf, ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";
import { useTenants } from "../../harness/tenants.ts";

/** What a provider of nothing but lists lists, until it is changed. */
interface Lists {
  outlets: Outlet[];
  roles: Role[];
}

async function startLists(lists: Lists) {
  const server = createServer(({ url = "" }, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(url.endsWith("/outlets") ? lists.outlets : lists.roles));
  });
  return listening(server);
}

const ids = (kind: string, count: number) => Array.from({ length: count }, (_, nth) => `${kind}-${nth}`);
const outlet = (id: string) => ({ id, name: randomUUID(), address: null });
const role = (id: string) => ({ id, name: randomUUID() });

describe.each(featureEngines)("discovering, on %s", (engine) => {
  const harness = useTenants(engine);
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((provider) => provider.close()));
  });

  /** A draft whose provider lists these. */
  const draft = async (lists: Lists) => {
    const provider = await startLists(lists);
    open.push(provider);
    const providerId = randomUUID();
    const order = { providerId, kind: "lists", name: "Kvarteret", baseUrl: provider.url };
    await expectBody(harness(), "POST", "/integrations", { ...order, providerToken: "provider-token" });
    return `/integrations/${providerId}`;
  };
  const addTargets = async () => {
    const name = randomUUID();
    const [place, skill] = await Promise.all([
      expectBody<{ workplaceId: string }>(harness(), "POST", "/workplaces", { name }),
      expectBody<{ competenceId: string }>(harness(), "POST", "/competences", { name }),
    ]);
    return { ...place, ...skill };
  };
  const allTo = ({ outlets, roles }: Lists, target: { workplaceId: string; competenceId: string }) => ({
    outlets: outlets.map(({ id }) => ({ outletId: id, workplaceId: target.workplaceId })),
    roles: roles.map(({ id }) => ({ roleId: id, competenceId: target.competenceId })),
  });

  it("and mapping take turns, in whatever order two requests name the same entries", async () => {
    const lists = { outlets: ids("outlet", 40).map(outlet), roles: ids("role", 40).map(role) };
    const turned = { outlets: lists.outlets.toReversed(), roles: lists.roles.toReversed() };
    const path = await draft(lists);
    await expectBody(harness(), "POST", `${path}/discover`);
    const targets = await addTargets();
    const put = (named: Lists) => harness().operate("PUT", `${path}/mappings`, allTo(named, targets));
    for (let round = 0; round < 3; round++) {
      const together = [put(lists), put(turned), harness().operate("POST", `${path}/discover`)];
      lists.outlets.reverse();
      lists.roles.reverse();
      together.push(harness().operate("POST", `${path}/discover`));
      const answers = await Promise.all(together);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
  });

  it("keeps the provider's order, and lists a repeated id once, with its last name", async () => {
    const outlets = [outlet("b"), outlet("a"), { ...outlet("b"), name: "The last word" }];
    const path = await draft({ outlets, roles: [role("z"), role("y")] });
    const found = await expectBody<Record<string, Record<string, string>[]>>(
      harness(),
      "POST",
      `${path}/discover`,
    );
    expect(found.outlets?.map(({ outletId }) => outletId)).toEqual(["b", "a"]);
    expect(found.outlets?.[0]).toMatchObject({ name: "The last word" });
    expect(found.roles?.map(({ roleId }) => roleId)).toEqual(["z", "y"]);
  });

  it("removes unmapped entries that the provider no longer lists, so that they block no activation", async () => {
    const lists = { outlets: ids("outlet", 3).map(outlet), roles: ids("role", 3).map(role) };
    const path = await draft(lists);
    await expectBody(harness(), "POST", `${path}/discover`);
    const targets = await addTargets();
    const [first, second] = [allTo(lists, targets), allTo(lists, targets)];
    await expectBody(harness(), "PUT", `${path}/mappings`, {
      outlets: first.outlets.slice(0, 1),
      roles: first.roles.slice(0, 1),
    });
    lists.outlets.splice(0, 2);
    lists.roles.splice(0, 2);
    await expectBody(harness(), "POST", `${path}/discover`);
    const missing = expectProblem(await harness().operate("POST", `${path}/activate`), "not_ready");
    expect(pointersOf(missing)).toEqual(["/outlets/outlet-2", "/roles/role-2"]);
    await expectBody(harness(), "PUT", `${path}/mappings`, {
      outlets: second.outlets.slice(2),
      roles: second.roles.slice(2),
    });
    expect(await expectBody(harness(), "POST", `${path}/activate`)).toMatchObject({ state: "active" });
    const read = (list: string) =>
      expectBody<{ items: Record<string, string>[] }>(harness(), "GET", `${path}/${list}`);
    const [outlets, roles] = [await read("outlets"), await read("roles")];
    expect(outlets.items.map(({ outletId }) => outletId).sort()).toEqual(["outlet-0", "outlet-2"]);
    expect(roles.items.map(({ roleId }) => roleId).sort()).toEqual(["role-0", "role-2"]);
  });

  it("keeps 200 characters of a name and an address", async () => {
    const long = "å".repeat(100_000);
    const outlets = [{ id: "outlet", name: long, address: long }];
    const path = await draft({ outlets, roles: [{ id: "role", name: long }] });
    const name = "å".repeat(200);
    expect(await expectBody(harness(), "POST", `${path}/discover`)).toMatchObject({
      outlets: [{ name, address: name }],
      roles: [{ name }],
    });
  });
});

describe.each(featureEngines)("an outlet and a role that only a shift names, on %s", (engine) => {
  const harness = useHarness(engine);

  it("are kept while its job is open, and forgotten with their issues once it is over", async () => {
    const { operations } = harness();
    const organisation = await harness().onboard();
    const params = { path: { providerId: organisation.providerId } };
    const [outletId, roleId] = [randomUUID(), randomUUID()];
    const isKnown = async () => {
      const { outlets, roles } = await mappingsOf(operations, organisation);
      return [
        outlets.some((each) => each.outletId === outletId),
        roles.some((each) => each.roleId === roleId),
      ];
    };
    const { shiftId } = await organisation.open({ outletId, roleId });
    ok(await operations.discoverIntegration({ params }));
    expect(await isKnown()).toEqual([true, true]);
    expect(await organisation.issueCodes()).toEqual(["outlet_not_mapped", "role_not_mapped"]);
    organisation.provider.deleteShift(shiftId);
    await organisation.idle();
    ok(await operations.discoverIntegration({ params }));
    expect(await isKnown()).toEqual([false, false]);
    expect(await organisation.issues()).toEqual([]);
    expect(await organisation.open({ outletId, roleId })).toMatchObject({ status: "blocked_mapping" });
    expect(await isKnown()).toEqual([true, true]);
  });
});

describe.each(featureEngines)("discovering ten thousand outlets among as many places, on %s", (engine) => {
  const database = useEngine(engine);

  it("maps equal names and nothing else, in a few statements", async () => {
    const { kysely } = database();
    const many = 10_000;
    const row = await kysely
      .insertInto("integrations")
      .values({
        providerId: randomUUID(),
        ...{ kind: "k", name: "n", baseUrl: "https://p.example", providerToken: "t" },
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const integration = { ...row, conditions: [] };
    await sql`insert into workplaces (workplace_id, name) select gen_random_uuid(), upper('Place ' || n)
      from generate_series(0, ${many - 1}::int) as n where n % 2 = 0`.execute(kysely);
    const outlets = Array.from({ length: many }, (_, nth) => ({
      ...outlet(`o-${nth}`),
      name: `Place ${nth}`,
    }));
    const list = (items: object[]) => async () => ({ kind: "list", items, faults: [] });
    let statements = 0;
    const counting = kysely.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const client = { listOutlets: list(outlets), listRoles: list([]) } as unknown as ProviderClient;
    const deps = depsFor({ ...database(), kysely: counting }, { clientFor: () => client });
    for (const _ of ["first", "again"]) {
      statements = 0;
      const found = await discover(deps, integration);
      expect(found.outlets.map(({ outletId }) => outletId)).toEqual(outlets.map(({ id }) => id));
      expect(found.outlets.filter(({ workplaceId }) => workplaceId !== undefined)).toHaveLength(many / 2);
      expect(found.outlets.every(({ suggestions }) => suggestions.length === 0)).toBe(true);
      expect(statements).toBeLessThan(20);
    }
    outlets.splice(0);
    await discover(deps, integration);
    expect(await kysely.selectFrom("outlets").select("outletId").execute()).toHaveLength(many / 2);
  });
});

const named = (...names: string[]): Option[] => names.map((name, index) => ({ id: `${index}`, name }));

/** Names that are one after normalisation, and names that are two. */
const SAME = [
  ["Restaurang Stureplan AB", "stureplan"],
  ["RESTAURANG  Kajen, HB", "kajen"],
  ["Café Élysée", "cafe elysee"],
  ["Smörgås & Gås", "smorgas gas"],
  ["Åre/Östersund", "are ostersund"],
  // Composed or decomposed, it is one name.
  ["A\u030are", "\u00c5re"],
  ["  Kajen ", "Kajen"],
] as const;
const DIFFERENT = [
  ["Abisko", "Isko"],
  ["Stureplan 2", "Stureplan 3"],
  ["Stureplan", "Sturegatan"],
  ["A B", "AB"],
] as const;

describe("names", () => {
  it.each(SAME)("%j is %j", (one, other) => {
    expect(matcher(named(other))({ name: one })).toBe("0");
    expect(matcher(named(one))({ name: other })).toBe("0");
  });

  it.each(DIFFERENT)("%j is not %j", (one, other) => {
    expect(matcher(named(other))({ name: one })).toBeUndefined();
  });
});

/** The name at the provider, the options, and which one it certainly is. */
const CERTAIN: [wanted: Omit<Option, "id">, options: Option[], certain?: string | undefined][] = [
  [{ name: "Kajen" }, named("Stureplan", "Kajen"), "1"],
  [{ name: "RESTAURANG KAJEN AB" }, named("Kajen"), "0"],
  [{ name: "Cafe Elysee" }, named("Café Élysée HB"), "0"],
  [{ name: "Stureplan" }, named("Sturegatan")],
  [{ name: "Restaurang Stureplan" }, named("Restaurang Sturegatan")],
  [{ name: "Kajen" }, named("Kajen", "Kajen AB")],
  [
    { name: "Kajen", address: "Skeppsbron 14" },
    [{ id: "0", name: "Harbour", address: "SKEPPSBRON 14" }],
    "0",
  ],
  [
    { name: "Kajen", address: "Skeppsbron 14" },
    [
      { id: "0", name: "Kajen", address: null },
      { id: "1", name: "Harbour", address: "Skeppsbron 14" },
    ],
  ],
  // No address is not an address that both have.
  [{ name: "Kajen", address: null }, [{ id: "0", name: "Harbour", address: null }]],
  [{ name: "Kajen", address: "" }, [{ id: "0", name: "Harbour", address: "" }]],
  // A name of nothing but noise equals no other one.
  [{ name: "AB" }, named("HB")],
  [{ name: "Kajen" }, []],
  [{ name: "" }, named("")],
];

describe("a match", () => {
  it.each(CERTAIN)("of %j among %j is %j", (wanted, options, certain) => {
    expect(matcher(options)(wanted)).toBe(certain);
  });

  it("costs one look at each option, however many entries are matched", () => {
    let looks = 0;
    const options = Array.from({ length: 2_000 }, (_, nth) => ({
      id: `${nth}`,
      get name() {
        looks += 1;
        return `Place ${nth}`;
      },
    }));
    const find = matcher(options);
    for (let nth = 0; nth < 2_000; nth += 1) expect(find({ name: `place ${nth} ab` })).toBe(`${nth}`);
    expect(looks).toBe(options.length);
  });
});

describe.each(engines)("suggestions of a page, on %s", (engine) => {
  const database = useEngine(engine);
  const entry = (name: string, target: string | null = null) => ({ id: name, name, address: null, target });
  const suggested = async (...page: ReturnType<typeof entry>[]) => {
    const found = await suggestionsFor(database().kysely, OUTLETS, page);
    return Object.fromEntries([...found].map(([id, of]) => [id, of.map(({ name }) => name)]));
  };

  it("are ordered by similarity, and absent of what is mapped or similar to nothing", async () => {
    const { kysely } = database();
    await sql`insert into workplaces (workplace_id, name) select gen_random_uuid(), name
      from unnest(array['Warehouse workers', 'Warehouse worker AB', 'Sturegatan', 'Cook', 'Warehouse work', 'Warehouse works']) as name`.execute(
      kysely,
    );
    const page = [entry("Warehouse worker"), entry("Stureplan"), entry("cook"), entry("Cook", "mapped")];
    expect(await suggested(...page)).toEqual({
      "Warehouse worker": ["Warehouse worker AB", "Warehouse workers", "Warehouse work"],
      cook: ["Cook"],
    });
    const [best] = (await suggestionsFor(kysely, OUTLETS, [entry("cook")])).get("cook") ?? [];
    expect(best?.score).toBe(1);
  });

  it("are read by an index, whatever the number of places", async () => {
    const { rows } = await database().raw.executeSql(
      "select indexname from pg_indexes where indexdef like '%gin_trgm_ops%' order by 1",
    );
    expect(rows.map(({ indexname }) => indexname)).toEqual(["competences_name", "workplaces_name"]);
  });

  it("are empty in a database without pg_trgm", async () => {
    await sql`drop extension pg_trgm cascade`.execute(database().kysely);
    expect(await suggested(entry("Cook"))).toEqual({});
  });
});
