import { sql } from "kysely";
import { jsonRows } from "../../db/fragments.ts";
import { providerOf } from "../../db/organisation.ts";
import type { Deps } from "../../deps.ts";
import { type Trx, type Writer, writeAtEnd } from "../../transaction.ts";
import type { ShiftKey } from "../observe/load.ts";
import { type StoredBelief, toStored } from "../observe/stored-belief.ts";
import type { KnownShift } from "../plan/state.ts";
import type { ShiftPatch, Write } from "../plan/writes.ts";

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
  const { nextReadAt, belief } = { ...known, ...patch };
  const at = now().getTime();
  writeAtEnd(trx, SHIFTS, {
    ...key,
    belief: toStored(belief, at),
    isBelieved: patch.belief !== undefined,
    readsInMs: nextReadAt === null ? null : nextReadAt - at,
    missingInMs: belief.missingSince === null ? null : belief.missingSince - at,
    // Another transaction may have brought the reading forward in the meantime.
    keepsReading: patch.nextReadAt === undefined,
  });
}

interface ShiftRow extends ShiftKey {
  belief: StoredBelief;
  isBelieved: boolean;
  readsInMs: number | null;
  missingInMs: number | null;
  keepsReading: boolean;
}

/** Deadlines use the database's clock, so that setting back the clock of this machine cannot stop a shift. */
const SHIFTS: Writer<ShiftRow> = {
  table: "shifts",
  write: async (trx, rows, organisation) => {
    const provider = providerOf(organisation, "seen.providerId");
    await sql`
      with seen as (select seen.*, now() as at, now() + "readsInMs" * interval '1 millisecond' as "nextReadAt",
          now() + "missingInMs" * interval '1 millisecond' as "missingSince"
        from ${jsonRows(rows)} as seen ("providerId" uuid, "shiftId" text, belief jsonb,
        "isBelieved" boolean, "readsInMs" float8, "missingInMs" float8, "keepsReading" boolean)),
      known as (
        update shifts set
          next_read_at = case when seen."keepsReading" then next_read_at else seen."nextReadAt" end,
          belief = case when seen."isBelieved" then seen.belief else shifts.belief end,
          believed_at = case when seen."isBelieved" then seen.at else believed_at end,
          missing_since = case when seen."missingInMs" is not null then coalesce(missing_since, seen."missingSince") end
        from seen where shifts.provider_id = ${provider} and shifts.shift_id = seen."shiftId"
        returning shifts.provider_id, shifts.shift_id)
      insert into shifts (provider_id, shift_id, spelling, next_read_at, belief, believed_at, missing_since)
      select ${provider}, "shiftId", (select spelling from events where events.provider_id = ${provider}
          and events.shift_id = seen."shiftId" and spelling is not null order by event_id limit 1),
        "nextReadAt", belief, at, "missingSince"
      from seen where ("providerId", "shiftId") not in (select provider_id, shift_id from known)
      on conflict (provider_id, shift_id) do update set next_read_at = excluded.next_read_at,
        belief = excluded.belief, believed_at = excluded.believed_at, missing_since = excluded.missing_since`.execute(
      trx,
    );
  },
};
