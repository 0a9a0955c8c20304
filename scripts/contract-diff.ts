import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isMain } from "../src/cli/is-main.ts";
import { compare } from "./contract-diff/compare.ts";
import { CannotCompare, checkOut, findBase } from "./contract-diff/documents.ts";
import { jsonReport, textReport, totalsOf } from "./contract-diff/report.ts";
import type { Terminal } from "./terminal.ts";

const HELP = `Reports the changes to spec/ since a git revision that break providers or the platform.

  npm run contract:diff                 since the branch left origin's main, or since the last tag, or the last commit
  npm run contract:diff -- --base REV   since a commit, a tag or a branch

  --spec DIR   the documents' folder   (spec)
  --json       for a program
  --help       show this

A change breaks the side that was built for the old document, if a partner built for the new one refuses what it sends, or sends what it
refuses. Where that cannot be ruled out, the change counts as breaking; a keyword that is not supported stops the comparison. Members
that only the other side declares are not sent in an open object. A renamed operationId is a notice: it changes generated code only.

A breaking change is declared by a new major version in the document's info.version; additions are a new minor version.
Exit code: 0 nothing breaks or all of it is declared, 1 a breaking change is not declared, 2 could not compare.
`;

const OPTIONS = {
  base: { type: "string" },
  spec: { type: "string", default: "spec" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** Runs the command. Resolves with the exit code. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS, strict: true });
    if (values.help) {
      terminal.out(HELP);
      return 0;
    }
    return run(values, terminal);
  } catch (error) {
    const wrongArguments = (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
    if (!(error instanceof CannotCompare) && !wrongArguments) throw error;
    terminal.error(`${(error as Error).message}\n`);
    return 2;
  }
}

interface Options {
  base?: string | undefined;
  spec: string;
  json: boolean;
}

function run(options: Options, terminal: Terminal): number {
  const folder = resolve(options.spec);
  if (!existsSync(folder)) {
    throw new CannotCompare(
      `There is no folder ${options.spec}: run this in the project, or give --spec DIR`,
    );
  }
  const base = findBase(folder, options.base);
  const documents = inTemporaryFolder((place) => {
    checkOut(folder, base.commit, join(place, "base"));
    cpSync(folder, join(place, "revision"), { recursive: true });
    return compare(place);
  });
  const shown = relative(process.cwd(), folder) || ".";
  terminal.out(options.json ? jsonReport({ base, documents }) : textReport({ base, documents }, shown));
  return totalsOf(documents).undeclared > 0 ? 1 : 0;
}

function inTemporaryFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "contract-diff-"));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (isMain(import.meta)) {
  process.exitCode = await main(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
  });
}
