import { describe, expect, it } from "vitest";
import type { FaultName } from "../../../src/sandbox/faults/switchboard.ts";
import type { RunEvent, Verification } from "../../../src/verify/events.ts";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { htmlReport } from "../../../src/verify/reporters/html.ts";
import { terminalReport } from "../../../src/verify/reporters/terminal-report.ts";
import { jsonLines, jsonReport, junitReport } from "../../../src/verify/reporters/verdict-files.ts";
import { verifySandbox } from "../verify-sandbox.ts";
import { written } from "./sample.ts";

const skip = ["contracts"] as const;

async function eventsOf(faults: readonly FaultName[], options: Partial<VerifyOptions> = {}) {
  const events: RunEvent[] = [];
  const { verification } = await verifySandbox({
    dialect: {},
    options: { skip, ...options, onEvent: (event) => events.push(event) },
    prepare: ({ setFault }) => {
      for (const fault of faults) setFault(fault);
    },
  });
  return { events, verification };
}

interface Counts {
  errors: number;
  warnings: number;
  skipped: number;
  checks: number;
}

const numberIn = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN);

function terminalCounts(events: readonly RunEvent[]): Counts & { progress: number } {
  const lines = written((write) => terminalReport(write), events);
  const [last = ""] = lines.slice(-1);
  const progress = lines
    .map((line) => numberIn(line, /^ {2}\S \w+ +(\d+) checks?\b/))
    .filter((each) => each > 0);
  return {
    errors: numberIn(last, /(\d+) errors?/),
    warnings: numberIn(last, /(\d+) warnings?/),
    skipped: numberIn(last, /(\d+) skipped/),
    checks: numberIn(last, /(\d+) checks?/),
    progress: progress.reduce((sum, each) => sum + each, 0),
  };
}

function junitCounts(events: readonly RunEvent[]): Counts {
  const text = written(junitReport, events).join("");
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const [errors, skipped] = [count(/<failure /g), count(/<skipped /g)];
  expect(numberIn(text, /<testsuites [^>]*tests="(\d+)"/)).toBe(count(/<testcase /g));
  expect(numberIn(text, /<testsuites [^>]*failures="(\d+)"/)).toBe(errors);
  expect(numberIn(text, /<testsuites [^>]*skipped="(\d+)"/)).toBe(skipped);
  return {
    errors,
    warnings: count(/<system-out>warning /g),
    skipped,
    checks: count(/<testcase /g) - skipped,
  };
}

function htmlCounts(events: readonly RunEvent[]): Counts & { passed: number } {
  const text = written(htmlReport, events).join("");
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  expect(numberIn(text, /<b>(\d+)<\/b> errors?/)).toBe(count(/<article class="error">/g));
  expect(numberIn(text, /<b>(\d+)<\/b> warnings?/)).toBe(count(/<article class="warning">/g));
  return {
    errors: count(/<article class="error">/g),
    warnings: count(/<article class="warning">/g),
    skipped: numberIn(text, /<b>(\d+)<\/b> not checked/),
    checks: numberIn(text, /<b>(\d+)<\/b> checks?/),
    passed: numberIn(text, /(\d+) checks? passed/),
  };
}

function jsonCounts(events: readonly RunEvent[]): Counts {
  const lines = written(jsonLines, events).map((line) => JSON.parse(line));
  const count = (severity: string) => lines.filter((line) => line.severity === severity).length;
  const { errors, warnings, skipped, checks } = lines.at(-1).summary;
  expect([count("error"), count("warning"), count("skipped")]).toEqual([errors, warnings, skipped]);
  const [report = ""] = written(jsonReport, events);
  expect(JSON.parse(report).summary).toMatchObject({ errors, warnings, skipped, checks });
  return { errors, warnings, skipped, checks };
}

describe("every report has the same counts", () => {
  it.each<[string, FaultName[], Partial<VerifyOptions>]>([
    ["a provider that conforms", [], {}],
    ["several errors", ["no-token-accepted", "time-without-offset", "errors-as-html", "cancel-refused"], {}],
    ["several errors of one check", ["two-candidates", "foreign-candidate"], {}],
    ["missing fixtures", [], { fixtures: {}, readOnly: true }],
    ["one group", ["truncated"], { only: ["answers"] }],
    ["two operations", ["no-token-accepted"], { operations: ["getShift", "updateShift"] }],
    ["a run without checks", [], { only: ["cancellation"], fixtures: {} }],
  ])("for %s", async (_, faults, options) => {
    const { events, verification } = await eventsOf(faults, options);
    const { verdict: __, ...counts } = verification.summary;
    const { progress, ...terminal } = terminalCounts(events);
    const { passed, ...html } = htmlCounts(events);
    expect(terminal).toEqual(counts);
    // The finding that nothing was checked follows the last group.
    const late = verification.findings.filter(({ code }) => code === "nothing_checked").length;
    expect(progress).toBe(counts.checks - late);
    expect(jsonCounts(events)).toEqual(counts);
    expect(junitCounts(events)).toEqual(counts);
    expect(html).toEqual(counts);
    expect(passed).toBe(counts.checks - counts.errors - counts.warnings);
  });
});

const namesOf = ({ checks }: Verification) =>
  checks.map(({ suite, operation, name }) => `${suite} | ${operation} | ${name}`);

describe("the name of a check", () => {
  it("is unique, and the same when the check passes, fails or is skipped", async () => {
    const right = namesOf((await eventsOf([])).verification);
    expect(new Set(right).size).toBe(right.length);
    const others = await Promise.all([
      eventsOf(["no-token-accepted"]),
      eventsOf(["time-without-offset"]),
      eventsOf(["truncated"]),
      eventsOf([], { fixtures: {} }),
    ]);
    for (const { verification } of others) {
      const names = namesOf(verification);
      expect(new Set(names).size).toBe(names.length);
      expect(right.filter((name) => !/other tenant/.test(name) && !names.includes(name))).toEqual([]);
    }
  });

  it("is the same with another seed, and contains no value of the run", async () => {
    const one = await eventsOf(["two-candidates", "assign-lost-answer"], { seed: 1 });
    const other = await eventsOf(["two-candidates", "assign-lost-answer"], { seed: 2 });
    expect(namesOf(other.verification)).toEqual(namesOf(one.verification));
    expect(namesOf(one.verification).join("\n")).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|status 500|seed/);
  });
});

describe("the list of skipped checks", () => {
  it("has one entry for each reason, with each check once", async () => {
    const { events } = await eventsOf([], { fixtures: {}, readOnly: true });
    const lines = written((write) => terminalReport(write, { width: 1_000 }), events);
    const start = lines.indexOf("Not checked");
    const end = lines.indexOf("Dialect");
    const entries = lines.slice(start + 1, end).filter((line) => line !== "");
    const reasons = entries.filter((line) => line.startsWith("  - "));
    expect(new Set(reasons).size).toBe(reasons.length);
    expect(entries).toHaveLength(reasons.length * 2);
    for (const list of entries.filter((line) => !reasons.includes(line))) {
      const titles = list.split("; ");
      expect(new Set(titles).size).toBe(titles.length);
    }
  });
});

describe("the HTML report", () => {
  it("contains date, version, command, target and seed", async () => {
    const { events, verification } = await eventsOf([], {
      command: "shiftpact verify URL",
      only: ["answers"],
      seed: 4711,
    });
    const text = written(htmlReport, events).join("");
    const { startedAt, version, baseUrl } = verification;
    for (const part of [
      startedAt.slice(0, 10),
      `shiftpact ${version}`,
      "shiftpact verify URL",
      baseUrl,
      "4711",
    ]) {
      expect(text).toContain(part);
    }
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
  });
});
