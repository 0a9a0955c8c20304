import type { CheckResult } from "../check-results.ts";
import type { Reporter, Summary, Verification } from "../events.ts";
import type { Finding } from "../finding.ts";
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

/** Light and dark, for any width, with system fonts: the report loads nothing. */
const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --paper: #fff; --card: #f6f8fa; --line: #d1d9e0;
  --red: #b3261e; --amber: #8a5a00; --green: #1a7f37; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4af; --paper: #0d1117; --card: #161b22; --line: #30363d;
    --red: #ff7b72; --amber: #e3b341; --green: #56d364; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin: .5rem 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
h4, article h3 { font-size: 1rem; margin: 0; }
small, dt { color: var(--soft); font-weight: normal; }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; }
.verdict { display: inline-block; margin: 0; padding: .1rem .8rem; border-radius: 1rem; font-weight: bold; color: var(--paper); }
.verdict.conforms { background: var(--green); }
.verdict.incomplete { background: var(--amber); }
.verdict.fails { background: var(--red); }
.counts { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; margin: .5rem 0; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .5rem 0; font-size: .875rem; }
.facts div { display: flex; gap: .4rem; }
.facts dt { white-space: nowrap; }
.facts dd { margin: 0; }
article { background: var(--card); border: 1px solid var(--line); border-left: .3rem solid var(--line); border-radius: .3rem;
  padding: .75rem 1rem; margin: .75rem 0; }
article.error { border-left-color: var(--red); }
article.warning { border-left-color: var(--amber); }
article dl { display: grid; grid-template-columns: 5.5rem 1fr; gap: .15rem .5rem; margin: .5rem 0; }
article dd { margin: 0; }
article ul { margin: .25rem 0; padding-left: 1.25rem; }
pre { margin: .5rem 0 0; padding: .5rem; background: var(--paper); border: 1px solid var(--line);
  border-radius: .3rem; user-select: all; white-space: pre-wrap; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child { text-align: left; }
details { margin: 2rem 0; }
summary { cursor: pointer; }
@media (max-width: 30rem) {
  article dl { grid-template-columns: 1fr; }
  article dd { margin-bottom: .4rem; }
  th, td { padding: .25rem .3rem; }
  th:first-child { min-width: 9rem; white-space: normal; }
}
@media print { body { max-width: none; } }
`;

/** Text of an HTML or XML document with escaped values. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Markup | string | number | readonly Part[];

/** Escapes each value in `${}`, except for markup. Attributes must be in double quotes. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const written = strings.map((string, index) => string + textOf(parts[index] ?? ""));
  return new Markup(written.join(""));
}

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text;
  return typeof part === "object" ? part.map(textOf).join("") : escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text. XML allows no control characters or lone surrogates, not even escaped. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, "\ufffd")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
