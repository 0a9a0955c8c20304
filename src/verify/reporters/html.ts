import type { CheckResult } from "../check-results.ts";
import type { Reporter, Summary, Verification } from "../events.ts";
import type { Finding } from "../finding.ts";
import { STYLE } from "./html-style.ts";
import { Markup, markup } from "./markup.ts";
import {
  counted,
  coverageTable,
  formLabels,
  type NotChecked,
  notChecked,
  notesOf,
  rowsOf,
  type Section,
  sectionsOf,
} from "./report-content.ts";

export function htmlReport(write: (text: string) => void): Reporter {
  return (event) => {
    if (event.type === "end") write(pageOf(event.verification));
  };
}

function pageOf(verification: Verification): string {
  const { summary, findings, baseUrl } = verification;
  return documentOf(`${baseUrl} ${summary.verdict}`, headOf(verification), [
    ...findingChapters(findings),
    coverageChapter(verification),
    passedChapter(verification.checks.filter(({ outcome }) => outcome === "passed")),
  ]);
}

function headOf(verification: Verification): Markup {
  const { summary, forms, requests, duration, seed, baseUrl } = verification;
  const { providerId, startedAt, version, command, readOnly } = verification;
  const facts = [
    ["target", baseUrl],
    ["organisation", providerId],
    ["date", `${startedAt.slice(0, 10)} ${startedAt.slice(11, 19)} UTC`],
    ["duration", `${(duration / 1000).toFixed(1)} s`],
    ["version", `shiftpact ${version}`],
    ["seed", String(seed)],
    ...formLabels(forms),
  ] as const;
  return markup`<header>
<p class="verdict ${summary.verdict}">${summary.verdict}${readOnly ? " (read-only)" : ""}</p>
${notesOf(verification).map((note) => markup`<p>${note}</p>`)}
<h1>${baseUrl}</h1>
${countsOf(summary, [counted(requests, "request")])}
<dl class="facts">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${command === undefined ? "" : markup`<pre><code>${command}</code></pre>`}
</header>`;
}

/** Returns the list of counts. @param more texts like `2 requests` */
export function countsOf(
  { errors, warnings, skipped, checks }: Summary,
  more: readonly string[] = [],
): Markup {
  const counts = [counted(errors, "error"), counted(warnings, "warning"), `${skipped} not checked`];
  const items = [...counts, counted(checks, "check"), ...more].map((text) => {
    const [count = "", name = ""] = text.split(/ (.*)/);
    return markup`<li><b>${count}</b> ${name}</li>`;
  });
  return markup`<ul class="counts">${items}</ul>`;
}

export const findingChapters = (findings: readonly Finding[]): readonly Markup[] => [
  chapter("Errors", sectionsOf(findings, "error")),
  chapter("Warnings", sectionsOf(findings, "warning")),
  skippedChapter(findings),
];

function chapter(title: string, sections: readonly Section[]): Markup {
  if (sections.length === 0) return markup``;
  return markup`<section><h2>${title}</h2>
${sections.map(placeOf)}</section>`;
}

function placeOf({ place, call, findings }: Section): Markup {
  const name = call === "" ? "The provider as a whole" : markup`<code>${call}</code> <small>${place}</small>`;
  return markup`<h3>${name}</h3>
${findings.map(findingOf)}`;
}

function findingOf(finding: Finding): Markup {
  const { title, severity, reproduce } = finding;
  const rows = rowsOf(finding).map(([label, text]) => markup`<dt>${label}</dt><dd>${withCode(text)}</dd>\n`);
  return markup`<article class="${severity}">
<h4>${title}</h4>
<dl>
${rows}</dl>
${reproduce === "" ? "" : markup`<pre><code>${reproduce}</code></pre>`}
</article>
`;
}

function withCode(text: string): readonly Markup[] {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`));
}

function skippedChapter(findings: readonly Finding[]): Markup {
  const reasons = notChecked(findings);
  if (reasons.length === 0) return markup``;
  const item = ({ title, places }: NotChecked["checks"][number]) =>
    markup`<li>${title} <small>${places.join(", ")}</small></li>`;
  return markup`<section><h2>Not checked</h2>
${reasons.map(
  ({
    reason,
    checks,
  }) => markup`<article class="skipped"><h3>${reason}</h3><ul>${checks.map(item)}</ul></article>
`,
)}</section>`;
}

function coverageChapter({ coverage }: Verification): Markup {
  const { statuses, rows } = coverageTable(coverage);
  const cells = (counts: readonly number[]) =>
    counts.map((count) => markup`<td>${count === 0 ? "" : count}</td>`);
  return markup`<section><h2>Responses by status</h2>
<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">operation</th>${statuses.map((status) => markup`<th scope="col">${status}</th>`)}</tr></thead>
<tbody>${rows.map(({ call, counts }) => markup`<tr><th scope="row"><code>${call}</code></th>${cells(counts)}</tr>`)}</tbody>
</table></div></section>`;
}

export function passedChapter(passed: readonly Pick<CheckResult, "operation" | "name" | "titles">[]): Markup {
  const items = passed.map(({ name, operation, titles }) => {
    const holds = titles.filter((title) => title !== name).join("; ");
    return markup`<li>${name} <small>${operation}${holds === "" ? "" : `: ${holds}`}</small></li>`;
  });
  return markup`<section><details><summary>${counted(passed.length, "check")} passed</summary>
<ul>${items}</ul></details></section>`;
}

/** Returns a self-contained HTML document without scripts. */
export function documentOf(title: string, header: Markup, chapters: readonly Markup[]): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
${header}
<main>
${chapters.map((each) => markup`${each}\n`)}</main>
</body>
</html>
`.text;
}
