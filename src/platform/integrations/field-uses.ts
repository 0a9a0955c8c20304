import { sql } from "kysely";
import type { Database, Log } from "../db/database.ts";

/** Counts what each provider's shifts really hold, for the report (report.ts). */
export interface FieldUses {
  /** One shift was read: names of optional fields, and of what was odd about it. Returns at once. */
  note(providerId: string, fields: readonly string[]): void;
  /** Writes what was counted. Never rejects: what could not be written is written with the next. */
  flush(): Promise<void>;
  /** Writes what is left, and stops. */
  close(): Promise<void>;
}

/** Of the row that counts the shifts themselves. */
export const SHIFTS = "shift";

const EVERY_MS = 5_000;

interface Options {
  database: Pick<Database, "kysely">;
  log: Log;
  everyMs?: number;
}

/** In memory first: one row for every shift that is read would be a lock that all events of a provider wait for. */
export function createFieldUses({ database, log, everyMs = EVERY_MS }: Options): FieldUses {
  let counts = new Map<string, Map<string, number>>();
  let writing: Promise<void> = Promise.resolve();

  const add = (providerId: string, field: string, count: number) => {
    const fields = counts.get(providerId) ?? new Map<string, number>();
    counts.set(providerId, fields.set(field, (fields.get(field) ?? 0) + count));
  };
  const writeAll = async () => {
    if (counts.size === 0) return;
    const taken = rowsOf(counts);
    counts = new Map();
    try {
      await write(database, taken);
    } catch (error) {
      log.warn({ err: error }, "could not save which fields the providers use");
      for (const { provider_id, field, count } of taken) add(provider_id, field, count);
    }
  };
  const flush = () => {
    writing = writing.then(writeAll);
    return writing;
  };
  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();
  return {
    note: (providerId, fields) => {
      for (const field of [SHIFTS, ...new Set(fields)]) add(providerId, field, 1);
    },
    flush,
    close: () => {
      clearInterval(timer);
      return flush();
    },
  };
}

interface Row {
  provider_id: string;
  field: string;
  count: number;
}

/** In one order everywhere, so that two processes that write at once never wait for each other in a circle. */
function rowsOf(counts: Map<string, Map<string, number>>): Row[] {
  const rows = [...counts].flatMap(([provider_id, fields]) =>
    [...fields].map(([field, count]) => ({ provider_id, field, count })),
  );
  const keyOf = ({ provider_id, field }: Row) => `${provider_id} ${field}`;
  return rows.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

async function write({ kysely }: Pick<Database, "kysely">, rows: Row[]): Promise<void> {
  await sql`
    insert into field_uses (provider_id, field, count)
    select provider_id, field, count
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as used (provider_id uuid, field text, count bigint)
    on conflict (provider_id, field) do update set count = field_uses.count + excluded.count`.execute(kysely);
}
