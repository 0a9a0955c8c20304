import { type Selectable, sql } from "kysely";
import { jsonRows } from "../db/fragments.ts";
import type { NotificationsTable } from "../db/schema.ts";
import type { Deps } from "../deps.ts";

/** Returns when the candidates of these offers declined their shifts, by notificationId. */
export async function readDeclines(
  { database }: Pick<Deps, "database">,
  notifications: readonly Selectable<NotificationsTable>[],
): Promise<ReadonlyMap<string, Date>> {
  const offers = notifications
    .filter(({ kind }) => kind === "job_offered")
    .map((row) => ({
      id: row.notification_id,
      provider: row.provider_id,
      job: row.job_id,
      candidate: row.candidate_id,
    }));
  if (offers.length === 0) return new Map();
  const { rows } = await sql<{ id: string; declinedAt: Date }>`
    select asked.id, declined_at as "declinedAt"
    from ${jsonRows(offers)} as asked (id uuid, provider uuid, job uuid, candidate uuid)
      join declines on declines.provider_id = asked.provider and declines.job_id = asked.job
        and declines.candidate_id = asked.candidate`.execute(database.kysely);
  return new Map(rows.map(({ id, declinedAt }) => [id, declinedAt]));
}
