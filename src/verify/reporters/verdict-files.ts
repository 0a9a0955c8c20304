import type { CheckResult, Suite } from "../check-results.ts";
import type { Reporter, Verification } from "../events.ts";
import type { Finding } from "../finding.ts";
import { groups } from "../options.ts";
import type { Verdict } from "../verdict.ts";
import { countsOf, documentOf, findingChapters, type Markup, markup, passedChapter } from "./html.ts";
import { rowsOf } from "./report-content.ts";

/** Reports of a run without a provider; `subject` is "webhooks" or the name of a file. */
export const verdictFiles = {
  "report.html": verdictHtml,
  "junit.xml": verdictJunit,
  "report.json": (verdict: Verdict, subject: string) =>
    `${JSON.stringify({ subject, ...verdict }, undefined, 2)}\n`,
} as const;

function verdictHtml({ summary, findings, passed }: Verdict, subject: string): string {
  const { verdict } = summary;
  const header = markup`<header>
<p class="verdict ${verdict}">${verdict}</p>
<h1>${subject}</h1>
${countsOf(summary)}
</header>`;
  return documentOf(`${subject} ${verdict}`, header, [
    ...findingChapters(findings),
    passedChapter(passed.map(({ title, operation }) => ({ operation, name: title, titles: [] }))),
  ]);
}

function verdictJunit({ findings, passed }: Verdict, subject: string): string {
  const tests: Test[] = [
    ...passed.map(({ operation, title }) => ({ operation, name: title, outcome: "passed" }) as const),
    ...findings.map((finding) => {
      const { operation, severity: outcome } = finding;
      return { operation, name: nameOf(finding, findings), outcome, finding };
    }),
  ];
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="shiftpact ${subject}" ${attributesOf(tests)} errors="0">
  <testsuite name="${subject}" ${attributesOf(tests)} errors="0">
${tests.map((test) => testOf(test))}  </testsuite>
</testsuites>
`.text;
}

/** Returns the name of a test. Findings with one title differ in their expectation. */
function nameOf(finding: Finding, findings: readonly Finding[]): string {
  const { operation, title, expected } = finding;
  const others = findings.filter((each) => each.operation === operation && each.title === title);
  return others.length === 1 || expected === "" ? title : `${title}: ${expected}`;
}

/** Writes one line for each finding, and the summary last. Everything is written at the end, because only then the counts are final. */
export function jsonLines(write: (line: string) => void): Reporter {
  return (event) => {
    if (event.type !== "end") return;
    const { verification } = event;
    for (const finding of verification.findings) write(JSON.stringify(finding));
    write(JSON.stringify({ summary: wholeSummary(verification) }));
  };
}

function wholeSummary({ summary, ...verification }: Verification) {
  const { findings: _, checks: __, passed: ___, coverage: ____, ...facts } = verification;
  return { ...summary, ...facts };
}

export function jsonReport(write: (text: string) => void): Reporter {
  return (event) => {
    if (event.type !== "end") return;
    // The findings are a separate member.
    const checks = event.verification.checks.map(({ finding: _, ...check }) => check);
    write(`${JSON.stringify({ ...event.verification, checks }, undefined, 2)}\n`);
  };
}

export interface JunitOptions {
  /** The severity of failures; errors by default. Other warnings appear in the output of a passed test. */
  failOn?: "error" | "warning";
}

/** One test: a check at one operation. */
export type Test = Omit<CheckResult, "suite" | "titles">;

const SUITES: readonly Suite[] = ["every response", ...groups];

/** Writes JUnit XML: a suite for each group, and a test for each check. */
export function junitReport(
  write: (text: string) => void,
  { failOn = "error" }: JunitOptions = {},
): Reporter {
  return (event) => {
    if (event.type === "end") write(junitOf(event.verification, failOn).text);
  };
}

function junitOf(verification: Verification, failOn: "error" | "warning"): Markup {
  const { checks, duration, baseUrl, startedAt } = verification;
  const suites = Map.groupBy(checks, ({ suite }) => suite);
  const seconds = (duration / 1000).toFixed(3);
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="shiftpact verify ${baseUrl}" ${attributesOf(checks, failOn)} errors="0" time="${seconds}" timestamp="${startedAt}">
${SUITES.map((suite) => suiteOf(suite, suites.get(suite) ?? [], verification, failOn))}</testsuites>
`;
}

function suiteOf(
  suite: Suite,
  tests: readonly CheckResult[],
  { seed, providerId, version, command = "" }: Verification,
  failOn: "error" | "warning",
): Markup {
  if (tests.length === 0) return markup``;
  return markup`  <testsuite name="${suite}" ${attributesOf(tests, failOn)} errors="0">
    <properties>
      <property name="seed" value="${seed}"/>
      <property name="providerId" value="${providerId}"/>
      <property name="version" value="${version}"/>
      <property name="command" value="${command}"/>
    </properties>
${tests.map((test) => testOf(test, failOn))}  </testsuite>
`;
}

const isFailure = ({ outcome }: Test, failOn: "error" | "warning") =>
  outcome === "error" || (outcome === "warning" && failOn === "warning");

function attributesOf(tests: readonly Test[], failOn: "error" | "warning" = "error"): Markup {
  const failures = tests.filter((test) => isFailure(test, failOn)).length;
  const skips = tests.filter(({ outcome }) => outcome === "skipped").length;
  return markup`tests="${tests.length}" failures="${failures}" skipped="${skips}"`;
}

function testOf(test: Test, failOn: "error" | "warning" = "error"): Markup {
  const { operation, name, finding } = test;
  if (!finding) return markup`    <testcase classname="${operation}" name="${name}"/>\n`;
  return markup`    <testcase classname="${operation}" name="${name}">
${resultOf(finding, isFailure(test, failOn))}
    </testcase>
`;
}

function resultOf(finding: Finding, isFailure: boolean): Markup {
  const { severity, code, title, actual } = finding;
  if (severity === "skipped") return markup`      <skipped message="${actual}"/>`;
  if (isFailure) {
    return markup`      <failure type="${code}" message="${title}: ${actual}">${detailsOf(finding)}</failure>`;
  }
  return markup`      <system-out>warning ${code}
${detailsOf(finding)}</system-out>`;
}

function detailsOf(finding: Finding): string {
  const lines = [...rowsOf(finding).map(([label, text]) => `${label}: ${text}`), finding.reproduce];
  return lines.filter((line) => line !== "").join("\n");
}
