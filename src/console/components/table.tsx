import { Cells, type Column } from "./cells.tsx";
import { SaveCsv, type SavedList } from "./save-csv.tsx";

interface Props<Row> {
  /** Read out by screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  /** The class of a table with styles of its own. */
  name?: string;
  /** Of a list, which can be saved. */
  saved?: SavedList<Row>;
}

export function Table<Row>({ saved, ...table }: Props<Row>) {
  return (
    <>
      {saved && <SaveCsv {...saved} columns={table.columns} />}
      <Rows {...table} />
    </>
  );
}

function Rows<Row>({ caption, columns, rows, keyOf, name = "" }: Omit<Props<Row>, "saved">) {
  return (
    <table class={`cards ${name}`}>
      <caption class="visually-hidden">{caption}</caption>
      <TableHead columns={columns} />
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <Cells columns={columns} row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function TableHead({ columns }: { columns: readonly Omit<Column<never>, "cell">[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, isNumber, isActions }) => (
          <th key={name} scope="col" {...(isNumber && { class: "number" })}>
            {isActions ? <span class="visually-hidden">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
