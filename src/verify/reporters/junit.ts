import type { Verification } from "../events.ts";
import type { Finding, Passed } from "../finding.ts";
import { type Group, groups } from "../options.ts";
import { type Markup, markup } from "./markup.ts";
import type { Reporter } from "./reporter.ts";

export interface JunitOptions {
  /** Which findings are failures; errors unless given. Other warnings stand in the output of a test that passed. */
  failOn?: "error" | "warning";
}

/** Gets JUnit's XML: a suite for each group, a test for each check that passed and for each finding. */
export function junitReport(
  write: (text: string) => void,
  { failOn = "error" }: JunitOptions = {},
): Reporter {
  const suites = new Map<Group, Test[]>(groups.map((group) => [group, []]));
  const severities: readonly string[] = failOn === "warning" ? ["error", "warning"] : ["error"];
  return (event) => {
    if (event.type === "passed") suites.get(event.group)?.push({ passed: event.passed });
    if (event.type === "finding") {
      const { finding } = event;
      suites.get(event.group)?.push({ finding, isFailure: severities.includes(finding.severity) });
    }
    if (event.type === "end") write(documentOf(suites, event.verification).text);
  };
}

export type Test = { passed: Passed } | { finding: Finding; isFailure: boolean };

function documentOf(suites: ReadonlyMap<Group, readonly Test[]>, verification: Verification): Markup {
  const all = [...suites.values()].flat();
  const seconds = (verification.duration / 1000).toFixed(3);
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="shiftpact verify ${verification.baseUrl}" ${countsOf(all)} errors="0" time="${seconds}">
${[...suites].map(([group, tests]) => (tests.length === 0 ? "" : suiteOf(group, tests, verification)))}</testsuites>
`;
}

function suiteOf(group: Group, tests: readonly Test[], { seed, providerId }: Verification): Markup {
  return markup`  <testsuite name="${group}" ${countsOf(tests)} errors="0">
    <properties>
      <property name="seed" value="${seed}"/>
      <property name="providerId" value="${providerId}"/>
    </properties>
${tests.map(testOf)}  </testsuite>
`;
}

export function countsOf(tests: readonly Test[]): Markup {
  const failures = tests.filter((test) => "finding" in test && test.isFailure).length;
  const skips = tests.filter((test) => "finding" in test && test.finding.severity === "skipped").length;
  return markup`tests="${tests.length}" failures="${failures}" skipped="${skips}"`;
}

export function testOf(test: Test): Markup {
  if ("passed" in test) {
    const { operation, title } = test.passed;
    return markup`    <testcase classname="${operation}" name="${title}"/>
`;
  }
  const { finding, isFailure } = test;
  const { operation, title, actual, severity } = finding;
  // Two findings of one code differ in what came.
  const name = severity === "skipped" ? title : `${title}: ${actual}`;
  return markup`    <testcase classname="${operation}" name="${name}">
${resultOf(finding, isFailure)}
    </testcase>
`;
}

function resultOf(finding: Finding, isFailure: boolean): Markup {
  const { severity, code, title, actual } = finding;
  if (severity === "skipped") return markup`      <skipped message="${actual}"/>`;
  if (isFailure) {
    return markup`      <failure type="${code}" message="${title}">${detailsOf(finding)}</failure>`;
  }
  return markup`      <system-out>warning ${code}
${detailsOf(finding)}</system-out>`;
}

function detailsOf({ expected, actual, section, mend, reproduce }: Finding): string {
  const lines = [
    `expected: ${expected}`,
    `actual: ${actual}`,
    `contract section: ${section}`,
    `mend: ${mend}`,
    reproduce,
  ];
  return lines.filter((line) => line !== "").join("\n");
}
