import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decisionsPage } from "./decisions.ts";
import { downloadFiles, downloadsPage } from "./downloads.ts";
import { eventsPage } from "./events.ts";
import { writtenPages } from "./guides.ts";
import { homePage } from "./home.ts";
import { issuesPage } from "./issues.ts";
import { operationsOf } from "./operations.ts";
import { policiesOf } from "./policy.ts";
import { problemsPage } from "./problems.ts";
import { renderOpenapi } from "./redoc.ts";
import { DECISIONS, DOWNLOADS, EVENTS, HOME, ISSUES, PROBLEMS, REFERENCES, redocTemplate } from "./shell.ts";
import { readSpecFolder } from "./spec-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SPEC = join(ROOT, "spec");
const GENERATED = join(ROOT, "generated/spec");

/** Told each file as soon as it is rendered. */
type OnFile = (file: string) => void;

/** Every file of the site with its text: pages, the files they offer, docs.css, and policies.json with a Content-Security-Policy for each page. */
export async function siteFiles(onFile: OnFile): Promise<Map<string, string>> {
  const references = referencePages(onFile);
  const pages = new Map([...ownPages(onFile), ...(await references)]);
  const policies = `${JSON.stringify(policiesOf(pages), undefined, 2)}\n`;
  const style = readFileSync(join(import.meta.dirname, "docs.css"), "utf8");
  return new Map([...pages, ...downloadFiles(GENERATED), ["docs.css", style], ["policies.json", policies]]);
}

function ownPages(onFile: OnFile): [string, string][] {
  const spec = readSpecFolder(SPEC);
  const operations = operationsOf(spec);
  const decided = readFileSync(join(SPEC, "decisions.md"), "utf8");
  const pages: [string, string][] = [
    [HOME.file, homePage()],
    ...writtenPages(SPEC),
    [EVENTS.file, eventsPage(spec)],
    [DOWNLOADS.file, downloadsPage(downloadFiles(GENERATED).map(([name]) => name))],
    [DECISIONS.file, decisionsPage(spec, operations, decided)],
    [PROBLEMS.file, problemsPage(spec, operations)],
    [ISSUES.file, issuesPage()],
  ];
  for (const [file] of pages) onFile(file);
  return pages;
}

/** All at once: each is a process that takes half a second. */
async function referencePages(onFile: OnFile): Promise<[string, string][]> {
  const rendered = Object.entries(REFERENCES).map(async ([document, page]): Promise<[string, string]> => {
    const html = await renderOpenapi(join(SPEC, document), redocTemplate(page));
    onFile(page.file);
    return [page.file, html];
  });
  return Promise.all(rendered);
}
