import type { Database } from "../db/database.ts";

/** How busy one queue is, in all processes together. */
export interface QueueLoad {
  queue: string;
  /** Waiting for a place, for their turn or for their next try. */
  waiting: number;
  active: number;
  /** Since the oldest one that waits was queued; 0 when none does. */
  oldestSeconds: number;
}

export async function readQueueLoad({ raw }: Pick<Database, "raw">): Promise<QueueLoad[]> {
  const { rows } = await raw.executeSql(`
    select name as queue, count(*) filter (where state < 'active') as waiting,
      count(*) filter (where state = 'active') as active,
      coalesce(extract(epoch from now() - min(created_on) filter (where state < 'active')), 0)::float8 as "oldestSeconds"
    from pgboss.job where state <= 'active' group by name`);
  return rows;
}
