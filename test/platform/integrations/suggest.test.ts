import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { matcher, suggestionsFor } from "../../../src/platform/integrations/discover.ts";
import { type Option, OUTLETS } from "../../../src/platform/integrations/mapped-lists.ts";
import { engines, useEngine } from "../../harness/engines.ts";

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
