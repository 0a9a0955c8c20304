import { useEffect, useRef, useState } from "preact/hooks";
import type { ImportedPerson } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { ActionButton } from "../components/action-button.tsx";
import type { Column } from "../components/cells.tsx";
import { ErrorBox } from "../components/error-box.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Table } from "../components/table.tsx";
import { api } from "../data/api.ts";
import { ask, FailedCall } from "../data/errors.ts";
import { reloadNames, useNames } from "../data/names.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { EXAMPLE, FileFault, type PersonLine, readPeople, textOf } from "./csv-people.ts";

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
