import { render } from "preact";
import { whenNamesAreRead } from "../data/names.ts";
import { type ReadPage, readPages } from "../data/pages.ts";
import { useAction } from "../data/use-action.ts";
import { Cells, type Column } from "./cells.tsx";
import { ActionButton } from "./dialog.tsx";
import { ErrorBox } from "./section.tsx";

/** Rows as CSV (RFC 4180). With a byte order mark, without which spreadsheets misread names. */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("")}`;

/** A spreadsheet would run a text with such a beginning as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(text: string): string {
  const inert = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** Saves a content as a file of that name. */
function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The list behind a table: every page of what its filter finds. */
export interface SavedList<Row> {
  /** Of the file: `jobs`. */
  name: string;
  readPage: ReadPage<Row>;
}

/** The most rows of a page that the platform returns. */
const PAGE = 200;

/** Saves every row that the filter finds, in the words of the table; times and ids are complete. */
export function SaveCsv<Row>({
  name,
  readPage,
  columns,
}: SavedList<Row> & { columns: readonly Column<Row>[] }) {
  const save = useAction(async () => {
    const { items } = await readPages((page) => readPage({ limit: PAGE, ...page }));
    const shown = columns.filter(({ isActions }) => !isActions);
    let texts = textsOf(items, shown);
    // A page reads the names that it misses when it shows them, and so does this one.
    if (await whenNamesAreRead()) texts = textsOf(items, shown);
    saveFile(
      new Blob([csvOf([shown.map((column) => column.name), ...texts])], { type: "text/csv" }),
      `${name}.csv`,
    );
    return `${name}.csv is saved.`;
  });
  return (
    <div class="row save-csv">
      <ActionButton action={save} isPushed onClick={save.run}>
        {save.isRunning ? "Reading …" : "Save as CSV"}
      </ActionButton>
      {save.error && <ErrorBox error={save.error} />}
    </div>
  );
}

function textsOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[][] {
  const row = document.createElement("tr");
  return rows.map((each) => {
    render(<Cells columns={columns} row={each} />, row);
    const texts = Array.from(row.cloneNode(true).childNodes, (cell) => textOf(cell as Element));
    render(null, row);
    return texts;
  });
}

/** The text that a cell shows, with the whole of what it shortens. */
function textOf(cell: Element): string {
  for (const hidden of cell.querySelectorAll(".visually-hidden, [aria-hidden]")) hidden.remove();
  for (const whole of cell.querySelectorAll<HTMLElement>("[data-whole]"))
    whole.textContent = whole.dataset.whole ?? "";
  for (const part of cell.querySelectorAll("br, li, p, .badge")) part.after("\n");
  const lines = (cell.textContent ?? "").split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join("; ");
}
