import { sql } from "kysely";
import type { Database, Log } from "../db/database.ts";
import { jsonRows } from "../db/fragments.ts";
import { type Collector, createCollector } from "../metrics/collector.ts";

/** Counts what each provider's shifts really hold, for the report (report.ts). */
export interface FieldUses extends Pick<Collector, "flush" | "close"> {
  /** One shift was read: names of optional fields, and of what was odd about it. Returns at once. */
  note(providerId: string, fields: readonly string[]): void;
}

/** Of the row that counts the shifts themselves. */
export const SHIFTS = "shift";

interface Options {
  database: Pick<Database, "kysely">;
  log: Log;
  everyMs?: number;
}

export function createFieldUses({ database, ...options }: Options): FieldUses {
  const { add, ...rest } = createCollector({ ...options, write: (counts) => write(database, counts) });
  return {
    ...rest,
    note: (providerId, fields) => {
      for (const field of [SHIFTS, ...new Set(fields)]) add(`${providerId} ${field}`);
    },
  };
}

async function write(
  { kysely }: Pick<Database, "kysely">,
  counts: readonly [key: string, count: number][],
): Promise<void> {
  const rows = counts.map(([key, count]) => ({ provider_id: key.slice(0, 36), field: key.slice(37), count }));
  await sql`
    insert into field_uses (provider_id, field, count)
    select provider_id, field, count
    from ${jsonRows(rows)} as used (provider_id uuid, field text, count bigint)
    on conflict (provider_id, field) do update set count = field_uses.count + excluded.count`.execute(kysely);
}
