import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";

/** Rows that are tried: an old one may be of a shift that is gone. */
const MOST_TRIES = 3;

/** A shift that the provider has now: without one, nothing can be said of its shifts. */
export async function shiftToRead(
  deps: Deps,
  integration: Integration,
  signal: AbortSignal,
): Promise<string | undefined> {
  const client = deps.clientFor(integration);
  for (const shiftId of await shiftsOf(deps, integration.provider_id)) {
    const read = await client.getShift(shiftId, { traceId: deps.newTraceId(), signal });
    if (read.kind === "unusable") return shiftId;
    // As the provider spells it.
    if (read.kind === "shift" && !read.shift.cancelled) return read.shift.id;
  }
  return undefined;
}

/** Of its jobs that are to come, or else of its last events: when it is activated those may still wait. */
async function shiftsOf({ database, now }: Deps, providerId: string): Promise<string[]> {
  const jobs = await database.kysely
    .selectFrom("jobs")
    .select("shift_id")
    .where("provider_id", "=", providerId)
    .where("status", "in", ["open", "filled", "blocked_mapping"])
    .where("start_time", ">", now())
    .orderBy("start_time")
    .limit(MOST_TRIES)
    .execute();
  const events = await database.kysely
    .selectFrom("events")
    .select("shift_id")
    .where("provider_id", "=", providerId)
    .where("event", "in", ["shift.create", "shift.update"])
    .orderBy("event_id", "desc")
    .limit(MOST_TRIES)
    .execute();
  return [...new Set([...jobs, ...events].map(({ shift_id }) => shift_id))];
}
