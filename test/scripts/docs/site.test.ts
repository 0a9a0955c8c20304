import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { main } from "../../../scripts/docs.ts";
import { issueCodes } from "../../../src/contract/operator-text.ts";
import { catalogue } from "../../../src/contract/problem.ts";
import { codes } from "../../../src/verify/codes/codes.ts";

const SPEC = fileURLToPath(new URL("../../../spec", import.meta.url));
const OPENAPI_PAGES = ["candidate.html", "operations.html", "platform.html", "provider.html"];
const REDOC_PAGES = ["events.html", "notifications.html", ...OPENAPI_PAGES];

let folder: string;
let printed: string;
let code: number;
const files = new Map<string, string>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "docs-test-"));
  const lines: string[] = [];
  const write = (text: string) => lines.push(text);
  code = await main(["--out", join(folder, "site")], { out: write, error: write });
  printed = lines.join("");
  for (const file of readdirSync(join(folder, "site"))) {
    files.set(file, readFileSync(join(folder, "site", file), "utf8"));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const pages = (): [string, string][] => [...files].filter(([file]) => file.endsWith(".html"));
const ownPages = () => pages().filter(([file]) => !REDOC_PAGES.includes(file));
/** Of the pages without Redoc, the search alone has a script. */
const SEARCH_SCRIPT = '<script src="search.js"></script>';
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
const linksOf = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = ""]) => href);

/** Returns the visible text in one line. */
function textOf(html: string): string {
  const entities: Record<string, string> = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&#39;": "'",
    "&amp;": "&",
  };
  const text = html.replaceAll(/<[^>]+>/g, "");
  return text
    .replaceAll(/&(lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, " ");
}

const page = (file: string): string => files.get(file) ?? "";

/** Returns the addresses at which Redoc shows an operation: `provider.html#/shifts/getshift`. */
function operationLinks(): string[] {
  return OPENAPI_PAGES.flatMap((file) => {
    const { paths } = parse(readFileSync(join(SPEC, file.replace(".html", ".openapi.yaml")), "utf8")) as {
      paths: Record<string, Record<string, { operationId?: string; tags?: string[] }>>;
    };
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    return operations.flatMap(({ operationId, tags }) =>
      operationId === undefined ? [] : [`${file}#/${tags?.[0]}/${operationId}`.toLowerCase()],
    );
  });
}

describe("npm run docs", () => {
  it("prints each page and how many files it wrote", () => {
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(/ {2}events\.html\n/) });
    expect(printed).toContain(`${files.size} files in `);
  });

  it.each([
    [["--help"], 0, /npm run docs -- --out/],
    [["--colour"], 2, /--colour.*--help/s],
    [["somewhere"], 2, /somewhere.*--help/s],
  ])("given %j, exits with %i", async (argv, expected, output) => {
    const lines: string[] = [];
    const terminal = { out: (text: string) => lines.push(text), error: (text: string) => lines.push(text) };
    expect(await main(argv, terminal)).toBe(expected);
    expect(lines.join("")).toMatch(output);
  });

  it("names the file that is in the place of the folder", async () => {
    writeFileSync(join(folder, "a-file"), "");
    const lines: string[] = [];
    const terminal = { out: () => {}, error: (text: string) => lines.push(text) };
    expect(await main(["--out", join(folder, "a-file")], terminal)).toBe(1);
    expect(lines.join("")).toContain("a-file");
  });
});

describe("a page of the site", () => {
  it("links only to existing pages, sections, and operations", () => {
    const operations = new Set(operationLinks());
    const isThere = (from: string, href: string): boolean => {
      const [path = "", fragment] = href.split("#");
      const file = path === "" ? from : path;
      if (fragment?.startsWith("/")) return operations.has(`${file}#${fragment}`);
      return files.has(file) && (fragment === undefined || idsOf(page(file)).includes(fragment));
    };
    const links = ownPages().flatMap(([file, html]) => linksOf(html).map((href) => ({ file, href })));
    expect(links.length).toBeGreaterThan(200);
    expect(links.filter(({ file, href }) => !isThere(file, href))).toEqual([]);
  });

  it("is linked from the menu of every page", () => {
    const names = pages().map(([file]) => file);
    for (const [, html] of pages()) expect(linksOf(html)).toEqual(expect.arrayContaining(names));
  });

  it("loads nothing except the style sheet, and the script of the search", () => {
    for (const [file, html] of pages()) {
      const markup = html.replaceAll(/<script\b[\s\S]*?<\/script/g, "");
      const loaded = [
        ...markup.matchAll(/<(?:link|img|script|iframe|source)\b[^>]*?(?:src|href)="([^"]+)"/g),
      ];
      // A diagram is in its page.
      const names = new Set(
        loaded.map(([, url = ""]) => url).filter((url) => !url.startsWith("data:image/")),
      );
      expect({ file, names: [...names].sort() }).toEqual({ file, names: ["data:,", "docs.css"] });
    }
    expect(page("docs.css")).not.toMatch(/url\(|@import/);
  });

  it("has a unique title, a language, landmarks, and one top heading", () => {
    const titles = pages().map(([, html]) => /<title>([^<]+)<\/title>/.exec(html)?.[1]);
    expect(new Set(titles).size).toBe(pages().length);
    for (const [, html] of pages())
      expect(html).toMatch(/<html lang="en">[\s\S]*<header[\s\S]*<nav aria-label=/);
    for (const [file, html] of ownPages()) {
      const counted = ["<main id=", "<h1", 'class="skip" href="#content"'].map(
        (part) => html.split(part).length - 1,
      );
      expect({ file, counted }).toEqual({ file, counted: [1, 1, 1] });
    }
  });

  it("uses each id once", () => {
    for (const [file, html] of ownPages()) {
      const ids = idsOf(html);
      expect({ file, twice: ids.filter((id, index) => ids.indexOf(id) !== index) }).toEqual({
        file,
        twice: [],
      });
    }
  });

  it("has no inline script or style, or a policy that allows exactly its scripts", () => {
    const policies = JSON.parse(page("policies.json")) as Record<string, string>;
    expect(Object.keys(policies).sort()).toEqual(["*", ...REDOC_PAGES, "search.html"].sort());
    for (const [, html] of ownPages())
      expect(html.replace(SEARCH_SCRIPT, "")).not.toMatch(/<script|<style| style=| on[a-z]+="/);
    expect(page("search.html")).toContain(SEARCH_SCRIPT);
    expect(policies["search.html"]).toMatch(/; script-src 'self'; style-src 'self'; img/);
    for (const policy of Object.values(policies)) expect(policy).toMatch(/^default-src 'none'; /);
    for (const file of REDOC_PAGES) {
      expect(policies[file]).toMatch(/; script-src( 'sha256-[\w+/]{43}=')+; /);
    }
  });
});

describe("the search", () => {
  it("has each section of each page and each code", () => {
    const script = page("search.js");
    for (const href of [
      "guide-operator.html#restore",
      "findings.html#time_without_offset",
      "contract.html",
    ]) {
      expect(script).toContain(`href:"${href}"`);
    }
    const headings = ownPages().flatMap(([file, html]) =>
      [...html.matchAll(/<h[23] id="([^"]+)"/g)].map(([, id]) => `${file}#${id}`),
    );
    expect(headings.length).toBeGreaterThan(100);
    expect(headings.filter((href) => !script.includes(`href:"${href}"`))).toEqual([]);
  });
});

describe("a lookup page", () => {
  it.each([
    ["problems.html", Object.keys(catalogue)],
    ["findings.html", Object.keys(codes)],
    ["issues.html", issueCodes],
    ["guide-runbook.html", issueCodes],
  ])("%s lists every code", (file, entries) => {
    expect(idsOf(page(file))).toEqual(expect.arrayContaining(entries));
  });

  it("gives the status and title of an error, and links the operations that name it", () => {
    const row = /<tr id="event_queued">.*?<\/tr>/s.exec(page("problems.html"))?.[0] ?? "";
    expect(textOf(row)).toContain(`409${catalogue.event_queued.title}`);
    const shown = linksOf(page("problems.html")).filter((href) => href.includes("#/"));
    expect(new Set(shown).size).toBeGreaterThan(10);
  });

  it("shows every decision", () => {
    const rows = readFileSync(join(SPEC, "decisions.md"), "utf8").matchAll(/^\| (?!---)([^|]+?) +\|/gm);
    const points = [...rows].map(([, point = ""]) => point.replaceAll("`", ""));
    expect(points.length).toBeGreaterThan(40);
    const shown = textOf(page("decisions.html"));
    expect(points.filter((point) => !shown.includes(point))).toEqual([]);
  });
});
