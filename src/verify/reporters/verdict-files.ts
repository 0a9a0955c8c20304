import type { Finding } from "../finding.ts";
import type { Verdict } from "../verdict.ts";
import { countsOf, documentOf, findingChapters, passedChapter } from "./html.ts";
import { attributesOf, type Test, testOf } from "./junit.ts";
import { markup } from "./markup.ts";

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
