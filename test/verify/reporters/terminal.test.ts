import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/verify/events.ts";
import { wrap } from "../../../src/verify/reporters/terminal.ts";
import { type TerminalOptions, terminalReport } from "../../../src/verify/reporters/terminal-report.ts";
import { finding, HOSTILE, sampleRun, written } from "./sample.ts";

const lines = (events: readonly RunEvent[], options: TerminalOptions = {}) =>
  written((write) => terminalReport(write, options), events);

/** Returns what is visible after the cursor movements. */
function screen(raw: readonly string[]): string[] {
  const seen: string[] = [];
  for (const line of raw) {
    if (line.startsWith("\u001b[1A\u001b[2K")) seen.pop();
    seen.push(stripVTControlCharacters(line));
  }
  return seen;
}

describe("the terminal report", () => {
  it("shows the planned changes, the progress, and the findings, errors first", () => {
    expect(lines(sampleRun()).join("\n")).toMatchSnapshot();
  });

  it("contains no escape codes by default", () => {
    expect(lines(sampleRun()).join("\n")).not.toContain("\u001b");
  });

  it("shows the same text on an interactive terminal, where it rewrites the line of each group", () => {
    const raw = lines(sampleRun(), { isInteractive: true });
    expect(screen(raw)).toEqual(lines(sampleRun()));
    expect(raw.join("\n")).toContain("\u001b[31m");
  });

  it("writes nothing before the provider was reached, except on an interactive terminal", () => {
    const early = sampleRun().slice(0, 3);
    expect(lines(early)).toEqual([]);
    expect(lines(early, { isInteractive: true }).join("\n")).toContain("These calls change data");
  });

  it.each([
    [30, []],
    [29, ["29 more runs"]],
    [1, ["1 more run"]],
    [0, ["no test number"]],
  ])("warns from 30 runs before the test numbers run out: %i left", (runsLeft, texts) => {
    const events = sampleRun().map((each) =>
      each.type === "end" ? { ...each, verification: { ...each.verification, runsLeft } } : each,
    );
    const said =
      lines(events)
        .join(" ")
        .match(/\d+ more runs?\b|no test number/g) ?? [];
    expect(said).toEqual(texts);
  });

  it("says that nothing is changed in a read-only run", () => {
    const [plan, ...rest] = sampleRun();
    const readOnly = { ...plan, changes: [] } as RunEvent;
    expect(lines([readOnly, ...rest])).toContain("  Only GET is called: nothing is changed.");
  });

  it("wraps at the width, except for lines that are meant to be copied", () => {
    const narrow = lines(sampleRun(), { width: 60 }).filter(
      (line) => !/^ +curl|Responses by|^ {2}[A-Z]+ \//.test(line),
    );
    for (const line of narrow.filter((each) => !each.startsWith("Verifying") && !each.startsWith("fails:"))) {
      expect(line.length, line).toBeLessThanOrEqual(60);
    }
  });

  it("puts the curl command on its own line, and ends with the summary", () => {
    const all = lines(sampleRun());
    expect(all).toContain("    curl -i 'http://127.0.0.1/shifts/1'");
    expect(all.at(-1)).toBe("fails: 5 errors, 1 warning, 3 skipped, 7 checks, 16 requests, 1.2 s, seed 7");
  });

  it("escapes control characters in text of the provider", () => {
    const all = lines(sampleRun(finding("field_wrong", { actual: HOSTILE, reproduce: HOSTILE })));
    expect(all.join("\n")).not.toContain("\u001b");
    expect(all.join("\n")).toContain("\\u001b[31mred");
  });
});

describe("wrapping", () => {
  it.each([
    ["one two three", 7, ["one two", "three"]],
    ["http://a.very.long.address is", 5, ["http://a.very.long.address", "is"]],
    ["", 5, [""]],
  ])("breaks %j at %i", (text, width, expected) => {
    expect(wrap(text, width)).toEqual(expected);
  });
});
