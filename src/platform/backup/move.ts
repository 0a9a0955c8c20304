import { type Database, type Log, openUnmigrated } from "../db/database.ts";
import type { RunSql } from "../db/engine.ts";
import { inTransaction } from "../db/in-transaction.ts";
import { UNFINISHED_MOVE } from "../db/schema-version.ts";
import type { Vault } from "../deps.ts";
import { AS_TEXT, foreignKeys, hasTables, quoted, readApplied, readTables, type Table } from "./catalog.ts";
import { digestOf, isSame } from "./digest.ts";
import { headerOf, rowsOf } from "./dump.ts";
import { linesOf } from "./file.ts";
import { BackupError, type Header } from "./format.ts";
import { complete, loadTable, makeEmpty, makePartitions, setTriggers } from "./load.ts";
import { checkKey } from "./restore.ts";

export interface Move {
  /** Nothing writes to it meanwhile. */
  source: Database;
  /** Of PostgreSQL. */
  url: string;
  vault: Vault;
  log: Log;
  /**
   * Marks the source as moved, durably. Called once everything is the same on both sides, before a platform can start on the target:
   * wherever a move is interrupted, a platform starts on one of the two at most.
   */
  markMoved: () => void;
  /** Called after each table. */
  onTable?: (progress: Moved) => void;
}

export interface Moved {
  tables: number;
  rows: number;
  /** The rows that an earlier move, which was interrupted, had copied. */
  rowsThere: number;
}

/**
 * Copies everything to an empty PostgreSQL database, a table at a time, and compares the count and the checksum of each table on both
 * sides. A move that was interrupted is continued: tables that are the same on both sides are not copied again. Until all are, no platform
 * starts on that database.
 */
export async function move({ source, url, vault, log, markMoved, onTable }: Move): Promise<Moved> {
  const target = await openUnmigrated({ url, urlName: "--to", log });
  try {
    return await source.raw.snapshot((from) =>
      target.raw.alone(async (to) => {
        await from(AS_TEXT);
        const header = await headerOf(from, source.engine);
        checkKey(header, vault);
        return moveTo(to, { from, header, markMoved, onTable });
      }),
    );
  } finally {
    await target.close();
  }
}

/** Returns whether a move into the database has begun and has not finished. */
export async function isMoveUnfinished({ url, log }: Pick<Move, "url" | "log">): Promise<boolean> {
  const target = await openUnmigrated({ url, urlName: "--to", log });
  return isUnfinished(target.raw.executeSql).finally(target.close);
}

interface Source extends Pick<Move, "markMoved"> {
  from: RunSql;
  header: Header;
  onTable: Move["onTable"];
}

async function moveTo(to: RunSql, source: Source): Promise<Moved> {
  const { from, header, markMoved, onTable } = source;
  const isBegun = await hasTables(to);
  if (isBegun && !(await isUnfinished(to))) return compare(to, source);
  await inTransaction(to, () => (isBegun ? goOn(to, header) : begin(to, header)));
  const moved: Moved = { tables: 0, rows: 0, rowsThere: 0 };
  for (const table of header.tables) {
    const rowsThere = isBegun ? await rowsInBoth(table, from, to) : undefined;
    moved.rows += rowsThere ?? (await inTransaction(to, () => copy(table, from, to)));
    moved.rowsThere += rowsThere ?? 0;
    moved.tables += 1;
    onTable?.({ ...moved });
  }
  const keys = await foreignKeys(from);
  await inTransaction(to, async () => {
    await to(AS_TEXT);
    await complete(to, header, keys.add);
    await to("delete from shiftpact.migrations where name = $1", [UNFINISHED_MOVE]);
    markMoved();
  });
  return moved;
}

async function isUnfinished(to: RunSql): Promise<boolean> {
  const { rows: found } = await to("select to_regclass('shiftpact.migrations') is not null as is_there");
  if (!found[0].is_there) return false;
  const { rows } = await to("select from shiftpact.migrations where name = $1", [UNFINISHED_MOVE]);
  return rows.length > 0;
}

async function begin(to: RunSql, header: Header): Promise<void> {
  await makeEmpty(to, header);
  await to("insert into shiftpact.migrations (name, checksum) values ($1, '')", [UNFINISHED_MOVE]);
}

/** The platform may have worked on the source since the move was interrupted. */
async function goOn(to: RunSql, header: Header): Promise<void> {
  if (JSON.stringify(await readApplied(to)) !== JSON.stringify(header.migrations))
    throw new BackupError(
      "another version of shiftpact began a move into this PostgreSQL database: name an empty one",
    );
  await to(AS_TEXT);
  await makePartitions(to, header);
  await setTriggers(to, header, "disable");
}

async function copy(table: Table, from: RunSql, to: RunSql): Promise<number> {
  await to(`${AS_TEXT}; truncate shiftpact.${quoted(table.name)}`);
  const lines = linesOf(rowsOf(from, table));
  const { rows } = await loadTable(to, lines[Symbol.asyncIterator](), table, `row_of_${table.name}`);
  return rows;
}

/** Returns the number of rows of a table that is the same on both sides. */
async function rowsInBoth(table: Table, from: RunSql, to: RunSql): Promise<number | undefined> {
  const there = await inTransaction(to, async () => {
    await to(AS_TEXT);
    return digestOf(to, table);
  });
  return isSame(await digestOf(from, table), there) ? there.rows : undefined;
}

/** The mark of the folder is lost, such as in an older copy of it; or the database belongs to another platform. */
async function compare(to: RunSql, source: Source): Promise<Moved> {
  const { from, header, markMoved, onTable } = source;
  const there = new Set((await readTables(to)).map((table) => JSON.stringify(table)));
  const moved: Moved = { tables: 0, rows: 0, rowsThere: 0 };
  const differing: string[] = [];
  for (const table of header.tables) {
    const rows = there.has(JSON.stringify(table)) ? await rowsInBoth(table, from, to) : undefined;
    if (rows === undefined) differing.push(table.name);
    moved.tables += 1;
    moved.rows += rows ?? 0;
    moved.rowsThere = moved.rows;
    onTable?.({ ...moved });
  }
  if (differing.length > 0)
    throw new BackupError(
      `the PostgreSQL database is not empty, and differs in ${differing.join(", ")}: name an empty one`,
    );
  markMoved();
  return moved;
}
