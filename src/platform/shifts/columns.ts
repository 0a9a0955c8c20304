// The plain values of a plan and their columns have the same names: `startTime` is `start_time`, `mayActLate` is `may_act_late`.

const isTime = (column: string): boolean => /_(?:time|at|since)$/.test(column);

/** Returns the plain values of a row in the form of `to_jsonb`. Times become milliseconds since 1970. */
export function fromRow<State>(row: Record<string, unknown>): State {
  const entries = Object.entries(row).map(([column, value]) => {
    const name = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return [name, isTime(column) && typeof value === "string" ? Date.parse(value) : value];
  });
  return Object.fromEntries(entries) as State;
}

/** Returns the columns of a patch. Milliseconds become times; lists and objects become JSON. */
export function toRow<Columns>(patch: object): Columns {
  const entries = Object.entries(patch).map(([name, value]) => {
    const column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [column, isTime(column) && typeof value === "number" ? new Date(value) : asText(value)];
  });
  return Object.fromEntries(entries) as Columns;
}

const asText = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;
