import { types } from "node:util";

type Shown<Value> = Value extends Date ? string : Value;

/** Columns of a row as the API shows them: times in ISO 8601, and what is null is absent. */
export type View<Row, Column extends keyof Row> = {
  [C in Column as null extends Row[C] ? never : C]: Shown<Row[C]>;
} & {
  [C in Column as null extends Row[C] ? C : never]?: Shown<NonNullable<Row[C]>>;
};

export function view<Row extends object, Column extends keyof Row>(
  row: Row,
  columns: readonly Column[],
): View<Row, Column> {
  const entries = columns.flatMap((column) => {
    const value = row[column];
    if (value === null) return [];
    return [[column, types.isDate(value) ? value.toISOString() : value]];
  });
  return Object.fromEntries(entries);
}
