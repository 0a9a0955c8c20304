import { CsvError, parse } from "csv-parse/browser/esm/sync";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CandidateCreate, ImportedPerson } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import type { Column } from "../components/cells.tsx";
import { ActionButton } from "../components/dialog.tsx";
import { ErrorBox, PageHead } from "../components/section.tsx";
import { Table } from "../components/table.tsx";
import { api } from "../data/api.ts";
import { ask, FailedCall } from "../data/errors.ts";
import { reloadNames, useNames } from "../data/names.ts";
import { type Action, useAction } from "../data/use-action.ts";

/** What the columns of a file may be called, in English and Swedish. Case, spaces and hyphens do not matter. */
const CSV_COLUMNS = {
  personalNumber: ["Personal number", "Personnummer"],
  firstName: ["First name", "Förnamn"],
  lastName: ["Last name", "Efternamn"],
  email: ["E-mail", "E-post"],
  phone: ["Phone", "Telefon", "Mobil"],
  competences: ["Competences", "Kompetenser"],
  employeeNumber: ["Employee number", "Anställningsnummer"],
  language: ["Language", "Språk"],
} as const;

type ColumnName = keyof typeof CSV_COLUMNS;

const NEEDED: readonly ColumnName[] = ["personalNumber", "firstName", "lastName", "email", "phone"];

/** An example of a file, with every column. */
export const EXAMPLE = `${Object.values(CSV_COLUMNS)
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
  const names = Object.keys(CSV_COLUMNS) as ColumnName[];
  const columns = heading.map((cell, index) => {
    const found = names.find((name) =>
      [name, ...CSV_COLUMNS[name]].some((each) => plain(each) === plain(cell)),
    );
    if (found) return found;
    const known = names.map((name) => CSV_COLUMNS[name][0]).join(", ");
    throw new FileFault(
      `Column ${index + 1} is called "${cell}", which is not known. Remove it, or name it as one of: ${known}.`,
    );
  });
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice) throw new FileFault(`Two columns are for "${CSV_COLUMNS[twice][0]}". Remove one.`);
  const missing = NEEDED.filter((name) => !columns.includes(name)).map((name) => CSV_COLUMNS[name][0]);
  if (missing.length > 0)
    throw new FileFault(`The first line has no column for: ${missing.join(", ")}. Add it.`);
  return columns;
}

const plain = (name: string): string => name.toLocaleLowerCase().replace(/[\s-]/g, "");

/** The most people of one call. */
const AT_ONCE = 200;
/** More would make the page slow, and are the same few faults. */
const MOST_SHOWN = 100;

interface Judged extends PersonLine {
  outcome: ImportedPerson["outcome"];
}

/** The state after each action of the page: a file that was looked at, or one whose people were added. */
interface Result {
  lines: readonly Judged[];
  isDone: boolean;
}

/** Adds the people of a file, after a preview of what each line is. */
export function ImportPage() {
  const { competences, areLoaded } = useNames();
  const [progress, setProgress] = useState<{ done: number; of: number }>();
  const [result, setResult] = useState<Result>();
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  const judge = async (lines: readonly PersonLine[], preview: boolean) => {
    const judged: Judged[] = [];
    try {
      for (let from = 0; from < lines.length && isOpen.current; from += AT_ONCE) {
        setProgress({ done: from, of: lines.length });
        judged.push(...(await judgeSome(lines.slice(from, from + AT_ONCE), preview)));
      }
    } finally {
      setProgress(undefined);
    }
    setResult({ lines: judged, isDone: !preview });
    return judged;
  };
  const preview = useAction(async (file: File) => {
    setResult(undefined);
    const ids = new Map(competences.map(({ name, competenceId }) => [name, competenceId]));
    await judge(await linesOf(file, ids), true);
  });
  const adding = useAction(async (lines: readonly Judged[]) => {
    const wanted = await judge(lines, false);
    void reloadNames();
    return `${counted(of(wanted, "added").length, "person is", "people are")} added.`;
  });
  return (
    <>
      <PageHead title="Import people" within={{ href: "/console/people", name: "People" }} />
      <div class="stack">
        <ChooseFile isReady={areLoaded && !adding.isRunning} action={preview} />
        {progress && (
          <p role="status">
            <progress max={progress.of} value={progress.done} aria-label="Lines" /> {progress.done} of{" "}
            {counted(progress.of, "line", "lines")}
          </p>
        )}
        {adding.error && <ErrorBox error={adding.error} />}
        {result && <Preview {...result} adding={adding} />}
      </div>
    </>
  );
}

function ChooseFile({ isReady, action }: { isReady: boolean; action: Action<[File]> }) {
  return (
    <>
      <p>
        <a href={`data:text/csv;charset=utf-8,%EF%BB%BF${encodeURIComponent(EXAMPLE)}`} download="people.csv">
          An example of a file
        </a>{" "}
        has every column. Competences, the employee number and the language may be left out. Several
        competences of a person are separated by semicolons.
      </p>
      <p class="field">
        <label for="people-file">CSV file</label>
        <input
          id="people-file"
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          disabled={!isReady || action.isRunning}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) void action.run(file);
            // The same file can be chosen again after it was corrected.
            currentTarget.value = "";
          }}
        />
      </p>
      {action.error && <ErrorBox error={action.error} />}
    </>
  );
}

function Preview({ lines, isDone, adding }: Result & { adding: Action<[readonly Judged[]]> }) {
  const added = of(lines, "added");
  const refused = of(lines, "refused");
  const known = lines.length - added.length - refused.length;
  return (
    <section class="stack" aria-label={isDone ? "Result" : "Preview"}>
      <p>
        {counted(added.length, isDone ? "person is" : "person", isDone ? "people are" : "people")}{" "}
        {isDone ? "added" : "would be added"}, {known} known already and left as they are,{" "}
        {counted(refused.length, "line has", "lines have")} errors.
      </p>
      {!isDone && added.length > 0 && (
        <p class="row">
          <ActionButton action={adding} tone="primary" onClick={() => void adding.run(lines)}>
            Add {counted(added.length, "person", "people")}
          </ActionButton>
        </p>
      )}
      {refused.length > 0 && (
        <>
          <Table
            caption="Lines with errors"
            columns={COLUMNS}
            rows={refused.slice(0, MOST_SHOWN)}
            keyOf={({ line }) => String(line)}
          />
          {refused.length > MOST_SHOWN && <p class="soft">And {refused.length - MOST_SHOWN} more.</p>}
        </>
      )}
    </section>
  );
}

const COLUMNS: Column<Judged>[] = [
  { name: "Line", cell: ({ line }) => line, isNumber: true },
  { name: "Name", cell: ({ name }) => name },
  { name: "Errors", cell: ({ errors }) => errors.join(" ") },
];

const of = (lines: readonly Judged[], outcome: Judged["outcome"]) =>
  lines.filter((line) => line.outcome === outcome);

async function linesOf(file: File, competences: ReadonlyMap<string, string>): Promise<PersonLine[]> {
  try {
    return readPeople(textOf(new Uint8Array(await file.arrayBuffer())), competences);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    throw new FailedCall({ title: `${file.name} cannot be read`, detail: error.message });
  }
}

async function judgeSome(lines: readonly PersonLine[], preview: boolean): Promise<Judged[]> {
  const sent = lines.filter(({ errors }) => errors.length === 0);
  const people = sent.map(({ person }) => ({ ...person }));
  const { results } =
    people.length > 0 ? await ask(api.importCandidates({ body: { preview, people } })) : { results: [] };
  const judged = new Map(sent.map((line, index) => [line, results[index]]));
  return lines.map((line) => {
    const { outcome = "refused", errors = [] } = judged.get(line) ?? {};
    const found = errors.map(
      ({ pointer, message }) => `${LABELS[pointer.split("/")[1] ?? ""] ?? "It"} ${message}.`,
    );
    return { ...line, outcome, errors: [...line.errors, ...found] };
  });
}

const LABELS: Readonly<Record<string, string>> = {
  personalNumber: "The personal number",
  firstName: "The first name",
  lastName: "The last name",
  email: "The e-mail address",
  phone: "The phone number",
  employeeNumber: "The employee number",
  competenceIds: "A competence",
};
