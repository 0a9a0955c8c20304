import { setTimeout as sleep } from "node:timers/promises";
import { sql, type Updateable } from "kysely";
import type { Params } from "../../../generated/operations/types.ts";
import { mailText, type NotificationValues } from "../../contract/candidate-text.ts";
import { IS_UNDELIVERED, OUTLET_NAME, ROLE_NAME } from "../db/fragments.ts";
import type { NotificationsTable } from "../db/schema.ts";
import type { Channel, Delivery, Deps, Mail } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { type Claim, ClaimLost, endClaim, LEASE_MS, renewClaim } from "../work/rows.ts";
import type { Run } from "../work/worker.ts";
import { stillHolds } from "./holds.ts";
import { raiseOutage, raiseRefused, resolveMailIssues } from "./mail-issues.ts";
import { publishNotification } from "./notify.ts";
import { createOutage } from "./outage.ts";

/**
 * Delivers the waiting notifications of one recipient in order, each once. After a crash between the mail server's acceptance and the commit, the
 * mail is sent again under the same id, so that the mail server can drop it. An outage never makes the platform give mail up.
 */
export function deliverMail(deps: Deps, channel: Channel): Run {
  const outage = createOutage(deps);
  return async (claim, signal) => {
    let { attempts } = claim;
    for (;;) {
      const waiting = await findNext(deps, claim);
      if (!waiting) break;
      const { traceId } = waiting;
      const delivery = await deps.tracing.span({ name: "mail", kind: "client", traceId }, async (span) => {
        const outcome = await channel.deliver(mailOf(waiting), signal);
        span.set({ "shiftpact.delivery": outcome.kind });
        return outcome;
      });
      // A delivery is recorded even while the process is stopping.
      if (delivery.kind !== "delivered") signal.throwIfAborted();
      if (delivery.kind === "unavailable" || delivery.kind === "deferred") {
        const afterMs = outage.waitAfter(delivery.kind, attempts);
        return defer(deps, claim, waiting, { delivery, attempts, afterMs });
      }
      await record(deps, claim, signal, async (trx) => {
        if (delivery.kind === "delivered") await noteDelivered(trx, deps, channel, claim, waiting);
        else await noteRefused(trx, deps, claim, waiting, delivery);
      });
      attempts = 1;
      if (delivery.kind === "delivered") await outage.end(signal);
    }
    await transact(deps, async (trx) => {
      resolveMailIssues(trx, claim.providerId, deps.now());
      endClaim(trx, claim, { attempts: 0, priority: claim.priority });
    });
    await outage.probe();
  };
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

interface Waiting extends NotificationValues {
  notificationId: string;
  jobId: string;
  traceId: string;
  address: string;
  resends: number;
}

function mailOf(waiting: Waiting): Mail {
  const { notificationId, resends, address } = waiting;
  const id = resends === 0 ? notificationId : `${notificationId}.${resends}`;
  return { id, address, ...mailText(waiting) };
}

/** Returns the oldest waiting notification of the recipient that still holds, unless the person was erased. */
async function findNext({ database, now }: Deps, { providerId, key }: Claim): Promise<Waiting | undefined> {
  const { rows } = await sql<Waiting>`
    select notification_id as "notificationId", job_id as "jobId", notifications.trace_id as "traceId", resends,
      email as address, first_name as "firstName", notifications.kind, content,
      ${OUTLET_NAME} as "outletName", ${ROLE_NAME} as "roleName", time_zone as "timeZone"
    from notifications join candidates using (candidate_id) join jobs using (provider_id, job_id)
      join integrations using (provider_id)
    where provider_id = ${providerId} and candidate_id = ${key} and ${IS_UNDELIVERED}
      and erased_at is null and coalesce(delivery_error not in ('address_unusable', 'gave_up'), true) and ${stillHolds(now())}
    order by notification_id limit 1`.execute(database.kysely);
  return rows[0];
}

type Failed = Exclude<Delivery, { kind: "delivered" }>;

interface Deferral {
  delivery: Failed;
  /** Failed attempts in a row, this one included. */
  attempts: number;
  afterMs: number;
}

/** Delays mail until the next attempt. */
async function defer(deps: Deps, claim: Claim, waiting: Waiting, deferral: Deferral): Promise<void> {
  const { attempts, afterMs, delivery } = deferral;
  const { code, status } = delivery;
  const params: Params = { attempts, ...(status !== undefined && { status }) };
  await transact(deps, async (trx) => {
    await note(trx, claim, waiting, { delivery_error: code, delivery_params: JSON.stringify(params) });
    if (attempts >= deps.retries.tries)
      await raiseOutage(trx, deps, undelivered(claim, waiting, { ...params, delivery: code }));
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
  waiting: Waiting,
): Promise<void> {
  await note(trx, claim, waiting, { channel: name, delivered_at: deps.now(), delivery_error: null });
  resolveMailIssues(trx, claim.providerId, deps.now());
}

async function noteRefused(
  trx: Trx,
  deps: Deps,
  claim: Claim,
  waiting: Waiting,
  { code, status }: Failed,
): Promise<void> {
  const params: Params = status === undefined ? {} : { status };
  await note(trx, claim, waiting, {
    delivery_error: code === "mail_server_refused" ? "gave_up" : code,
    delivery_params: JSON.stringify(params),
  });
  await raiseRefused(trx, deps, undelivered(claim, waiting, { ...params, delivery: code }));
}

async function note(
  trx: Trx,
  { providerId, key: candidateId }: Claim,
  { notificationId, jobId, kind }: Waiting,
  outcome: Updateable<NotificationsTable> & { delivered_at?: Date },
): Promise<void> {
  await trx
    .updateTable("notifications")
    .set(outcome)
    .where("provider_id", "=", providerId)
    .where("notification_id", "=", notificationId)
    .execute();
  publishNotification(trx, { notificationId, jobId, candidateId, kind }, outcome.delivered_at ?? null);
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
