import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { markup } from "../../src/verify/reporters/html.ts";
import { bundledIn, noticesOf } from "../build/notices.ts";
import { type Page, SEARCH, shell } from "./shell.ts";

/** A part of a page that the search finds. */
export interface Section {
  /** The title of the page. */
  page: string;
  title: string;
  href: string;
  text: string;
}

const STARTS = /(?=<(?:h[1-6]|tr) id=")/;
const HEAD = /^<(\w+) id="([^"]+)"[^>]*>([\s\S]*?)<\/(?:h[1-6]|th)>/;

/** Returns a section for each heading, and for each row that has an id. */
export function sectionsOf({ file, title: page }: Page, html: string): Section[] {
  const main = html.slice(html.indexOf("<main"), html.indexOf("</main>"));
  return main.split(STARTS).flatMap((part) => {
    const [start = "", tag, id, title = ""] = HEAD.exec(part) ?? [];
    if (id === undefined) return [];
    const href = tag === "h1" ? file : `${file}#${id}`;
    return [{ page, title: plain(title), href, text: plain(part.slice(start.length)) }];
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

function plain(html: string): string {
  return html
    .replaceAll(/<nav class="contents"[\s\S]*?<\/nav>/g, "")
    .replaceAll(/<\/?(?:a|code|em|strong)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim();
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the page of the search, the only one of our own with a script. */
export const searchPage = (): string =>
  shell(
    SEARCH,
    markup`<h1>Search</h1>
<div role="search">
<label for="words">Words in the guides, the contract, the decisions and the codes</label>
<input id="words" type="search" autocomplete="off">
</div>
<p id="count" role="status"></p>
<ol id="found"></ol>
<script src="search.js"></script>`,
  );

/** Returns `search.js`: the sections, MiniSearch, and the code of the page. It loads nothing, so it works from the file system, too. */
export async function searchScript(sections: readonly Section[]): Promise<string> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["scripts/docs/search-page.ts"],
    define: { SECTIONS: JSON.stringify(sections) },
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    format: "iife",
    logLevel: "silent",
  });
  const code = outputFiles.map(({ text }) => text).join("");
  return `/*\n${noticesOf(bundledIn(ROOT, metafile))}*/\n${code}`;
}
