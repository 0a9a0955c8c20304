import { setTimeout as sleep } from "node:timers/promises";
import type { Updateable } from "kysely";
import type { Params } from "../../../generated/operations/types.ts";
import type { NotificationsTable } from "../db/schema.ts";
import type { Channel, Delivery, Deps } from "../deps.ts";
import { inSpan } from "../tracing.ts";
import { type Trx, transact } from "../transaction.ts";
import { type Claim, ClaimLost, endClaim, LEASE_MS, PRIORITY, type Run, renewClaim } from "../work/rows.ts";
import { type Letter, nextLetter, type Waiting } from "./letter.ts";
import { noteTurn, returnTurn } from "./mail-due.ts";
import { createOutage, raiseOutage, raiseRefused, resolveMailIssues } from "./mail-issues.ts";
import { publishNotification } from "./notify.ts";

/**
 * Delivers what waits for one recipient, each notification once: those about bookings one by one, offers as a digest, within the limits of offer
 * mail. After a crash between the mail server's acceptance and the commit, the mail is sent again under the same id, so that the mail server can
 * drop it. An outage never makes the platform give mail up.
 */
export function deliverMail(deps: Deps, channel: Channel): Run {
  const outage = createOutage(deps);
  return async (claim, signal) => {
    let { attempts } = claim;
    for (;;) {
      const next = await nextLetter(deps, claim);
      if (!("mail" in next)) {
        await endRun(deps, claim, next.waitMs);
        break;
      }
      const delivery = await send(channel, next, signal);
      // A delivery is recorded even while the process is stopping.
      if (delivery.kind !== "delivered") signal.throwIfAborted();
      if (delivery.kind === "unavailable" || delivery.kind === "deferred") {
        const afterMs = outage.waitAfter(delivery.kind, attempts);
        return defer(deps, claim, next, { delivery, attempts, afterMs });
      }
      await record(deps, claim, signal, async (trx) => {
        if (delivery.kind === "delivered") await noteDelivered(trx, deps, channel, claim, next);
        else await noteRefused(trx, deps, claim, next, delivery);
      });
      attempts = 1;
      if (delivery.kind === "delivered") await outage.end(signal);
    }
    await outage.probe();
  };
}

/** Why a mail must not be sent. */
function withheld({ isDisputed, isUnsubscribed, kind }: Waiting): Delivery | undefined {
  if (isDisputed) return { kind: "refused", code: "address_disputed" };
  if (isUnsubscribed && kind === "job_offered") return { kind: "refused", code: "unsubscribed" };
  return undefined;
}

const send = (channel: Channel, { mail, waiting }: Letter, signal: AbortSignal) =>
  inSpan({ name: "mail", kind: "client", traceId: waiting[0].traceId }, async (span) => {
    const outcome = withheld(waiting[0]) ?? (await channel.deliver(mail, signal));
    span.setAttribute("shiftpact.delivery", outcome.kind);
    return outcome;
  });

/** Ends a run after which no mail can be sent now: nothing waits, or offers wait for the limits of offer mail. */
async function endRun(deps: Deps, claim: Claim, afterMs: number | undefined): Promise<void> {
  await transact(deps, async (trx) => {
    resolveMailIssues(trx, claim.providerId, deps.now());
    if (afterMs === undefined) await returnTurn(trx, claim);
    const priority = afterMs === undefined ? claim.priority : PRIORITY.background;
    endClaim(trx, claim, { afterMs, attempts: 0, priority });
  });
  if (afterMs !== undefined) deps.wakeWorkerIn(afterMs);
}

const RECORD_PAUSE_MS = 250;

/** Retries the transaction while the claim lasts, after an outage of the database for example, because an unrecorded delivery would be repeated. */
async function record(
  deps: Deps,
  claim: Claim,
  signal: AbortSignal,
  write: (trx: Trx) => Promise<void>,
): Promise<void> {
  const until = performance.now() + LEASE_MS;
  for (;;) {
    try {
      return await transact(deps, async (trx) => {
        await write(trx);
        renewClaim(trx, claim);
      });
    } catch (error) {
      if (error instanceof ClaimLost || performance.now() > until) throw error;
      await sleep(RECORD_PAUSE_MS, undefined, { signal });
    }
  }
}

type Failed = Exclude<Delivery, { kind: "delivered" }>;

interface Deferral {
  delivery: Failed;
  /** Failed attempts in a row, this one included. */
  attempts: number;
  afterMs: number;
}

/** Delays mail until the next attempt. */
async function defer(deps: Deps, claim: Claim, { waiting }: Letter, deferral: Deferral): Promise<void> {
  const { attempts, afterMs, delivery } = deferral;
  const { code, status } = delivery;
  const params: Params = { attempts, ...(status !== undefined && { status }) };
  await transact(deps, async (trx) => {
    await note(trx, claim, waiting, { deliveryError: code, deliveryParams: JSON.stringify(params) });
    if (attempts >= deps.retries.tries)
      await raiseOutage(trx, deps, undelivered(claim, waiting[0], { ...params, delivery: code }));
    endClaim(trx, claim, { afterMs, attempts, priority: claim.priority });
  });
  deps.wakeWorkerIn(afterMs);
}

const undelivered = (
  { providerId, key: candidateId }: Claim,
  { notificationId, traceId }: Waiting,
  params: Params,
) => ({ providerId, candidateId, notificationId, traceId, params });

async function noteDelivered(
  trx: Trx,
  deps: Deps,
  { name }: Channel,
  claim: Claim,
  { waiting }: Letter,
): Promise<void> {
  const at = deps.now();
  const [{ digestId }] = waiting;
  await note(trx, claim, waiting, { channel: name, deliveredAt: at, deliveryError: null });
  resolveMailIssues(trx, claim.providerId, at);
  if (digestId === null) return;
  await noteTurn(trx, claim, digestId, at);
  // An offer that was left out is part of another mail, if it is made again.
  await trx
    .updateTable("notifications")
    .set({ digestId: null })
    .where("providerId", "=", claim.providerId)
    .where("candidateId", "=", claim.key)
    .where("digestId", "=", digestId)
    .where("channel", "is not", null)
    .where("deliveredAt", "is", null)
    .execute();
}

async function noteRefused(
  trx: Trx,
  deps: Deps,
  claim: Claim,
  { waiting }: Letter,
  { code, status }: Failed,
): Promise<void> {
  const params: Params = status === undefined ? {} : { status };
  await note(trx, claim, waiting, {
    deliveryError: code === "mail_server_refused" ? "gave_up" : code,
    deliveryParams: JSON.stringify(params),
  });
  await returnTurn(trx, claim);
  // What the candidate has chosen needs no operator.
  if (code === "unsubscribed") return;
  for (const each of waiting)
    await raiseRefused(trx, deps, undelivered(claim, each, { ...params, delivery: code }));
}

async function note(
  trx: Trx,
  { providerId, key: candidateId }: Claim,
  waiting: Letter["waiting"],
  outcome: Updateable<NotificationsTable> & { deliveredAt?: Date },
): Promise<void> {
  await trx
    .updateTable("notifications")
    .set(outcome)
    .where("providerId", "=", providerId)
    .where(
      "notificationId",
      "in",
      waiting.map(({ notificationId }) => notificationId),
    )
    .execute();
  for (const { notificationId, jobId, kind } of waiting)
    publishNotification(trx, { notificationId, jobId, candidateId, kind }, outcome.deliveredAt ?? null);
}

/** Logs a warning if notifications to candidates have no links, because the platform has no public address. */
export function warnOfMissingLinks({
  channel,
  webhook,
  publicUrl,
  log,
}: Pick<Deps, "channel" | "webhook" | "publicUrl" | "log">): void {
  if ((channel || webhook) && publicUrl === undefined)
    log.warn("notifications to candidates have no links: set PUBLIC_URL, so that candidates can answer");
}

/** Logs a warning if mail waits when a process without a channel starts. */
export async function warnOfUndelivered({ database, log }: Pick<Deps, "database" | "log">): Promise<void> {
  const { waiting } = await database.kysely
    .selectFrom("work")
    .select(({ fn }) => fn.countAll<number>().as("waiting"))
    .where("kind", "=", "mail")
    .executeTakeFirstOrThrow();
  if (waiting > 0) log.warn({ waiting }, "notifications wait for a process with SMTP_URL to deliver them");
}
