import { sql } from "kysely";
import { MINUTE_MS } from "../../contract/durations.ts";
import type { Database } from "../db/database.ts";
import { FIGURES, minuteOf } from "../metrics/figures.ts";

const NAMES = {
  /** Calls that ended, and their total milliseconds. */
  calls: FIGURES.calls,
  callMs: FIGURES.callMs,
} as const;

/** The calls of all processes to one provider in the last minute. */
export type Pace = Record<keyof typeof NAMES, number>;

export const AT_REST: Pace = { calls: 0, callMs: 0 };

/** Returns the pace of the last 60 seconds by providerId, of one or of all. Of the previous minute, it takes the proportionate share. */
export async function readPaces(
  { kysely }: Pick<Database, "kysely">,
  now: Date,
  providerId: string,
): Promise<Map<string, Pace>> {
  const minute = minuteOf(now);
  const shareBefore = 1 - (now.getTime() - minute) / MINUTE_MS;
  const names = sql.join(Object.values(NAMES).map((name) => sql.lit(name)));
  const { rows } = await sql<{ providerId: string; sums: Record<string, number> }>`
    select provider_id as "providerId", json_object_agg(name, value) as sums
    from (
      select provider_id, name, sum(value * case when minute = ${new Date(minute)} then 1 else ${shareBefore}::float8 end) as value
      from figures
      where minute in (${new Date(minute)}, ${new Date(minute - MINUTE_MS)}) and name in (${names})
        and ${providerId === "" ? sql`true` : sql`provider_id = ${providerId}`}
      group by provider_id, name) as summed
    group by provider_id`.execute(kysely);
  return new Map(rows.map((row) => [row.providerId, paceOf(row.sums)]));
}

function paceOf(sums: Readonly<Record<string, number>>): Pace {
  const values = Object.entries(NAMES).map(([member, name]) => [member, sums[name] ?? 0]);
  return { ...AT_REST, ...Object.fromEntries(values) };
}
