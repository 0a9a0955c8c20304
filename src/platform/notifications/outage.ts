import { sql } from "kysely";
import { MAIL_PROBE_MS } from "../../clients/retry-policy.ts";
import { jsonRows, milliseconds } from "../db/fragments.ts";
import { byOrganisation, providerOf } from "../db/organisation.ts";
import type { Deps } from "../deps.ts";
import { retryDelay } from "../work/retry.ts";

/** How the mail server failed: it accepted no mail at all, or deferred one mail. */
export type Failing = "unavailable" | "deferred";

/** What this process knows about the mail server. */
export interface Outage {
  /** Returns the delay before the next attempt with a mail. Milliseconds. */
  waitAfter(failing: Failing, attempts: number): number;
  /** Ends an outage because the mail server accepted a mail: waiting mail becomes due. */
  end(signal: AbortSignal): Promise<void>;
  /** Makes another mail due during an outage, because the one that probed the server is no longer to be sent. */
  probe(): Promise<void>;
}

/** Rows of one statement. */
const BATCH = 100;

export function createOutage({ database, retries, timing: { hourlyMs }, wakeWorker }: Deps): Outage {
  // The state is unknown at the start: mail may wait from an earlier run.
  let failing: Failing | undefined = "unavailable";
  let probeAt = 0;

  /** Makes the mail of up to `count` recipients due that waits after a failed attempt. Returns how many became due. */
  const bringForward = async (withinMs: number, count: number): Promise<number> => {
    const isWaiting = sql`kind = 'mail' and claim is null and attempts > 0 and due_at > now() + ${milliseconds(withinMs)}`;
    const { rows } = await sql<{ providerId: string; key: string }>`
      select provider_id, key from work where ${isWaiting}
      order by priority, due_at limit ${count}::int`.execute(database.kysely);
    const spread = rows.map((row) => ({ ...row, afterMs: Math.random() * withinMs }));
    for (const [organisation, group] of byOrganisation(spread, database.isDistributed))
      await sql`
        update work set due_at = next.at from (
          select provider_id, key, now() + "afterMs" * interval '1 millisecond' as at
          from work join ${jsonRows(group)} as found ("providerId" uuid, key text, "afterMs" float8) using (key)
          where provider_id = ${providerOf(organisation, "found.providerId")} and ${isWaiting} for update of work skip locked) as next
        where (work.provider_id, work.kind, work.key) = (${providerOf(organisation, "next.provider_id")}, 'mail', next.key)`.execute(
        database.kysely,
      );
    if (rows.length > 0) wakeWorker([]);
    return rows.length;
  };

  return {
    waitAfter: (now, attempts) => {
      if (failing !== "unavailable") failing = now;
      const waitMs = retryDelay(retries, attempts, { hourlyMs });
      if (attempts < retries.tries || performance.now() < probeAt) return waitMs;
      const probeMs = now === "unavailable" ? MAIL_PROBE_MS : Math.max(MAIL_PROBE_MS, retries.capMs);
      probeAt = performance.now() + Math.min(waitMs, probeMs);
      return Math.min(waitMs, probeMs);
    },
    end: async (signal) => {
      const was = failing;
      if (was === undefined) return;
      failing = undefined;
      probeAt = 0;
      try {
        // Accepted mail does not trigger attempts with a mail that the server keeps deferring.
        const withinMs = was === "unavailable" ? 0 : retries.capMs;
        while ((await bringForward(withinMs, BATCH)) === BATCH) signal.throwIfAborted();
      } catch (error) {
        failing = was;
        throw error;
      }
    },
    probe: async () => {
      if (failing !== undefined && performance.now() >= probeAt) await bringForward(0, 1);
    },
  };
}
