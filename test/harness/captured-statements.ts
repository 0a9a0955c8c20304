import { appendFileSync, readFileSync } from "node:fs";
import { DefaultQueryCompiler } from "kysely";
import { BY_ORGANISATION } from "../../src/platform/db/organisation.ts";
import { ACROSS } from "./statement-exceptions.ts";
import { lintStatement, organisationTables } from "./statement-rules.ts";

/** A statement that the platform has run. */
export interface Statement {
  text: string;
  /** What makes it, below `src/platform`. */
  file: string;
}

const CAPTURED = Symbol.for("shiftpact.statements");
/** Frames of a stack: Kysely has up to ten of them for a statement. */
const DEPTH = 20;

/** Appends each statement that the platform makes in this process, once, to a file. Those of the tests themselves are left out. */
export function captureStatements(path: string): void {
  const { prototype } = DefaultQueryCompiler;
  const { compileQuery } = prototype;
  // Test files share a process, and each begins with this call.
  if (CAPTURED in compileQuery) return;
  const known = new Set<string>();
  const capturing: typeof compileQuery = function (this: DefaultQueryCompiler, ...given) {
    const compiled = compileQuery.apply(this, given);
    const file = makerIn(callers());
    const line = file && JSON.stringify({ text: compiled.sql, file } satisfies Statement);
    if (line && !known.has(line)) appendFileSync(path, `${line}\n`);
    if (line) known.add(line);
    return compiled;
  };
  prototype.compileQuery = Object.assign(capturing, { [CAPTURED]: true });
}

/** Returns the files of the stack, the innermost first. Not as its text, which is mapped to lines of the source: that takes too long for each statement. */
function callers(): string[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = DEPTH;
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? "");
  const { stack } = new Error() as { stack?: unknown };
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return stack as string[];
}

/** Returns what makes a statement, unless it is a test. All lists are read by one file, which says nothing of the statement. */
function makerIn(files: readonly string[]): string | undefined {
  const own = files.flatMap(
    (file) => /\/((?:src|test|scripts)\/(?!platform\/http\/page\.ts).+)/.exec(file)?.[1] ?? [],
  );
  const [maker = ""] = own.filter((file) => file !== "test/harness/captured-statements.ts");
  return /^src\/platform\/(.+)/.exec(maker)?.[1];
}

/**
 * Checks what a run has captured. `isWhole`: every test ran, so that each exception has its statement, and each table is in one.
 * @throws Error that names each rule that is broken, and each exception that no statement needs.
 */
export async function checkStatements(path: string, isWhole: boolean): Promise<void> {
  const lines = new Set(readFileSync(path, "utf8").split("\n").filter(Boolean));
  const statements = [...lines].map((line) => JSON.parse(line) as Statement);
  const faults = await faultsOf(statements, isWhole);
  if (faults.length > 0)
    throw new Error(`Statements that a distributed database does not take:\n${faults.join("\n")}`);
}

export async function faultsOf(statements: readonly Statement[], isWhole: boolean): Promise<string[]> {
  const tables = await organisationTables();
  const needed = new Set<string>();
  const faults = new Set<string>();
  for (const { text, file } of statements) {
    const namesOne = text.includes(BY_ORGANISATION);
    for (const { rule, subject } of await lintStatement(text, tables)) {
      const isAllowed = rule === "crosses_organisations" && ACROSS[file]?.tables.split(" ").includes(subject);
      if (isAllowed) needed.add(`${file} ${subject}`);
      else if (!(ABOUT_SEVERAL.test(rule) && namesOne))
        faults.add(`${rule} (${subject}) in src/platform/${file}: ${excerptOf(text)}`);
    }
  }
  const listed = Object.entries(ACROSS).flatMap(([file, { tables, isOnlyOnCitus }]) =>
    isOnlyOnCitus ? [] : tables.split(" ").map((table) => `${file} ${table}`),
  );
  const unneeded = isWhole ? listed.filter((each) => !needed.has(each)) : [];
  return [...faults, ...unneeded.map((each) => `no statement needs the exception of ${each}`)];
}

/** The rules that a statement does not break which names one organisation on a distributed database. */
const ABOUT_SEVERAL = /^(?:crosses_organisations|locks_organisations|lateral_limit)$/;

const EXCERPT = 200;
const excerptOf = (text: string) => text.replace(/\s+/g, " ").trim().slice(0, EXCERPT);
