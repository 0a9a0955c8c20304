import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMain } from "../src/cli/is-main.ts";
import { committedFiles } from "./lint-prose.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The names are not registered with npm: a command that fetches one runs what a stranger published. */
const NAME = String.raw`["']?(?:shiftpact(?:-platform)?|@shiftpact\/platform)(?![\w./-])`;
const OPTIONS = String.raw`(?: +-[^\s]+)*`;
const RUNS = new RegExp(
  String.raw`\b(?:npx|bunx|pnpx|npm (?:exec|x)|(?:pnpm|yarn) dlx)(${OPTIONS}) +${NAME}`,
  "g",
);
const INSTALLS = new RegExp(
  String.raw`\b(?:npm (?:install|i|add)|(?:pnpm|yarn|bun) add)(?: +[^\s\x60]+)*? +${NAME}`,
  "g",
);
/** Commands of another name than their package: without a local installation, npx fetches a stranger's package as well. */
const FOREIGN = /\b(?:npx|bunx)((?: +-\S+)*) +(?:biome|bru|pact-stub-server|pact-verifier|prism|redocly)\b/g;

export interface NameFinding {
  line: number;
  command: string;
}

/** Returns each command of a text that would fetch a package by an unregistered name. `npx --no-install` fetches none. */
export function lintNames(text: string): NameFinding[] {
  return text.split("\n").flatMap((line, index) => {
    const runs = [...line.matchAll(RUNS), ...line.matchAll(FOREIGN)].filter(
      ([, options = ""]) => !options.split(" ").includes("--no-install"),
    );
    return [...runs, ...line.matchAll(INSTALLS)].map(([command]) => ({ line: index + 1, command }));
  });
}

if (isMain(import.meta)) {
  for (const file of committedFiles()) {
    if (/^(CHANGELOG\.md|test\/scripts\/lint-names\.test\.ts|package-lock\.json)$/.test(file)) continue;
    for (const { line, command } of lintNames(readFileSync(join(ROOT, file), "utf8"))) {
      process.stderr.write(`${file}:${line}: "${command}": install a tarball, and write npx --no-install\n`);
      process.exitCode = 1;
    }
  }
}
