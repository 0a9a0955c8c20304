import { sql } from "kysely";
import type { ProviderClient } from "../../clients/provider/client.ts";
import type { Database } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import type { ReceivedEvent } from "./receive.ts";

/**
 * A shift's UUID is kept in lower case. A provider that writes it otherwise may compare text, so it is asked for the shift as it spelt it
 * when the shift was new: by that spelling it was found.
 */
export async function rememberSpelling(
  { kysely }: Pick<Database, "kysely">,
  { providerId, shiftId }: ReceivedEvent,
  spelling: string,
): Promise<void> {
  await sql`
    insert into shift_spellings (provider_id, shift_id, spelling)
    select ${providerId}::uuid, ${shiftId}::text, ${spelling}::text
    where not exists (select from jobs where provider_id = ${providerId} and shift_id = ${shiftId})
    on conflict do nothing`.execute(kysely);
}

/** The clients of all providers, which spell each shift as its provider does. */
export function spellingAsProviders(
  { kysely }: Pick<Database, "kysely">,
  clientFor: Deps["clientFor"],
): Deps["clientFor"] {
  return (integration) => {
    const { provider_id } = integration;
    const client = clientFor(integration);
    const spelt = async (shiftId: string) => {
      const row = await kysely
        .selectFrom("shift_spellings")
        .select("spelling")
        .where("provider_id", "=", provider_id)
        .where("shift_id", "=", shiftId)
        .executeTakeFirst();
      return row?.spelling ?? shiftId;
    };
    return { ...client, ...callsOf(client, spelt) };
  };
}

type ShiftCalls = Pick<ProviderClient, "getShift" | "updateShift" | "cancelShift" | "assign" | "unassign">;

function callsOf(client: ProviderClient, spelt: (shiftId: string) => Promise<string>): ShiftCalls {
  return {
    getShift: async (shiftId, call) => client.getShift(await spelt(shiftId), call),
    updateShift: async (shiftId, ...change) => client.updateShift(await spelt(shiftId), ...change),
    cancelShift: async (shiftId, call) => client.cancelShift(await spelt(shiftId), call),
    assign: async (seat, call) => client.assign({ ...seat, shiftId: await spelt(seat.shiftId) }, call),
    unassign: async (seat, call) => client.unassign({ ...seat, shiftId: await spelt(seat.shiftId) }, call),
  };
}
