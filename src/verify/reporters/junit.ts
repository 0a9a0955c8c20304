import type { CheckResult, Suite } from "../check-results.ts";
import type { Reporter, Verification } from "../events.ts";
import type { Finding } from "../finding.ts";
import { groups } from "../options.ts";
import { type Markup, markup } from "./markup.ts";
import { rowsOf } from "./report-content.ts";

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
    if (event.type === "end") write(documentOf(event.verification, failOn).text);
  };
}

function documentOf(verification: Verification, failOn: "error" | "warning"): Markup {
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

export function attributesOf(tests: readonly Test[], failOn: "error" | "warning" = "error"): Markup {
  const failures = tests.filter((test) => isFailure(test, failOn)).length;
  const skips = tests.filter(({ outcome }) => outcome === "skipped").length;
  return markup`tests="${tests.length}" failures="${failures}" skipped="${skips}"`;
}

export function testOf(test: Test, failOn: "error" | "warning" = "error"): Markup {
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
