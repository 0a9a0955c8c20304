import type { ColumnType, Generated } from "kysely";

/** A jsonb column is read as its value and written as JSON text, because the drivers disagree on arrays. */
export type Json<T> = ColumnType<T, string, string>;
export type JsonWithDefault<T> = ColumnType<T, string | undefined, string>;

export interface Stamped {
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}
