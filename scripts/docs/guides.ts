import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Markup, markup } from "../../src/verify/reporters/markup.ts";
import { type Heading, type LinkTo, written } from "./markdown.ts";
import {
  CONTRACT,
  DECISIONS,
  EVENTS,
  FINDINGS,
  GUIDES,
  ISSUES,
  type Page,
  PROBLEMS,
  REFERENCES,
  shell,
} from "./shell.ts";

/** The pages that are written by hand, or by another script: spec/guides/*.md and spec/findings.md. */
export function writtenPages(specFolder: string): [string, string][] {
  const guides = Object.entries(GUIDES).map(([name, page]) => [page, `guides/${name}.md`] as const);
  const texts = [[CONTRACT, "contract.md"] as const, [FINDINGS, "findings.md"] as const];
  return [...guides, ...texts].map(([page, path]) => [
    page.file,
    writtenPage(page, readFileSync(join(specFolder, path), "utf8")),
  ]);
}

/** A note in a text that a script wrote. */
const FOR_EDITORS = /^Written by .* Do not edit\.$/m;

/** A text with a list of its chapters below the title; its links work in the repository as well as on the site. */
function writtenPage(page: Page, text: string): string {
  const { html, headings } = written(text.replace(FOR_EDITORS, ""), siteLink);
  const end = html.text.indexOf("</h1>") + "</h1>".length;
  const [title, rest] = [new Markup(html.text.slice(0, end)), new Markup(html.text.slice(end))];
  return shell(page, markup`${title}${contents(headings)}${rest}`);
}

function contents(headings: readonly Heading[]): Markup {
  const chapters = headings.filter(({ depth }) => depth === 2);
  const links = chapters.map(({ id, title }) => markup`<li><a href="#${id}">${new Markup(title)}</a></li>`);
  return markup`<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${links}</ul></nav>`;
}

/** What the written texts link to, and which page of the site that is. */
const PAGE_OF: Readonly<Record<string, Page>> = {
  "../findings.md": FINDINGS,
  "../events.asyncapi.yaml": EVENTS,
  "../contract.md": CONTRACT,
  "contract.md": CONTRACT,
  "../decisions.md": DECISIONS,
  "../../src/contract/problem.ts": PROBLEMS,
  "../../src/contract/operator-text/issue.ts": ISSUES,
  ...Object.fromEntries(Object.entries(GUIDES).map(([name, page]) => [`${name}.md`, page])),
  ...Object.fromEntries(Object.entries(REFERENCES).map(([name, page]) => [`../${name}`, page])),
};

/** @throws Error for a link to a file of the repository that is no page of the site */
export const siteLink: LinkTo = (href) => {
  if (/^(https:|#)/.test(href)) return href;
  const [path = "", fragment] = href.split("#");
  // The site has no source files: the repository is where a reader finds them.
  if (path.endsWith("/provider.py")) return `${GUIDES["first-ten-minutes"].file}#minute-3-see-how-it-is-made`;
  const page = PAGE_OF[path];
  if (page === undefined) throw new Error(`spec/guides links to ${href}, which is no page of the site`);
  return page.file + (fragment === undefined ? "" : `#${fragment}`);
};
