import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { markup } from "../../src/verify/reporters/html.ts";
import { bundledIn, noticesOf } from "../build/notices.ts";
import type { Section } from "./sections.ts";
import { SEARCH, shell } from "./shell.ts";

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
