import type { Finding } from "../finding.ts";
import type { Verdict } from "../verdict.ts";
import { chapter, documentOf, passedChapter, skippedChapter } from "./html.ts";
import { countsOf, type Test, testOf } from "./junit.ts";
import { markup } from "./markup.ts";
import { sectionsOf } from "./report-content.ts";

/** Reports of a run without a provider; `subject` is "webhooks" or the name of a file. */
export const verdictFiles = {
  "report.html": verdictHtml,
  "junit.xml": verdictJunit,
  "report.json": verdictJson,
} as const;

function verdictHtml({ summary, findings, passed }: Verdict, subject: string): string {
  const { verdict, errors, warnings, skipped, checks } = summary;
  const counts = { errors, warnings, "not checked": skipped, checks };
  const header = markup`<header>
<p class="verdict ${verdict}">${verdict}</p>
<h1>${subject}</h1>
<ul class="counts">${Object.entries(counts).map(([name, count]) => markup`<li><b>${count}</b> ${name}</li>`)}</ul>
</header>`;
  return documentOf(`${subject} ${verdict}`, header, [
    chapter("Errors", sectionsOf(findings, "error")),
    chapter("Warnings", sectionsOf(findings, "warning")),
    skippedChapter(findings),
    passedChapter(passed.map(({ title, operation }) => ({ operation, name: title, titles: [] }))),
  ]);
}

/** A test for each check that passed and for each finding. */
function verdictJunit({ findings, passed }: Verdict, subject: string): string {
  const tests: Test[] = [
    ...passed.map(({ operation, title }) => ({ operation, name: title, outcome: "passed" }) as const),
    ...findings.map((finding) => {
      const { operation, severity: outcome } = finding;
      return { operation, name: nameOf(finding, findings), outcome, finding };
    }),
  ];
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="shiftpact ${subject}" ${countsOf(tests)} errors="0">
  <testsuite name="${subject}" ${countsOf(tests)} errors="0">
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

function verdictJson(verdict: Verdict, subject: string): string {
  return `${JSON.stringify({ subject, ...verdict }, undefined, 2)}\n`;
}
