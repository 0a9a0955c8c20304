import type { Verdict } from "../verdict.ts";
import { chapter, passedChapter, skippedChapter } from "./html.ts";
import { STYLE } from "./html-style.ts";
import { countsOf, type Test, testOf } from "./junit.ts";
import { Markup, markup } from "./markup.ts";
import { sectionsOf } from "./outline.ts";

/** The reports of a run that talks to no provider; `subject` says what was judged: "webhooks", or a file's name. */
export const verdictFiles = {
  "report.html": verdictHtml,
  "junit.xml": verdictJunit,
  "report.json": verdictJson,
} as const;

function verdictHtml({ summary, findings, passed }: Verdict, subject: string): string {
  const { verdict, errors, warnings, skipped, checks } = summary;
  const counts = { errors, warnings, "not checked": skipped, checks };
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${subject} ${verdict}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<header>
<p class="verdict ${verdict}">${verdict}</p>
<h1>${subject}</h1>
<ul class="counts">${Object.entries(counts).map(([name, count]) => markup`<li><b>${count}</b> ${name}</li>`)}</ul>
</header>
<main>
${chapter("Errors", sectionsOf(findings, "error"))}
${chapter("Warnings", sectionsOf(findings, "warning"))}
${skippedChapter(findings)}
${passedChapter({ passed })}
</main>
</body>
</html>
`.text;
}

/** A test for each check that passed and for each finding. */
function verdictJunit({ findings, passed }: Verdict, subject: string): string {
  const tests: Test[] = [
    ...passed.map((each) => ({ passed: each })),
    ...findings.map((finding) => ({ finding, isFailure: finding.severity === "error" })),
  ];
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="shiftpact ${subject}" ${countsOf(tests)} errors="0">
  <testsuite name="${subject}" ${countsOf(tests)} errors="0">
${tests.map(testOf)}  </testsuite>
</testsuites>
`.text;
}

function verdictJson(verdict: Verdict, subject: string): string {
  return `${JSON.stringify({ subject, ...verdict }, undefined, 2)}\n`;
}
