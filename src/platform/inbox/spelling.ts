import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { ReceivedEvent } from "./receive.ts";

/**
 * A shift's UUID is kept in lower case. A provider that writes it otherwise may compare text, so it is asked for the shift as it spelt it
 * when the shift was new.
 */
export async function rememberSpelling(
  { kysely }: Pick<Database, "kysely">,
  { providerId, shiftId }: ReceivedEvent,
  spelling: string,
): Promise<void> {
  await sql`
    insert into shifts (provider_id, shift_id, spelling)
    values (${providerId}::uuid, ${shiftId}::text, ${spelling}::text)
    on conflict do nothing`.execute(kysely);
}
