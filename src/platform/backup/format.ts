import type { Partition, Table } from "./catalog.ts";
import type { Digest } from "./digest.ts";

/**
 * A backup is lines of text. A control line is JSON and begins with `{`. A row is PostgreSQL's text of a composite value and begins
 * with `(`; a line break in it is written as `\n`, a carriage return as `\r` and a backslash as `\\`.
 */
export interface Header {
  shiftpact: "backup";
  format: 1;
  /** ISO 8601, by the database's clock. */
  takenAt: string;
  engine: string;
  /** Set: the file holds this organisation and what it names, not the whole database. */
  organisation?: { providerId: string; createdAt: string };
  migrations: { name: string; checksum: string }[];
  /** A value sealed with SECRET_KEY, to know the key again; null: nothing is sealed. */
  sealed: string | null;
  tables: Table[];
  partitions: Partition[];
}

/** Begins the rows of a table. */
export interface TableStart {
  table: string;
}

/** Ends the rows of a table. */
export interface TableEnd extends Digest {
  end: string;
}

/** The last line: without it the backup is incomplete. */
export interface Trailer {
  complete: true;
  tables: number;
  rows: number;
}

export type Control = Header | TableStart | TableEnd | Trailer;

export class BackupError extends Error {
  override readonly name = "BackupError";
}

export const controlLine = (control: Control): string => `${JSON.stringify(control)}\n`;

export const rowLine = (row: string): string => `${escapeRow(row)}\n`;

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r" };
const UNESCAPES: Readonly<Record<string, string>> = { "\\\\": "\\", "\\n": "\n", "\\r": "\r" };

const escapeRow = (row: string) =>
  /[\\\n\r]/.test(row) ? row.replace(/[\\\n\r]/g, (char) => ESCAPES[char] ?? char) : row;

export const rowOf = (line: string): string =>
  line.includes("\\") ? line.replace(/\\[\\nr]/g, (pair) => UNESCAPES[pair] ?? pair) : line;

export function controlOf(line: string): Control {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new BackupError("the backup is damaged: a line of it cannot be read", { cause: error });
  }
}
