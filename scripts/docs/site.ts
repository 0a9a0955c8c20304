import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { downloadsText, homeText, issuesText, problemsText } from "./lookups.ts";
import { markdownPage } from "./markdown.ts";
import { policiesOf } from "./policy.ts";
import { operationsIn, renderDocument } from "./redoc.ts";
import { searchPage, searchScript, sectionsOf } from "./sections.ts";
import {
  CONTRACT,
  DECISIONS,
  DOWNLOADS,
  FINDINGS,
  GUIDES,
  HOME,
  ISSUES,
  MESSAGES,
  type Page,
  PROBLEMS,
  REFERENCES,
  redocTemplate,
  SEARCH,
} from "./shell.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SPEC = join(ROOT, "spec");
const GENERATED = join(ROOT, "generated/spec");

/** Called with each file as soon as it is rendered. */
type OnFile = (file: string) => void;

/**
 * Returns every file of the site with its text: pages, the documents they offer, search.js, docs.css, and policies.json with
 * a Content-Security-Policy for each page.
 */
export async function siteFiles(onFile: OnFile): Promise<Map<string, string>> {
  const references = referencePages(onFile);
  const documents = downloads();
  const texts = [...writtenPages(onFile), ...composedPages(documents, onFile)];
  const script = await searchScript(texts.flatMap(([page, html]) => sectionsOf(page, html)));
  onFile(SEARCH.file);
  const pages = new Map([
    ...texts.map(([{ file }, html]) => [file, html] as const),
    [SEARCH.file, searchPage()],
    ...(await references),
  ]);
  const policies = `${JSON.stringify(policiesOf(pages), undefined, 2)}\n`;
  const style = readFileSync(join(import.meta.dirname, "docs.css"), "utf8");
  const others = { "search.js": script, "docs.css": style, "policies.json": policies };
  return new Map([...pages, ...documents, ...Object.entries(others)]);
}

const downloads = (): Map<string, string> =>
  new Map(readdirSync(GENERATED).map((name) => [name, readFileSync(join(GENERATED, name), "utf8")]));

const WRITTEN = new Map<string, Page>([
  ...Object.entries(GUIDES).map(([name, page]) => [`guides/${name}.md`, page] as const),
  ["contract.md", CONTRACT],
  ["decisions.md", DECISIONS],
  ["findings.md", FINDINGS],
]);

/** The site has no source files: the path alone is shown. */
const LINK_TO_CODE = /\[(`[^`]+`)\]\((?:\.\.\/)+(?:src|scripts|test)\/[^)]+\)/g;
/** A note in a text that a script wrote. */
const FOR_EDITORS = /^Written by .* Do not edit\.$/m;

/** Returns the pages of spec/**.md. */
function writtenPages(onFile: OnFile): [Page, string][] {
  return [...WRITTEN].map(([path, page]) => {
    const text = readFileSync(join(SPEC, path), "utf8")
      .replace(FOR_EDITORS, "")
      .replaceAll(LINK_TO_CODE, "$1");
    onFile(page.file);
    return [page, markdownPage(page, text, siteLink)];
  });
}

/** Files of the repository to which written pages link, from spec/guides or spec, and their pages. */
const PAGE_OF: Readonly<Record<string, Page>> = {
  ...Object.fromEntries([...WRITTEN].map(([path, page]) => [path.replace("guides/", ""), page])),
  ...Object.fromEntries([...WRITTEN].map(([path, page]) => [`../${path}`, page])),
  ...Object.fromEntries(
    Object.entries({ ...REFERENCES, ...MESSAGES }).map(([name, page]) => [`../${name}`, page]),
  ),
  "../../src/contract/problem.ts": PROBLEMS,
  "../../src/contract/operator-text/issue.ts": ISSUES,
};

/** @throws Error for a link to a file of the repository that has no page */
function siteLink(href: string): string {
  if (/^(https:|#)/.test(href)) return href;
  if (href.endsWith(".webp"))
    return `data:image/webp;base64,${readFileSync(join(SPEC, "guides", href), "base64")}`;
  const [path = "", fragment] = href.split("#");
  // The site has no source files: readers find them in the repository.
  if (path.endsWith("/provider.py")) return `${GUIDES["first-ten-minutes"].file}#minute-3-see-how-it-is-made`;
  const page = PAGE_OF[path];
  if (page === undefined) throw new Error(`spec/ links to ${href}, which is not a page of the site`);
  return page.file + (fragment === undefined ? "" : `#${fragment}`);
}

function composedPages(documents: ReadonlyMap<string, string>, onFile: OnFile): [Page, string][] {
  const operations = operationsIn(SPEC);
  const texts = [
    [HOME, homeText()],
    [DOWNLOADS, downloadsText([...documents.keys()])],
    [PROBLEMS, problemsText(operations)],
    [ISSUES, issuesText(operations)],
  ] as const;
  return texts.map(([page, text]) => {
    onFile(page.file);
    return [page, markdownPage(page, text)];
  });
}

/** Renders all documents at the same time: each is a process that takes half a second. */
async function referencePages(onFile: OnFile): Promise<[string, string][]> {
  const rendered = Object.entries({ ...REFERENCES, ...MESSAGES }).map(
    async ([document, page]): Promise<[string, string]> => {
      const html = await renderDocument(join(SPEC, document), redocTemplate(page));
      onFile(page.file);
      return [page.file, html];
    },
  );
  return Promise.all(rendered);
}
