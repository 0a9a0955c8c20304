import { createHmac } from "node:crypto";
import { sql } from "kysely";
import type { NotificationMessage } from "../../../generated/notifications/types.ts";
import type { NotificationKind, Params } from "../../../generated/operations/types.ts";
import { readRetryAfter } from "../../clients/provider/answer.ts";
import { createProviderHttp, type ProviderHttpOptions } from "../../clients/provider/http.ts";
import { ProviderHttpError } from "../../clients/provider/http-error.ts";
import { CHANNEL_PLACES, WEBHOOK_TIMEOUT_MS } from "../../clients/retry-policy.ts";
import { jsonTexts } from "../db/fragments.ts";
import type { Deps, NotificationWebhook, WebhookOutcome } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import { inSpan, uninstrumented } from "../tracing.ts";
import { transact } from "../transaction.ts";
import { retryDelay } from "../work/retry.ts";
import { type Claim, endClaim, type Run, renewClaim } from "../work/rows.ts";
import { stillHolds } from "./mail-due.ts";

/** How many notifications of an organisation are handed over at a time. */
const AT_ONCE = 5;

const ISSUE = { code: "notification_failed", subject: { kind: "webhook" } } as const;
/** The status by which the service asks for no more. */
const GONE = 410;

/**
 * Hands the waiting notifications of an organisation to the company's service. One that fails is tried again with the next run, and does not delay the others; after
 * a batch of which all fail the newest is tried, because the oldest may be what the service cannot accept; the run is over if that fails too. After a crash between the response and the commit, a notification is handed over again under the same id.
 */
export function handOver(deps: Deps, webhook: NotificationWebhook): Run {
  return async (claim, signal) => {
    if (await isDisabled(deps, claim)) return rest(deps, claim);
    await dropExpired(deps, claim);
    let failed: WebhookOutcome | undefined;
    let isTrial = false;
    for (let after: string | undefined; ; ) {
      const waiting = await readWaiting(deps, claim, { after, isTrial });
      if (waiting.length === 0) return end(deps, claim, failed);
      const outcomes = await Promise.all(waiting.map((each) => handOne(deps, webhook, each, signal)));
      const accepted = waiting.filter((_, nth) => outcomes[nth]?.kind === "accepted");
      await noteSent(deps, claim, accepted);
      signal.throwIfAborted();
      failed =
        outcomes.find(({ kind }) => kind === "gone") ??
        outcomes.find(({ kind }) => kind === "failed") ??
        failed;
      if (failed?.kind === "gone" || (isTrial && accepted.length === 0)) return end(deps, claim, failed);
      if (!isTrial) after = waiting.at(-1)?.notificationId;
      isTrial = accepted.length === 0;
    }
  };
}

/** An open issue about a 410 disables the webhook. */
async function isDisabled({ database }: Deps, { providerId }: Claim): Promise<boolean> {
  const { rows } = await sql`
    select issue_id from issues where provider_id = ${providerId} and code = 'notification_failed' and subject ->> 'kind' = 'webhook'
      and resolved_at is null and params ->> 'status' = ${`${GONE}`}`.execute(database.kysely);
  return rows.length > 0;
}

/** When a notification ceases to be of use, as SQL over `jobs` and `notifications`. */
const EXPIRES = sql<Date>`case when notifications.kind in ('shift_cancelled', 'booking_released')
  then jobs.end_time else jobs.start_time end`;

async function dropExpired({ database, now }: Deps, { providerId }: Claim): Promise<void> {
  await sql`
    update notifications set webhook = 'dropped' from jobs
    where notifications.provider_id = ${providerId} and webhook = 'waiting' and jobs.provider_id = ${providerId}
      and jobs.job_id = notifications.job_id and ${EXPIRES} <= ${now()}`.execute(database.kysely);
}

interface Waiting {
  providerId: string;
  notificationId: string;
  candidateId: string;
  jobId: string;
  kind: NotificationKind;
  traceId: string;
  createdAt: Date;
  expiresAt: Date;
  /** Of its link. */
  salt: number;
  resends: number;
  language: NotificationMessage["data"]["language"];
}

/** Reads the first notifications after an id that still hold, or the last one alone, unless their people were erased. */
async function readWaiting(
  { database, now, language }: Deps,
  { providerId }: Claim,
  { after, isTrial }: { after: string | undefined; isTrial: boolean },
): Promise<Waiting[]> {
  const isAfter = after === undefined ? sql`true` : sql`notification_id > ${after}`;
  const { rows } = await sql<Waiting>`
    select notifications.provider_id, notification_id, candidate_id,
      jobs.job_id, notifications.kind, notifications.trace_id, notifications.created_at,
      ${EXPIRES} as "expiresAt", link_salt as salt, resends, coalesce(candidates.language, integrations.language, ${language}) as language
    from notifications join candidates using (candidate_id) join jobs using (provider_id, job_id) join integrations using (provider_id)
    where notifications.provider_id = ${providerId} and webhook = 'waiting' and ${isAfter} and ${EXPIRES} > ${now()}
      and erased_at is null and ${stillHolds(now(), providerId)}
    order by notification_id ${isTrial ? sql`desc limit 1` : sql`limit ${AT_ONCE}::int`}`.execute(
    database.kysely,
  );
  return rows;
}

function handOne(
  { publicUrl, linkTokens }: Deps,
  webhook: NotificationWebhook,
  { traceId, createdAt, expiresAt, salt, resends, ...ids }: Waiting,
  signal: AbortSignal,
): Promise<WebhookOutcome> {
  const id = resends === 0 ? ids.notificationId : `${ids.notificationId}.${resends}`;
  const target = { providerId: ids.providerId, id: ids.notificationId, salt };
  const message: NotificationMessage = {
    type: "notification.created",
    timestamp: createdAt.toISOString(),
    data: {
      ...ids,
      expiresAt: expiresAt.toISOString(),
      ...(publicUrl !== undefined && { link: `${publicUrl}/c/${linkTokens.sign("shift", target)}` }),
    },
  };
  return inSpan({ name: "webhook", kind: "client", traceId }, async (span) => {
    const outcome = await webhook.send(id, JSON.stringify(message), signal);
    span.setAttribute("shiftpact.delivery", outcome.kind);
    return outcome;
  });
}

/** A notification that was accepted is recorded even while the process is stopping. */
async function noteSent(deps: Deps, claim: Claim, accepted: readonly Waiting[]): Promise<void> {
  const ids = accepted.map(({ notificationId }) => notificationId);
  await transact(deps, async (trx) => {
    renewClaim(trx, claim);
    if (ids.length === 0) return;
    await sql`
      update notifications set webhook = 'sent' where provider_id = ${claim.providerId}
        and notification_id in (select id::uuid from ${jsonTexts(ids)} as sent (id))`.execute(trx);
  });
}

/** Ends a run. After a failure, no new notification makes the work due earlier. */
async function end(deps: Deps, claim: Claim, failed: WebhookOutcome | undefined): Promise<void> {
  if (failed?.kind === "failed") return retry(deps, claim, failed);
  const { providerId } = claim;
  await transact(deps, async (trx) => {
    if (failed) await raiseIssue(trx, deps, { ...ISSUE, providerId, params: { status: GONE } });
    else await resolveIssues(trx, deps, { providerId, codes: [ISSUE.code], subject: ISSUE.subject });
    if (!failed) endClaim(trx, claim, { attempts: 0, priority: claim.priority });
  });
  if (failed) await rest(deps, claim);
}

/** Waits for an operator to resolve the issue. */
const rest = (deps: Deps, claim: Claim): Promise<void> =>
  transact(deps, (trx) =>
    endClaim(trx, claim, {
      attempts: 0,
      priority: claim.priority,
      afterMs: deps.timing.hourlyMs,
      isFirm: true,
    }),
  );

async function retry(
  deps: Deps,
  claim: Claim,
  { status, failure, retryAfterMs }: Extract<WebhookOutcome, { kind: "failed" }>,
): Promise<void> {
  const { retries, timing } = deps;
  const { attempts, priority, providerId } = claim;
  const params: Params = { attempts, ...(status !== undefined && { status }), ...(failure && { failure }) };
  const afterMs = retryDelay(retries, attempts, { retryAfterMs, hourlyMs: timing.hourlyMs });
  await transact(deps, async (trx) => {
    if (attempts >= retries.tries) await raiseIssue(trx, deps, { ...ISSUE, providerId, params, once: true });
    endClaim(trx, claim, { afterMs, attempts, priority, isFirm: true });
  });
  deps.wakeWorkerIn(afterMs);
}

/** The most connections: what all places hand over at a time, and an alert of operators, so that no attempt waits for another. */
const CONNECTIONS = 2 * CHANNEL_PLACES * AT_ONCE + 1;

export interface WebhookOptions extends Pick<ProviderHttpOptions, "allowInsecure" | "resolve" | "timeoutMs"> {
  url: string;
  /** Each signs, the first one first. */
  secrets: readonly Buffer[];
  now: () => Date;
}

/**
 * Hands notifications to a service, as Standard Webhooks has it. The address guard of providers applies, no redirect is followed, and
 * neither the URL nor the body is traced.
 */
export function createNotificationWebhook(options: WebhookOptions): NotificationWebhook {
  const { url, secrets, now, timeoutMs = WEBHOOK_TIMEOUT_MS, ...rest } = options;
  const http = createProviderHttp({ ...rest, timeoutMs, connections: CONNECTIONS });
  return {
    send: async (id, body, signal) => {
      const timestamp = `${Math.floor(now().getTime() / 1_000)}`;
      const headers = {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": secrets
          .map((secret) => signatureOf(secret, `${id}.${timestamp}.${body}`))
          .join(" "),
      };
      try {
        const request = new Request(url, { method: "POST", headers, body, signal });
        const { status, ok, headers: answer } = await uninstrumented(() => http.fetch(request));
        if (ok) return { kind: "accepted" };
        if (status === 410) return { kind: "gone" };
        const retryAfterMs = readRetryAfter(answer.get("retry-after"), now().getTime());
        return { kind: "failed", status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
      } catch (error) {
        const failure = error instanceof ProviderHttpError ? error.failure : "internal_error";
        return { kind: "failed", failure };
      }
    },
    close: http.close,
  };
}

const signatureOf = (secret: Buffer, signed: string): string =>
  `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`;
