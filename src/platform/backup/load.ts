import type { RunSql } from "../db/engine.ts";
import { makeTables, readMigrations } from "../db/migrate.ts";
import { isOfAnotherCommit, type Migration, UNRELEASED } from "../db/schema-version.ts";
import { AS_TEXT, columnsOf, foreignKeys, hasTables, quoted, readPartitions, type Table } from "./catalog.ts";
import { type Digest, digestOf, isSame } from "./digest.ts";
import { BackupError, controlOf, type Header, rowOf, type TableEnd } from "./format.ts";

/** Characters of rows in one statement. */
const CHARS_AT_ONCE = 500_000;

export interface Loaded {
  header: Header;
  rows: number;
  /** What was applied to the tables after they were filled. */
  migrated: string[];
}

/**
 * Makes the backup's tables as they were, fills them, compares each with its digest, and migrates them to this version, all within the
 * transaction of the caller.
 * Rejects with BackupError when the database is not empty, or the backup is damaged, incomplete, of a newer version or, before the first
 * release, of another commit.
 * @param migrations those of this version unless given
 */
export async function load(
  run: RunSql,
  lines: AsyncIterable<string>,
  check: (header: Header) => void,
  migrations?: readonly Migration[],
): Promise<Loaded> {
  if (await hasTables(run))
    throw new BackupError("the database is not empty: a backup is restored into an empty one");
  const iterator = lines[Symbol.asyncIterator]();
  const header = await readHeader(iterator);
  check(header);
  const known = migrations ?? (await readMigrations());
  const keys = await makeEmpty(run, header, appliedTo(header, known));
  const rows = await loadTables(run, iterator, header);
  await run(keys);
  const applied = new Set(header.migrations.map(({ name }) => name));
  const later = known.filter(({ name }) => !applied.has(name));
  await makeTables(run, later);
  return { header, rows, migrated: later.map(({ name }) => name) };
}

/** Makes the tables as they were, without foreign keys: rows come in another order. Returns SQL that adds the keys. */
async function makeEmpty(run: RunSql, header: Header, applied: readonly Migration[]): Promise<string> {
  await makeTables(run, applied);
  await run(AS_TEXT);
  await makePartitions(run, header);
  const { drop, add } = await foreignKeys(run);
  await run(drop);
  return add;
}

async function readHeader(lines: AsyncIterator<string>): Promise<Header> {
  const { value: line } = await lines.next();
  const header = typeof line === "string" && line.startsWith("{") ? controlOf(line) : undefined;
  if (!header || !("shiftpact" in header)) throw new BackupError("this is no backup of shiftpact");
  if (header.format !== 1)
    throw new BackupError(`the backup has format ${header.format}, which a newer shiftpact reads`);
  return header;
}

/** Those that the backup's database had, as this version has them. */
function appliedTo(header: Header, known: readonly Migration[]): Migration[] {
  if (isOfAnotherCommit(header.migrations, known))
    throw new BackupError(
      `the schema of the backup is that of another commit: ${UNRELEASED}; restore it with the commit that made it`,
    );
  const names = new Map(header.migrations.map(({ name, checksum }) => [name, checksum]));
  const unknown = header.migrations.find(({ name }) => !known.some((migration) => migration.name === name));
  if (unknown)
    throw new BackupError(
      `the backup is of a newer version: it has migration ${unknown.name}; install the shiftpact that made it, or a later one`,
    );
  const applied = known.filter(({ name }) => names.has(name));
  const changed = applied.find(({ name, checksum }) => names.get(name) !== checksum);
  if (changed) throw new BackupError(`migration ${changed.name} differs from that of the backup's database`);
  return applied;
}

/** Makes the partitions that upkeep had made. */
async function makePartitions(run: RunSql, { partitions }: Header): Promise<void> {
  const there = new Set((await readPartitions(run)).map(({ name }) => name));
  for (const { name, parent, bound } of partitions)
    if (!there.has(name))
      await run(`create table shiftpact.${quoted(name)} partition of shiftpact.${quoted(parent)} ${bound}`);
}

async function loadTables(run: RunSql, lines: AsyncIterator<string>, { tables }: Header): Promise<number> {
  let total = 0;
  for (const [index, table] of tables.entries()) {
    const { rows } = await loadTable(run, lines, table, `row_${index}`);
    total += rows;
  }
  const trailer = await nextControl(lines);
  if (!("complete" in trailer) || trailer.rows !== total)
    throw new BackupError("the backup is incomplete: its last line is missing");
  return total;
}

function differing({ name }: Table, expected: Digest, stored: Digest): BackupError {
  const rows = `${stored.rows} rows instead of ${expected.rows}`;
  const what = stored.rows === expected.rows ? "its checksum differs" : rows;
  return new BackupError(`the backup is damaged: table ${name} does not hold what was backed up: ${what}`);
}

export async function nextControl(lines: AsyncIterator<string>) {
  const { value: line, done } = await lines.next();
  if (done) throw new BackupError("the backup is incomplete: it ends before its last line");
  return controlOf(line);
}

/**
 * Fills one table, and compares it with the count and the checksum that follow its rows. The settings AS_TEXT must be in force.
 * @param type the name of a type that the session has not used yet
 */
async function loadTable(
  run: RunSql,
  lines: AsyncIterator<string>,
  table: Table,
  type: string,
): Promise<Digest> {
  const start = await nextControl(lines);
  if (!("table" in start) || start.table !== table.name)
    throw new BackupError(`the backup is damaged: the rows of table ${table.name} are missing`);
  const expected = await insertRows(run, lines, table, { type });
  const stored = await digestOf(run, table);
  if (!isSame(expected, stored)) throw differing(table, expected, stored);
  return stored;
}

interface Insertion {
  /** The name of a type that the session has not used yet. */
  type: string;
  into?: string;
  onConflict?: string;
  translate?: (row: string) => string;
}

/** Returns the count and the checksum that the backup states after the table. */
export async function insertRows(
  run: RunSql,
  lines: AsyncIterator<string>,
  table: Table,
  { type, into = `shiftpact.${quoted(table.name)}`, onConflict = "", translate = (row) => row }: Insertion,
): Promise<TableEnd> {
  const attributes = table.columns.map((column) => `${quoted(column.name)} ${column.type}`).join(", ");
  await run(`create type pg_temp.${type} as (${attributes})`);
  const columns = columnsOf(table);
  const insert = `insert into ${into} (${columns})
    select ${columns} from unnest($1::text::pg_temp.${type}[]) ${onConflict}`;
  let elements: string[] = [];
  let chars = 0;
  const flush = async () => {
    if (elements.length > 0)
      await run(insert, [`{${elements.join(",")}}`]).catch((error) => {
        throw faultOf(error, table);
      });
    elements = [];
    chars = 0;
  };
  for (;;) {
    const { value: line, done } = await lines.next();
    if (done) throw new BackupError(`the backup is incomplete: it ends within table ${table.name}`);
    if (!line.startsWith("(")) {
      await flush();
      const end = controlOf(line);
      if ("end" in end && end.end === table.name) return end;
      throw new BackupError(`the backup is damaged: the end of table ${table.name} is missing`);
    }
    elements.push(element(translate(rowOf(line))));
    chars += line.length;
    if (chars > CHARS_AT_ONCE) await flush();
  }
}

/** PostgreSQL quotes a value that it cannot read, and the value may be personal data. */
function faultOf(error: unknown, { name }: Table): unknown {
  const { code = "" } = error as { code?: string };
  if (!code.startsWith("22")) return error;
  return new BackupError(`the backup is damaged: a row of table ${name} cannot be stored`, { cause: error });
}

/** An element of an array, as PostgreSQL reads it. */
const element = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
