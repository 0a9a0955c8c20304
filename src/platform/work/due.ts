import { sql } from "kysely";
import type { Deps } from "../deps.ts";
import { afterCommit, type Trx, writeAtEnd } from "../transaction.ts";
import { channelOf, type Due, type Priority, WORK } from "./rows.ts";

/** `interactive`: an operator or a candidate waits. */
export const PRIORITY = { interactive: 0, event: 1, background: 2 } as const satisfies Record<
  string,
  Priority
>;

type Parts = Pick<Deps, "wakeWorker">;

/** Makes work due at the end of the transaction; nothing else does. Ten hints about one shift are one row. */
export function markDue(trx: Trx, { wakeWorker }: Parts, due: readonly Due[]): void {
  for (const each of due) writeAtEnd(trx, WORK, { what: "due", ...each });
  if (due.length === 0) return;
  const providers = new Set(due.filter(({ kind }) => !channelOf(kind)).map(({ providerId }) => providerId));
  afterCommit(trx, () => wakeWorker([...providers]));
}

/** Makes every shift that the query selects (columns provider_id and shift_id) due. */
export async function markShiftsDue(
  trx: Trx,
  deps: Parts,
  shifts: ReturnType<typeof sql>,
  priority: Priority,
): Promise<void> {
  const { rows } = await sql<{ providerId: string; key: string }>`
    select distinct provider_id, shift_id as key from (${shifts}) as named`.execute(trx);
  markDue(
    trx,
    deps,
    rows.map((row) => ({ ...row, kind: "shift", priority })),
  );
}
