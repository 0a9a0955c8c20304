import { types } from "node:util";
import { CamelCasePlugin } from "kysely";

/** SQL has names in snake_case, TypeScript in camelCase. This translates both ways; what a jsonb column holds stays as it is. */
export const NAMES = new CamelCasePlugin({ maintainNestedObjectKeys: true });

const known = new Map<string, string>();

/** The name in TypeScript of a column, for rows that SQL returns as JSON. */
export function camelCase(column: string): string {
  let name = known.get(column);
  if (name === undefined) {
    name = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    known.set(column, name);
  }
  return name;
}

/** A row as JSON for SQL that reads it by the names of columns. */
export const underColumns = (row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

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
