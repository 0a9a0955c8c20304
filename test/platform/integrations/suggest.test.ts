import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Option, suggester } from "../../../src/platform/integrations/suggest.ts";

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
    expect(suggester(named(other)).guess({ name: one }).certain).toBe("0");
    expect(suggester(named(one)).guess({ name: other }).certain).toBe("0");
  });

  it.each(DIFFERENT)("%j is not %j", (one, other) => {
    expect(suggester(named(other)).guess({ name: one }).certain).toBeUndefined();
  });

  it("never guess twice, and never beyond 0 to 1", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { maxLength: 5 }), (name, names) => {
        const { certain, suggestions } = suggester(named(...names)).guess({ name });
        expect(suggestions.length).toBeLessThanOrEqual(certain === undefined ? 1 : 0);
        for (const { score } of suggestions) {
          expect(score).toBeGreaterThanOrEqual(0.85);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

/** What the provider calls it, what we have, which one it certainly is, and which one is suggested. */
const GUESSES: [
  wanted: Omit<Option, "id">,
  options: Option[],
  certain?: string | undefined,
  suggested?: string | undefined,
][] = [
  [{ name: "Kajen" }, named("Stureplan", "Kajen"), "1"],
  [{ name: "RESTAURANG KAJEN AB" }, named("Kajen"), "0"],
  [{ name: "Cafe Elysee" }, named("Café Élysée HB"), "0"],
  [{ name: "Stureplan" }, named("Sturegatan"), undefined, undefined],
  [{ name: "Restaurang Stureplan" }, named("Restaurang Sturegatan"), undefined, undefined],
  [{ name: "Warehouse worker" }, named("Warehouse workers", "Cook"), undefined, "0"],
  // Two are equally similar: there is no suggestion.
  [{ name: "Warehouse worker" }, named("Warehouse workers", "Warehouse workere"), undefined, undefined],
  [{ name: "Kajen" }, named("Kajen", "Kajen AB"), undefined, undefined],
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
    undefined,
    "0",
  ],
  // No address is not an address that both have.
  [{ name: "Kajen", address: null }, [{ id: "0", name: "Harbour", address: null }], undefined, undefined],
  [{ name: "Kajen", address: "" }, [{ id: "0", name: "Harbour", address: "" }], undefined, undefined],
  // A name of nothing but noise equals no other one.
  [{ name: "AB" }, named("HB"), undefined, undefined],
  [{ name: "Kajen" }, [], undefined, undefined],
  [{ name: "" }, named(""), undefined, undefined],
];

describe("guess", () => {
  it.each(GUESSES)("%j among %j: certainly %j, perhaps %j", (wanted, options, certain, suggested) => {
    const { certain: found, suggestions } = suggester(options).guess(wanted);
    expect(found).toBe(certain);
    expect(suggestions.map(({ id }) => id)).toEqual(suggested === undefined ? [] : [suggested]);
    for (const { score } of suggestions) expect(score).toBeGreaterThanOrEqual(0.85);
  });
});
