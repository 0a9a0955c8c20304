import { describe, expect, it } from "vitest";
import { markdownOf, shown, shownRatio, textOf } from "../../../scripts/bench/table.ts";

const table = {
  title: "Speed",
  about: "Of two.",
  head: ["who", "a second"],
  rows: [
    { id: "own", cells: ["one | other", "12,345"] },
    { id: "bare", cells: ["bare", "7"] },
  ],
};

describe("a table of the benchmark", () => {
  it("prints as Markdown with an anchor for each row", () => {
    expect(markdownOf(table)).toBe(`### Speed

Of two.

| who | a second |
| --- | --- |
| <a id="own"></a>one \\| other | 12,345 |
| <a id="bare"></a>bare | 7 |
`);
  });

  it("prints as text in columns", () => {
    expect(textOf(table)).toBe("Speed\n  who          a second\n  one | other  12,345\n  bare         7");
  });

  it("shows three significant digits", () => {
    const values = [1234567.8, 123.4, 99.96, 12.34, 1.5, 0.01234, 0, Number.NaN];
    expect(values.map(shown)).toEqual(["1,234,568", "123", "100", "12.3", "1.5", "0.0123", "0", "-"]);
  });

  it("shows the spread of a ratio, if there is one", () => {
    expect(shownRatio({ ratio: 1.444, low: 1.3, high: 1.52 })).toBe("1.44 (1.30 to 1.52)");
    expect(shownRatio({ ratio: 1, low: 1, high: 1 })).toBe("1.00");
  });
});
