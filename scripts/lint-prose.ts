import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMain } from "../src/cli/is-main.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Words that a reader has to decode, as a regular expression, and what to write instead. */
const WORDS: Readonly<Record<string, string>> = {
  "mends?|mended": "fix",
  "tells?|told|telling": "notify a person, report a result, publish a signal, log",
  // Not the user nobody of the system, nor a fault's name.
  "somebody|whoever|everybody|(?<!user |[-\"'`])nobody(?![-\"'`])":
    "the actor: the caller, the operator, the provider, no candidate",
  "anew|well again": "again; has recovered",
  "so-manieth": "every nth",
  "in vain|under its feet|leaves the house": "what happens, without the image",
  "by itself|by themselves": "automatically",
  "what came of it|what was told": "result; notifications",
};

/** Neither generated nor verbatim, nor fixed by a checksum. The changelog quotes old names; Pact's descriptions are public. */
const WRITTEN =
  /^(?!generated\/|contracts\/|spec\/contract\.md|CHANGELOG|(test\/)?scripts\/lint-prose|.*\/migrations\/).*\.(tsx?|cjs|md|ya?ml|css)$/;

export interface ProseFinding {
  line: number;
  word: string;
  instead: string;
}

/** Returns each word of a text that a reader has to decode. */
export function lintProse(text: string): ProseFinding[] {
  const lines = text.split("\n");
  return Object.entries(WORDS).flatMap(([words, instead]) =>
    lines.flatMap((line, index) =>
      [...line.matchAll(new RegExp(`\\b(?:${words})\\b`, "gi"))].map(([word]) => ({
        line: index + 1,
        word,
        instead,
      })),
    ),
  );
}

/** Returns the paths of the files that are, or would be, committed. */
export function committedFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
  });
  const files = listed.toString().split("\n").filter(Boolean);
  return files.filter((file) => existsSync(join(ROOT, file)));
}

function lintTree(): string[] {
  return committedFiles()
    .filter((file) => WRITTEN.test(file))
    .flatMap((file) =>
      lintProse(readFileSync(join(ROOT, file), "utf8")).map(
        ({ line, word, instead }) => `${file}:${line}: "${word}": write instead: ${instead}`,
      ),
    );
}

if (isMain(import.meta)) {
  const findings = lintTree();
  for (const finding of findings) process.stderr.write(`${finding}\n`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
