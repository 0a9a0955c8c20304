import { sql } from "kysely";
import { jsonRows } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import { type Trx, type Writer, writeAtEnd } from "../transaction.ts";
import type { ShiftPatch, Write } from "./draft.ts";
import type { ShiftKey } from "./load.ts";
import type { KnownShift } from "./state.ts";

/** Writes what is known of the shift, together with the other shifts of the transaction. */
export function writeShift(
  trx: Trx,
  { now }: Deps,
  key: ShiftKey,
  known: KnownShift,
  writes: readonly Write[],
): void {
  const patches = writes.flatMap((write) => (write.write === "shift" ? [write.patch] : []));
  if (patches.length === 0) return;
  const patch: ShiftPatch = Object.assign({}, ...patches);
  const { nextReadAt, absentSince, rechecks, absences, goneAt } = { ...known, ...patch };
  const inMs = (time: number | null) => (time === null ? null : time - now().getTime());
  writeAtEnd(trx, SHIFTS, {
    ...key,
    rechecks,
    absences,
    isRead: patch.readAt !== undefined,
    readsInMs: inMs(nextReadAt),
    absentInMs: inMs(absentSince),
    goneInMs: inMs(goneAt),
    // Another transaction may have brought the reading forward in the meantime.
    keepsReading: patch.nextReadAt === undefined,
  });
}

interface ShiftRow
  extends ShiftKey,
    Omit<KnownShift, "nextReadAt" | "readAt" | "absentSince" | "goneAt" | "hasIssues"> {
  isRead: boolean;
  readsInMs: number | null;
  absentInMs: number | null;
  goneInMs: number | null;
  keepsReading: boolean;
}

/** Deadlines use the database's clock, so that setting back the clock of this machine cannot stop a shift. */
const SHIFTS: Writer<ShiftRow> = {
  order: 1,
  write: async (trx, rows) => {
    const nextReadAt = sql`now() + seen."readsInMs" * interval '1 millisecond'`;
    const absentSince = sql`now() + seen."absentInMs" * interval '1 millisecond'`;
    const goneAt = sql`now() + seen."goneInMs" * interval '1 millisecond'`;
    await sql`
      with seen as (select * from ${jsonRows(rows)} as seen ("providerId" uuid,
        "shiftId" text, rechecks smallint, absences smallint, "isRead" boolean, "readsInMs" float8,
        "absentInMs" float8, "goneInMs" float8, "keepsReading" boolean)),
      known as (
        update shifts set rechecks = seen.rechecks, absences = seen.absences,
          next_read_at = case when seen."keepsReading" then next_read_at else ${nextReadAt} end,
          read_at = case when seen."isRead" then now() else read_at end,
          absent_since = case when seen.absences > 1 then coalesce(absent_since, ${absentSince}) else ${absentSince} end,
          gone_at = case when seen."goneInMs" is not null then coalesce(gone_at, ${goneAt}) end
        from seen where shifts.provider_id = seen."providerId" and shifts.shift_id = seen."shiftId"
        returning shifts.provider_id, shifts.shift_id)
      insert into shifts (provider_id, shift_id, rechecks, absences, next_read_at, read_at, absent_since, gone_at)
      select "providerId", "shiftId", rechecks, absences, ${nextReadAt}, case when "isRead" then now() end,
        ${absentSince}, ${goneAt}
      from seen where ("providerId", "shiftId") not in (select provider_id, shift_id from known)
      on conflict (provider_id, shift_id) do update set rechecks = excluded.rechecks, absences = excluded.absences,
        next_read_at = excluded.next_read_at, read_at = excluded.read_at, absent_since = excluded.absent_since,
        gone_at = excluded.gone_at`.execute(trx);
  },
};
