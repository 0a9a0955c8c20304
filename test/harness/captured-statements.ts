import { appendFileSync, readFileSync } from "node:fs";
import { type DatabaseConnection, DefaultQueryCompiler, PostgresDriver } from "kysely";
import { BY_ORGANISATION } from "../../src/platform/db/organisation.ts";
import { LOCK_ORDER } from "../../src/platform/transaction.ts";
import { ACROSS } from "./statement-exceptions.ts";
import { type Locked, lintStatement, lockedBy, organisationTables } from "./statement-rules.ts";

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
  const makers = new Map<string, string>();
  const append = (line: string) => {
    if (!known.has(line)) appendFileSync(path, `${line}\n`);
    known.add(line);
  };
  captureTransactions((texts) => {
    const statements = texts.map((text) => ({ text, file: makers.get(text) ?? "" }));
    if (statements.length > 1) append(JSON.stringify(statements));
  });
  const capturing: typeof compileQuery = function (this: DefaultQueryCompiler, ...given) {
    const compiled = compileQuery.apply(this, given);
    const file = makerIn(callers());
    if (file) makers.set(compiled.sql, file);
    if (file) append(JSON.stringify({ text: compiled.sql, file } satisfies Statement));
    return compiled;
  };
  prototype.compileQuery = Object.assign(capturing, { [CAPTURED]: true });
}

const MAY_LOCK = /\bfor (?:no key )?(?:update|share)\b|\b(?:update|delete from|do update)\b/i;

/** Passes on the statements of each transaction that may lock rows, each once, in their order. */
function captureTransactions(onEnd: (texts: readonly string[]) => void): void {
  const { prototype } = PostgresDriver;
  const { beginTransaction, commitTransaction } = prototype;
  const running = new WeakMap<DatabaseConnection, Set<string>>();
  const watched = new WeakSet<object>();
  prototype.beginTransaction = function (connection, ...given) {
    running.set(connection, new Set());
    const own = Object.getPrototypeOf(connection);
    if (!watched.has(own)) {
      watched.add(own);
      const { executeQuery } = own;
      own.executeQuery = function (
        this: DatabaseConnection,
        ...[query, ...rest]: [{ sql: string }, ...unknown[]]
      ) {
        if (MAY_LOCK.test(query.sql)) running.get(this)?.add(query.sql);
        return executeQuery.call(this, query, ...rest);
      };
    }
    return beginTransaction.call(this, connection, ...given);
  };
  prototype.commitTransaction = function (connection) {
    onEnd([...(running.get(connection) ?? [])]);
    running.delete(connection);
    return commitTransaction.call(this, connection);
  };
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
  const captured = [...lines].map((line) => JSON.parse(line) as Statement | Statement[]);
  const faults = await faultsOf(
    captured.flatMap((each) => (Array.isArray(each) ? [] : [each])),
    isWhole,
  );
  if (faults.length > 0)
    throw new Error(`Statements that a distributed database does not take:\n${faults.join("\n")}`);
  const outOfOrder = await orderFaultsOf(captured.filter(Array.isArray));
  if (outOfOrder.length > 0)
    throw new Error(`Transactions that lock rows against LOCK_ORDER:\n${outOfOrder.join("\n")}`);
}

/** Returns where a transaction locks rows of a table for the first time after those of a later one. */
export async function orderFaultsOf(transactions: readonly (readonly Statement[])[]): Promise<string[]> {
  const rankOf = (table: string) => (LOCK_ORDER as readonly string[]).indexOf(table);
  const parsedTexts = new Map<string, Locked[]>();
  const faults = new Set<string>();
  for (const statements of transactions) {
    const held = new Map<string, string>();
    for (const { text, file } of statements) {
      const locked = parsedTexts.get(text) ?? (await lockedBy(text));
      parsedTexts.set(text, locked);
      for (const { table, isAwaited } of locked) {
        if (rankOf(table) < 0 || held.has(table)) continue;
        for (const [later, by] of held)
          if (isAwaited && rankOf(later) > rankOf(table))
            faults.add(`${table} (${file}) after ${later} (${by})`);
        held.set(table, file);
      }
    }
  }
  return [...faults];
}

const MAKES_DUE = /\binsert into "?work"?[\s(]/i;

export async function faultsOf(statements: readonly Statement[], isWhole: boolean): Promise<string[]> {
  const tables = await organisationTables();
  const needed = new Set<string>();
  const faults = new Set<string>();
  for (const { text, file } of statements) {
    if (MAKES_DUE.test(text) && file !== "work/rows.ts")
      faults.add(`work is made due by work/rows.ts alone, not by src/platform/${file}: ${excerptOf(text)}`);
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
