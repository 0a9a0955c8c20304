import { type RawBuilder, sql } from "kysely";
import type { Database } from "./engine.ts";

/**
 * The organisation of all rows of a statement, on a distributed database: a statement that names it is carried out by one worker. Undefined on others,
 * where rows of several organisations share a statement.
 */
export type Organisation = string | undefined;

/** Marks a statement that is for several organisations, and names one on a distributed database: only such a one may cross them unlisted. */
export const BY_ORGANISATION = "/* by organisation */";
const mark = sql.raw(BY_ORGANISATION);

/** Given rows have the names of TypeScript, unlike tables. */
const given = (column: string) => sql.raw<string>(`"${column.replace(".", '"."')}"`);

/** The provider of each given row, as the tables of the statement are compared with it. */
export const providerOf = (organisation: Organisation, column: string): RawBuilder<string> =>
  organisation === undefined ? sql`${given(column)} ${mark}` : sql`${organisation}::uuid`;

/** The same for an INSERT of given rows: `join` follows them. A worker inserts what it selects from a table of its own. */
export const inserted = (organisation: Organisation, column: string) =>
  organisation === undefined
    ? { provider: given(column), join: mark }
    : {
        provider: sql.ref("integrations.providerId"),
        join: sql`join integrations on integrations.provider_id = ${organisation}`,
      };

/** Groups rows by organisation, in one order everywhere, where each statement must name one. */
export function byOrganisation<Row extends { providerId: string }>(
  rows: readonly Row[],
  isDistributed: boolean | undefined,
): [Organisation, readonly Row[]][] {
  if (!isDistributed) return [[undefined, rows]];
  return [...Map.groupBy(rows, ({ providerId }) => providerId)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
}

/** A condition on the organisation, for statements that choose their rows themselves; `and` follows it. */
export const isOf = (organisation: Organisation) =>
  organisation === undefined ? mark : sql`provider_id = ${organisation} and`;

/** Returns the organisations at which a table has rows for which `condition` holds. One statement is for all of them on a database that is not distributed. */
export async function organisationsWith(
  { kysely, isDistributed }: Pick<Database, "kysely" | "isDistributed">,
  table: string,
  condition: RawBuilder<unknown>,
): Promise<Organisation[]> {
  if (!isDistributed) return [undefined];
  const { rows } = await sql<{ providerId: string }>`
    select distinct provider_id from ${sql.table(table)} where ${condition}`.execute(kysely);
  return rows.map(({ providerId }) => providerId);
}
