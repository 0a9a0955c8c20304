import { CsvError, parse } from "csv-parse/browser/esm/sync";
import type { CandidateCreate } from "../../../generated/operations/types.ts";

/** What the columns of a file may be called, in English and Swedish. Case, spaces and hyphens do not matter. */
const COLUMNS = {
  personalNumber: ["Personal number", "Personnummer"],
  firstName: ["First name", "Förnamn"],
  lastName: ["Last name", "Efternamn"],
  email: ["E-mail", "E-post"],
  phone: ["Phone", "Telefon", "Mobil"],
  competences: ["Competences", "Kompetenser"],
  employeeNumber: ["Employee number", "Anställningsnummer"],
  language: ["Language", "Språk"],
} as const;

type ColumnName = keyof typeof COLUMNS;

const NEEDED: readonly ColumnName[] = ["personalNumber", "firstName", "lastName", "email", "phone"];

/** An example of a file, with every column. */
export const EXAMPLE = `${Object.values(COLUMNS)
  .map(([name]) => name)
  .join(",")}\r\n18900116-9813,Robin,Ek,robin.ek@example.com,+46701740605,Waiter; Bartender,4711,sv\r\n`;

/** A line of a file. The platform judges what it has no errors about. */
export interface PersonLine {
  /** From 1, as editors count. */
  line: number;
  name: string;
  person: CandidateCreate;
  errors: string[];
}

/** A file as a whole that cannot be read. The message says what to do. */
export class FileFault extends Error {}

const MOST_LINES = 50_000;

/** Returns the text of a file: UTF-8, UTF-16 with its mark, or else the encoding of older spreadsheets (Windows-1252, which has Latin-1). */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/**
 * Reads people from a CSV file with commas, semicolons or tabs.
 * @param competences ids by name
 * @throws FileFault
 */
export function readPeople(text: string, competences: ReadonlyMap<string, string>): PersonLine[] {
  if (text.includes("\0"))
    throw new FileFault("This is not a text file. Save the table as CSV, and choose that file.");
  const [heading, ...rows] = rowsOf(text);
  if (!heading || rows.length === 0)
    throw new FileFault("The file has no lines of people below the names of its columns.");
  if (rows.length > MOST_LINES)
    throw new FileFault(`The file has more than ${MOST_LINES.toLocaleString("en")} lines. Divide it.`);
  const columns = columnsOf(heading.cells);
  const ids = new Map([...competences].map(([name, id]) => [name.toLocaleLowerCase(), id]));
  return rows.map(({ line, cells }) => {
    const cell = (name: ColumnName) => cells[columns.indexOf(name)]?.trim() ?? "";
    const named = cell("competences")
      .split(/[;,|]/)
      .map((name) => name.trim())
      .filter(Boolean);
    const language = LANGUAGES[plain(cell("language"))];
    const errors = named
      .filter((name) => !ids.has(name.toLocaleLowerCase()))
      .map((name) => `There is no competence "${name}".`);
    if (cells.length !== columns.length)
      errors.unshift(`The line has ${cells.length} cells, and the heading ${columns.length}.`);
    if (language === undefined) errors.push(`The language "${cell("language")}" is neither sv nor en.`);
    const person = {
      ...Object.fromEntries(NEEDED.map((name) => [name, cell(name)])),
      competenceIds: named.flatMap((name) => ids.get(name.toLocaleLowerCase()) ?? []),
      ...(cell("employeeNumber") && { employeeNumber: cell("employeeNumber") }),
      ...(language && { language }),
    } as CandidateCreate;
    return { line, name: `${cell("firstName")} ${cell("lastName")}`.trim(), person, errors };
  });
}

const LANGUAGES: Readonly<Record<string, "sv" | "en" | "">> = {
  "": "",
  sv: "sv",
  svenska: "sv",
  swedish: "sv",
  en: "en",
  engelska: "en",
  english: "en",
};

interface Row {
  line: number;
  cells: string[];
}

function rowsOf(text: string): Row[] {
  const [first = ""] = text.split(/\r?\n|\r/, 1);
  const [delimiter = ","] = [",", ";", "\t"].toSorted(
    (left, right) => first.split(right).length - first.split(left).length,
  );
  try {
    const options = {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    } as const;
    const records = parse(text, options) as unknown as { info: { lines: number }; record: string[] }[];
    return records
      .map(({ info, record }) => ({ line: info.lines, cells: record }))
      .filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new FileFault(
      `Line ${error.lines}: a quotation mark is not closed, or stands inside a cell. Double it there.`,
    );
  }
}

/** Returns which column each cell of a line belongs to. */
function columnsOf(heading: readonly string[]): ColumnName[] {
  const names = Object.keys(COLUMNS) as ColumnName[];
  const columns = heading.map((cell, index) => {
    const found = names.find((name) => [name, ...COLUMNS[name]].some((each) => plain(each) === plain(cell)));
    if (found) return found;
    const known = names.map((name) => COLUMNS[name][0]).join(", ");
    throw new FileFault(
      `Column ${index + 1} is called "${cell}", which is not known. Remove it, or name it as one of: ${known}.`,
    );
  });
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice) throw new FileFault(`Two columns are for "${COLUMNS[twice][0]}". Remove one.`);
  const missing = NEEDED.filter((name) => !columns.includes(name)).map((name) => COLUMNS[name][0]);
  if (missing.length > 0)
    throw new FileFault(`The first line has no column for: ${missing.join(", ")}. Add it.`);
  return columns;
}

const plain = (name: string): string => name.toLocaleLowerCase().replace(/[\s-]/g, "");
