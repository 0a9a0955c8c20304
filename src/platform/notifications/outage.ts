import { sql } from "kysely";
import { MAIL_PROBE_MS } from "../../clients/retry-policy.ts";
import type { Deps } from "../deps.ts";
import { retryDelay } from "../work/retry.ts";

/** How the mail server failed: it was of no use at all, or it deferred one mail. */
export type Failing = "unavailable" | "deferred";

/** What this process knows of the mail server. */
export interface Outage {
  /** Returns how long the mail waits after its attempt failed. Milliseconds. */
  waitAfter(failing: Failing, attempts: number): number;
  /** The mail server has accepted a mail: after an outage, what waits becomes due. */
  isOver(signal: AbortSignal): Promise<void>;
  /** A mail that waited is no longer to be sent: during an outage, another one probes the server in its place. */
  probe(): Promise<void>;
}

/** Rows of one statement. */
const BATCH = 100;

export function createOutage({ database, retries, timing: { hourlyMs }, wakeWorker }: Deps): Outage {
  // Not known at the start: mail may wait since before.
  let failing: Failing | undefined = "unavailable";
  let probeAt = 0;

  /** Makes mail due that waits after a failed attempt; returns how many recipients' at most `count`. */
  const bringForward = async (withinMs: number, count: number): Promise<number> => {
    const { numAffectedRows = 0n } = await sql`
      update work set due_at = now() + random() * ${withinMs}::float8 * interval '1 millisecond'
      where (provider_id, kind, key) in (
        select provider_id, kind, key from work
        where kind = 'mail' and claim is null and attempts > 0 and due_at > now() + ${withinMs}::float8 * interval '1 millisecond'
        order by priority, due_at limit ${count}::int for update skip locked)`.execute(database.kysely);
    if (numAffectedRows > 0n) wakeWorker();
    return Number(numAffectedRows);
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
    isOver: async (signal) => {
      const was = failing;
      if (was === undefined) return;
      failing = undefined;
      probeAt = 0;
      try {
        // A mail that is deferred again and again is not attempted with each mail that is accepted.
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
