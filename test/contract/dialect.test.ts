import { describe, expect, it } from "vitest";
import { type Dialect, dialectName, everyDialect } from "../../src/contract/dialect.ts";

describe("dialects", () => {
  const all = everyDialect();

  it("are 32, all different, by value and by name", () => {
    expect(all).toHaveLength(32);
    expect(new Set(all.map((dialect) => JSON.stringify(dialect))).size).toBe(32);
    expect(new Set(all.map(dialectName)).size).toBe(32);
  });

  it("are every combination of two forms of five choices", () => {
    const choices: { [Form in keyof Dialect]: Dialect[Form][] } = {
      routing: ["path", "header"],
      variant: ["a", "b"],
      notFound: ["empty", "404"],
      unassign: ["put", "delete"],
      acknowledgement: ["minimal", "full"],
    };
    for (const [form, values] of Object.entries(choices)) {
      for (const value of values) {
        expect(all.filter((dialect) => dialect[form as keyof Dialect] === value)).toHaveLength(16);
      }
    }
    for (const dialect of all) expect(Object.keys(dialect).sort()).toEqual(Object.keys(choices).sort());
  });

  it("have names that a test can show", () => {
    expect(all.map(dialectName)).toContain("path a empty put minimal");
    expect(all.map(dialectName)).toContain("header b 404 delete full");
  });
});
