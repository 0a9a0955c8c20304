import { sql } from "kysely";
import type { WorkKind } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { afterCommit, type Trx } from "../transaction.ts";

/** `interactive`: an operator or a candidate waits. */
export const PRIORITY = { interactive: 0, event: 1, background: 2 } as const;
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

/** A piece of work. */
export interface Due {
  providerId: string;
  kind: WorkKind;
  /** The shift, the person, or the recipient; empty for work on the integration itself. */
  key: string;
  priority: Priority;
}

type Parts = Pick<Deps, "wakeWorker">;

/** Makes work due now; nothing else does. Ten hints about one shift are one row. */
export async function markDue(trx: Trx, { wakeWorker }: Parts, due: readonly Due[]): Promise<void> {
  if (due.length === 0) return;
  const byKey = new Map<string, Due>();
  for (const each of due) {
    const before = byKey.get(keyOf(each));
    if (!before || each.priority < before.priority) byKey.set(keyOf(each), each);
  }
  // In one order everywhere, so that two processes cannot deadlock.
  const rows = [...byKey.keys()].sort().map((key) => byKey.get(key));
  await sql`
    insert into work (provider_id, kind, key, priority)
    select "providerId", kind, key, priority
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as due ("providerId" uuid, kind text, key text, priority smallint)
    ${onConflict}`.execute(trx);
  afterCommit(trx, wakeWorker);
}

const keyOf = ({ providerId, kind, key }: Due) => `${providerId} ${kind} ${key}`;

/** A claimed row keeps its lease. The revision shows the run that a hint has arrived. */
const onConflict = sql`
  on conflict (provider_id, kind, key) do update set
    revision = work.revision + 1,
    priority = least(work.priority, excluded.priority),
    due_at = case when work.claim is null then greatest(least(work.due_at, now()), coalesce(work.not_before, now()))
      else work.due_at end`;

/** Makes every shift that the query selects (columns provider_id and shift_id) due now, in one statement. */
export async function markShiftsDue(
  trx: Trx,
  { wakeWorker }: Parts,
  shifts: ReturnType<typeof sql>,
  priority: Priority,
): Promise<void> {
  await sql`
    insert into work (provider_id, kind, key, priority)
    select provider_id, 'shift', shift_id, ${priority}::smallint
    from (select distinct provider_id, shift_id from (${shifts}) as named order by provider_id, shift_id) as due
    ${onConflict}`.execute(trx);
  afterCommit(trx, wakeWorker);
}
