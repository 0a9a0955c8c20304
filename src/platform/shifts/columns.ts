import { camelCase } from "../db/names.ts";

// A plan holds the values of rows under the same names, times as milliseconds since 1970: `startTime`, `updatedAt`, `missingSince`.

const isTime = (name: string): boolean => /(?:Time|At|Since)$/.test(name);

/** Returns the plain values of a row in the form of `to_jsonb`. */
export function fromRow<State>(row: Record<string, unknown>): State {
  const entries = Object.entries(row).map(([column, value]) => {
    const name = camelCase(column);
    return [name, isTime(name) && typeof value === "string" ? Date.parse(value) : value];
  });
  return Object.fromEntries(entries) as State;
}

/** Returns the columns of a patch. Milliseconds become times; lists and objects become JSON. */
export function toRow<Columns>(patch: object): Columns {
  const entries = Object.entries(patch).map(([name, value]) => [
    name,
    isTime(name) && typeof value === "number" ? new Date(value) : asText(value),
  ]);
  return Object.fromEntries(entries) as Columns;
}

const asText = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;
