import { describe, expect, it } from "vitest";
import { benchmarksDocument, type Measured } from "../../../scripts/bench/document.ts";

function measured(name: string, cell: string, figures: Measured["figures"] = {}): Measured {
  const table = {
    title: `Table of ${name}`,
    about: "How.",
    head: ["what"],
    rows: [{ id: name, cells: [cell] }],
  };
  const section = { name, title: `About ${name}` };
  return { section, conditions: `Measured on ${cell}.`, tables: [table], figures };
}

const NAMES = ["kit", "flow", "year"];

describe("BENCHMARKS.md", () => {
  it("has each measured section with its date, in the order of the sections", () => {
    const document = benchmarksDocument("", [measured("flow", "Monday"), measured("kit", "Sunday")], NAMES);
    expect(document.match(/^## .*$|^Measured .*$/gm)).toEqual([
      "## Targets",
      "## About kit",
      "Measured on Sunday.",
      "## About flow",
      "Measured on Monday.",
    ]);
  });

  it("keeps the sections that were not measured again, byte for byte", () => {
    const before = benchmarksDocument("", [measured("kit", "Sunday"), measured("flow", "Sunday")], NAMES);
    const after = benchmarksDocument(before, [measured("flow", "Monday"), measured("year", "Monday")], NAMES);
    const chapter = (document: string, name: string) =>
      document.split(/^(?=## )/m).find((each) => each.startsWith(`## About ${name}`));
    expect(chapter(after, "kit")).toBe(chapter(before, "kit"));
    expect(chapter(after, "flow")).not.toContain("Sunday");
    expect(chapter(after, "year")).toContain("Monday");
    expect(benchmarksDocument(after, [], NAMES)).toBe(after);
  });

  it("compares the targets with the latest figure of every section", () => {
    const kit = measured("kit", "Sunday", { "kit.seconds": 1.5 });
    const before = benchmarksDocument("", [kit, measured("flow", "Sunday", { "flow.idle": 30 })], NAMES);
    const after = benchmarksDocument(before, [measured("flow", "Monday", { "flow.idle": 12 })], NAMES);
    expect(before).toMatch(/#flow-usual\) .* 30 ms \| missed/);
    expect(after).toMatch(/#flow-usual\) .* 12 ms \| reached/);
    expect(after).toMatch(/#kit\) .* 1.5 s \| reached/);
  });

  it("drops a section that the benchmark no longer has", () => {
    const before = benchmarksDocument("", [measured("kit", "Sunday"), measured("flow", "Sunday")], NAMES);
    expect(benchmarksDocument(before, [], ["flow"])).not.toContain("About kit");
  });
});
