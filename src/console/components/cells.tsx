import type { ComponentChildren } from "preact";

export interface Column<Row> {
  /** The heading. On a phone, where a row is a card, it labels the cell. */
  name: string;
  cell(row: Row): ComponentChildren;
  /** Numbers are aligned at their last digit. */
  isNumber?: boolean;
  /** The heading is for screen readers only: the cells hold buttons. */
  isActions?: boolean;
}

export function Cells<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  return (
    <>
      {columns.map(({ name, cell, isNumber, isActions }) => (
        <td key={name} data-label={isActions ? "" : name} {...(isNumber && { class: "number" })}>
          <div>{cell(row)}</div>
        </td>
      ))}
    </>
  );
}
