import { sql } from "kysely";
import type { Params } from "../../../generated/operations/types.ts";
import { MAIL_PROBE_MS } from "../../clients/retry-policy.ts";
import { IS_UNDELIVERED, jsonRows, milliseconds } from "../db/fragments.ts";
import { byOrganisation, providerOf } from "../db/organisation.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import { type Trx, transact, type Writer, writeAtEnd } from "../transaction.ts";
import { retryDelay } from "../work/retry.ts";
import { isTooLate, stillHolds } from "./mail-due.ts";

const CODE = "notification_failed";

interface Undelivered {
  providerId: string;
  notificationId: string;
  candidateId: string;
  traceId: string;
  params: Params;
}

/** Raises one issue about the mail server for an outage, however many mails wait. */
export async function raiseOutage(trx: Trx, deps: Deps, undelivered: Undelivered): Promise<void> {
  const { providerId, traceId, params } = undelivered;
  await raiseIssue(trx, deps, {
    code: CODE,
    providerId,
    traceId,
    subject: { kind: "mail_server" },
    params,
    once: true,
  });
}

/** Raises an issue about a notification that no further attempt can deliver. */
export async function raiseRefused(trx: Trx, deps: Deps, undelivered: Undelivered): Promise<void> {
  const { providerId, notificationId, candidateId, traceId, params } = undelivered;
  const subject = { kind: "notification", notificationId, candidateId } as const;
  await raiseIssue(trx, deps, { code: CODE, providerId, traceId, subject, params });
}

/** Resolves the organisation's mail issues whose cause is gone, at the end of the transaction. */
export const resolveMailIssues = (trx: Trx, providerId: string, now: Date): void =>
  writeAtEnd(trx, CLOSED, { providerId, now });

const CLOSED: Writer<{ providerId: string; now: Date }> = {
  table: "issues",
  write: async (trx, rows) => {
    const times = new Map(rows.map(({ providerId, now }) => [providerId, now]));
    for (const [providerId, now] of times)
      await resolveIssues(
        trx,
        { now: () => now },
        { providerId, codes: [CODE], where: isWithoutCause(providerId, now) },
      );
  },
};

/** Whether no mail waits after a failed attempt, or the notification was delivered, was erased, or is of no more use. */
const isWithoutCause = (
  providerId: string,
  now: Date,
) => sql<boolean>`subject ->> 'kind' <> 'webhook' and not exists (
  select 1 from notifications join jobs using (provider_id, job_id)
  where notifications.provider_id = ${providerId} and ${IS_UNDELIVERED} and ${stillHolds(now, providerId)}
    and case when subject ->> 'kind' = 'mail_server'
      then delivery_error in ('mail_server_unreachable', 'mail_server_refused', 'tls_unavailable')
      else notification_id = (subject ->> 'notificationId')::uuid and not ${isTooLate(now)} end)`;

/** Resolves mail issues whose cause ended with time alone, for example because the shift of an offer has started. */
export async function resolvePastMailIssues(deps: Pick<Deps, "database" | "now">): Promise<void> {
  const rows = await deps.database.kysely
    .selectFrom("issues")
    .select("providerId")
    .distinct()
    .where("code", "=", CODE)
    .where("resolvedAt", "is", null)
    .execute();
  for (const { providerId } of rows)
    await transact(deps, async (trx) => resolveMailIssues(trx, providerId, deps.now()));
}

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
