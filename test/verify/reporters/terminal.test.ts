import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/verify/events.ts";
import { wrap } from "../../../src/verify/reporters/terminal.ts";
import { type TerminalOptions, terminalReport } from "../../../src/verify/reporters/terminal-report.ts";
import { finding, HOSTILE, sampleRun, written } from "./sample.ts";

const lines = (events: readonly RunEvent[], options: TerminalOptions = {}) =>
  written((write) => terminalReport(write, options), events);

/** What a person sees after moves of the cursor. */
function screen(raw: readonly string[]): string[] {
  const seen: string[] = [];
  for (const line of raw) {
    if (line.startsWith("\u001b[1A\u001b[2K")) seen.pop();
    seen.push(stripVTControlCharacters(line));
  }
  return seen;
}

describe("the terminal report", () => {
  it("tells what is changed, how far it is, and what was found, the worst first", () => {
    expect(lines(sampleRun()).join("\n")).toMatchSnapshot();
  });

  it("holds no escape where they were not asked for", () => {
    expect(lines(sampleRun()).join("\n")).not.toContain("\u001b");
  });

  it("shows the same on an interactive terminal, each group's line written anew", () => {
    const raw = lines(sampleRun(), { isInteractive: true });
    expect(screen(raw)).toEqual(lines(sampleRun()));
    expect(raw.join("\n")).toContain("\u001b[31m");
  });

  it("writes nothing until the provider is known to be one, but where somebody waits", () => {
    const early = sampleRun().slice(0, 3);
    expect(lines(early)).toEqual([]);
    expect(lines(early, { isInteractive: true }).join("\n")).toContain("These calls change data");
  });

  it("says that nothing is changed when nothing is", () => {
    const [plan, ...rest] = sampleRun();
    const readOnly = { ...plan, changes: [] } as RunEvent;
    expect(lines([readOnly, ...rest])).toContain("  Only GET is called: nothing is changed.");
  });

  it("keeps to the width, but for what is there to be copied", () => {
    const narrow = lines(sampleRun(), { width: 60 }).filter(
      (line) => !/^ +curl|Answers by|^ {2}[A-Z]+ \//.test(line),
    );
    for (const line of narrow.filter((each) => !each.startsWith("Verifying") && !each.startsWith("fails:"))) {
      expect(line.length, line).toBeLessThanOrEqual(60);
    }
  });

  it("stands the curl line on a line of its own, and ends with the summary", () => {
    const all = lines(sampleRun());
    expect(all).toContain("    curl -i 'http://127.0.0.1/shifts/1'");
    expect(all.at(-1)).toBe("fails: 5 errors, 1 warning, 3 skipped, 7 checks, 16 requests, 1.2 s, seed 7");
  });

  it("lets a provider's words move no cursor", () => {
    const all = lines(sampleRun(finding("field_wrong", { actual: HOSTILE, reproduce: HOSTILE })));
    expect(all.join("\n")).not.toContain("\u001b");
    expect(all.join("\n")).toContain("\\x1b[31mred");
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
