import { isUuid } from "../../contract/uuid.ts";

/**
 * A backup is lines of text. The first is the header, in JSON. Then come the rows of each of its tables in order, and after each table's the line
 * `{"end":TABLE}`. A row is PostgreSQL's text of a composite value and begins with `(`; a line break in it is written as `\n`, a carriage return
 * as `\r` and a backslash as `\\`. Nothing of it becomes SQL: names are compared with those of the platform's own schema.
 */
export interface Header {
  /** ISO 8601, by the database's clock. */
  takenAt: string;
  /** Set: the file holds this organisation and what it names, not the whole database. */
  organisation?: { providerId: string; createdAt: string };
  migrations: { name: string; checksum: string }[];
  tables: string[];
  /** The days of the tables that are kept by day. */
  days: Day[];
}

export interface Day {
  table: string;
  /** YYYY-MM-DD, UTC. */
  day: string;
}

interface TableEnd {
  end: string;
}

export class BackupError extends Error {
  override readonly name = "BackupError";
}

export const controlLine = (control: Header | TableEnd): string => `${JSON.stringify(control)}\n`;

export const rowLine = (row: string): string => `${escapeRow(row)}\n`;

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r" };
const UNESCAPES: Readonly<Record<string, string>> = { "\\\\": "\\", "\\n": "\n", "\\r": "\r" };

const escapeRow = (row: string) =>
  /[\\\n\r]/.test(row) ? row.replace(/[\\\n\r]/g, (char) => ESCAPES[char] ?? char) : row;

const rowOf = (line: string): string =>
  line.includes("\\") ? line.replace(/\\[\\nr]/g, (pair) => UNESCAPES[pair] ?? pair) : line;

/** A text of a file, as a message quotes it. */
export const cited = (text: unknown): string => JSON.stringify(text)?.slice(0, 100) ?? "nothing";

/** Runs `use` on the lines of a file, and closes that in any case. */
export async function reading<T>(
  file: AsyncIterable<string>,
  use: (lines: AsyncIterator<string>) => Promise<T>,
): Promise<T> {
  const lines = file[Symbol.asyncIterator]();
  return use(lines).finally(() => lines.return?.());
}

/** @throws BackupError */
export async function readHeader(lines: AsyncIterator<string>): Promise<Header> {
  const { value: line } = await lines.next();
  const header = jsonOf(line ?? "") as Partial<Header> | null;
  const [fault] = header ? FAULTS.filter(([, isGood]) => !isGood(header)) : [["header"]];
  if (fault) throw new BackupError(`the backup cannot be used: its ${fault[0]} is not what a backup has`);
  return header as Header;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;

const isText = (value: unknown): value is string => typeof value === "string";
const isList = <T>(list: unknown, isGood: (each: T) => boolean): boolean =>
  Array.isArray(list) && list.every((each) => each !== null && isGood(each));

/** A day of the calendar. */
function isDay(text: unknown): boolean {
  const time = isText(text) && /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text as string);
}

const FAULTS: [string, (header: Partial<Header>) => boolean][] = [
  ["takenAt", ({ takenAt }) => isText(takenAt) && TIME.test(takenAt)],
  [
    "organisation",
    ({ organisation: moved }) =>
      moved === undefined ||
      (isText(moved?.providerId) &&
        isUuid(moved.providerId) &&
        isText(moved.createdAt) &&
        TIME.test(moved.createdAt)),
  ],
  [
    "migrations",
    ({ migrations }) =>
      isList<Header["migrations"][0]>(migrations, ({ name, checksum }) => isText(name) && isText(checksum)),
  ],
  ["tables", ({ tables }) => isList(tables, isText)],
  ["days", ({ days }) => isList<Day>(days, ({ table, day }) => isText(table) && isDay(day))],
];

/**
 * Yields the rows of the next table, up to the line that ends it.
 * @throws BackupError
 */
export async function* rowsOf(lines: AsyncIterator<string>, table: string): AsyncGenerator<string> {
  for (;;) {
    const { value: line, done } = await lines.next();
    if (done) throw new BackupError(`the backup is incomplete: it ends within table ${cited(table)}`);
    if (line.startsWith("(")) yield rowOf(line);
    else {
      const { end } = (jsonOf(line) ?? {}) as Partial<TableEnd>;
      if (end === table) return;
      throw new BackupError(`the backup is damaged: the end of table ${cited(table)} is missing`);
    }
  }
}

/** @throws BackupError */
export async function requireEnd(lines: AsyncIterator<string>): Promise<void> {
  const { done } = await lines.next();
  if (!done) throw new BackupError("the backup is damaged: it goes on after its last table");
}

function jsonOf(line: string): object | null {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
