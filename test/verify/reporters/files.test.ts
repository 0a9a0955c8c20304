import { describe, expect, it } from "vitest";
import { htmlReport } from "../../../src/verify/reporters/html.ts";
import {
  type JunitOptions,
  jsonLines,
  jsonReport,
  junitReport,
} from "../../../src/verify/reporters/verdict-files.ts";
import { finding, HOSTILE, sampleRun, written } from "./sample.ts";

const hostile = () =>
  sampleRun(
    finding("field_wrong", { title: HOSTILE, expected: HOSTILE, actual: HOSTILE, reproduce: HOSTILE }),
  );

const junit = (events = sampleRun(), options: JunitOptions = {}) =>
  written((write) => junitReport(write, options), events).join("");
const html = (events = sampleRun()) => written(htmlReport, events).join("");

/** Returns the elements of a well-formed document whose text and attributes contain no markup. */
function elementsOf(text: string, empty: readonly string[] = []): string[] {
  const open: string[] = [];
  const all: string[] = [];
  for (const [, slash, name = "", attributes = ""] of text.matchAll(/<(\/?)([a-zA-Z0-9-]+)([^<>]*)>/g)) {
    if (slash) expect(open.pop()).toBe(name);
    else all.push(name);
    if (!slash && !attributes.endsWith("/") && !empty.includes(name)) open.push(name);
  }
  expect(open).toEqual([]);
  const rest = text.replaceAll(/<\/?[a-zA-Z0-9-]+(?: [\w-]+="[^"<>]*")*\/?>|<[?!][^<>]*>/g, "");
  expect(rest.match(/[<]/)).toBeNull();
  expect(text).not.toMatch(/[^\P{Cc}\n]|[\ud800-\udfff]/u);
  return all;
}

describe("the JUnit report", () => {
  it("has a suite for each group, and a test for each check that passed and each finding", () => {
    expect(junit()).toMatchSnapshot();
  });

  it("reports warnings as failures when they determine the verdict", () => {
    expect(junit()).toContain(
      '<testsuites name="shiftpact verify http://127.0.0.1:4010" tests="10" failures="5" skipped="3"',
    );
    expect(junit(sampleRun(), { failOn: "warning" })).toContain('tests="10" failures="6" skipped="3"');
  });

  it.each(["plain", "hostile"])("is well-formed for %s text", (kind) => {
    const names = elementsOf(junit(kind === "plain" ? sampleRun() : hostile()));
    expect(new Set(names)).toEqual(
      new Set([
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "failure",
        "system-out",
        "skipped",
      ]),
    );
  });
});

describe("the HTML report", () => {
  it.each(["plain", "hostile"])("is well-formed for %s text, without script", (kind) => {
    const page = html(kind === "plain" ? sampleRun() : hostile()).replace(/<style>.*<\/style>/s, "");
    const names = elementsOf(page, ["meta"]);
    expect(names).not.toContain("script");
    expect(names).not.toContain("link");
    expect(names).not.toContain("img");
  });

  it("is self-contained, responsive, and supports light and dark", () => {
    expect(html()).not.toMatch(/(src|href)=|url\(|@import/);
    expect(html()).toContain("default-src 'none'");
    expect(html()).toContain("width=device-width");
    expect(html()).toContain("prefers-color-scheme: dark");
  });

  it("shows errors, warnings, skipped checks, responses and passed checks in this order", () => {
    const page = html();
    const places = ["Errors", "Warnings", "Not checked", "Responses by status", "1 check passed"];
    const offsets = places.map((place) => page.indexOf(place));
    expect(offsets).toEqual(offsets.toSorted((one, other) => one - other));
    expect(Math.min(...offsets)).toBeGreaterThan(0);
    expect(page).toContain("<td>12</td>");
    expect(page).toContain("<dd>status 500 (3 times)</dd>");
  });
});

describe("the JSON report", () => {
  it("has one finding on each line, with the members for scripts first, and the summary last", () => {
    const lines = written(jsonLines, sampleRun()).map((line) => JSON.parse(line));
    expect(lines).toHaveLength(10);
    const members = ["code", "severity", "operation", "title", "expected", "actual", "section", "reproduce"];
    for (const line of lines.slice(0, -1)) expect(Object.keys(line).slice(0, 8)).toEqual(members);
    const { summary } = lines.at(-1);
    expect(Object.keys(summary).slice(0, 5)).toEqual(["verdict", "errors", "warnings", "skipped", "checks"]);
    expect(summary).toMatchObject({
      verdict: "fails",
      errors: 5,
      warnings: 1,
      skipped: 3,
      checks: 7,
      seed: 7,
    });
  });

  it("writes nothing before the end of the run", () => {
    expect(written(jsonLines, sampleRun().slice(0, -1))).toEqual([]);
  });

  it("contains the whole verification as one document", () => {
    const end = sampleRun().at(-1);
    const [text = ""] = written(jsonReport, sampleRun());
    const { checks, ...rest } = JSON.parse(text);
    const verification = end?.type === "end" ? end.verification : undefined;
    expect({ ...verification, checks: undefined }).toEqual({ ...rest, checks: undefined });
    expect(checks.map(({ name }: { name: string }) => name)).toEqual(
      verification?.checks.map(({ name }) => name),
    );
  });
});
