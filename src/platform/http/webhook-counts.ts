import type { ClientRateLimitInfo, Store } from "express-rate-limit";
import { sql } from "kysely";
import { MINUTE_MS } from "../../contract/durations.ts";
import type { Database, Log } from "../db/database.ts";

/** A process adds its count to the common one in this many parts of the limit: a webhook seldom waits for that. */
const PARTS = 60;

interface Count {
  /** When the minute began. Milliseconds since 1970. */
  minute: number;
  /** Of all processes, as it was when this one last added to it. */
  common: number;
  /** Of this process, not added yet. */
  own: number;
}

interface Parts {
  database: Pick<Database, "kysely">;
  log: Log;
  limit: number;
  /** Whether there are other processes. */
  isShared: () => boolean;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Counts the webhooks of each provider by the minute, of all processes together: it does not matter how they are balanced. */
export function webhookCounts({ database, log, limit, isShared, now }: Parts): Store {
  const counts = new Map<string, Count>();
  const part = Math.max(1, Math.floor(limit / PARTS));
  const countOf = (key: string): Count => {
    const minute = Math.floor(now() / MINUTE_MS) * MINUTE_MS;
    const known = counts.get(key);
    if (known?.minute === minute) return known;
    const count = { minute, common: 0, own: 0 };
    counts.set(key, count);
    return count;
  };
  const add = async (providerId: string, count: Count) => {
    const { own, minute } = count;
    count.own = 0;
    count.common += own;
    try {
      count.common = Math.max(count.common, await addTo(database, providerId, { own, minute }));
    } catch (error) {
      count.own += own;
      count.common -= own;
      log.warn({ err: error, providerId }, "could not count webhooks together with the other processes");
    }
  };
  return {
    increment: async (providerId): Promise<ClientRateLimitInfo> => {
      const count = countOf(providerId);
      count.own += 1;
      if (count.own % part === 0 && isShared()) await add(providerId, count);
      return { totalHits: count.common + count.own, resetTime: new Date(count.minute + MINUTE_MS) };
    },
    decrement: () => undefined,
    resetKey: (providerId) => void counts.delete(providerId),
  };
}

async function addTo(
  { kysely }: Pick<Database, "kysely">,
  providerId: string,
  { minute, own }: Pick<Count, "minute" | "own">,
) {
  const { rows } = await sql<{ count: number }>`
    insert into webhook_counts (provider_id, minute, count) values (${providerId}, ${new Date(minute)}, ${own})
    on conflict (provider_id, minute) do update set count = webhook_counts.count + excluded.count
    returning count`.execute(kysely);
  return rows[0]?.count ?? 0;
}
