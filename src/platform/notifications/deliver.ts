import type { Kysely } from "kysely";
import type { DeliveryCode, Params } from "../../../generated/operations/types.ts";
import type { NotificationsTable, Schema } from "../db/schema.ts";
import type { Channel, Delivery, Deps } from "../deps.ts";
import { raiseIssue, settleIssues } from "../issues/issues.ts";
import { publish } from "../stream/news.ts";
import { type Trx, transact } from "../transaction.ts";
import { type Claim, renew, settle } from "../work/claims.ts";
import { retryDelay } from "../work/retry.ts";
import type { Run } from "../work/worker.ts";
import { type Told, wordsOf } from "./words.ts";

/** Notifications of one run: the rest goes on at once, behind others. */
const BATCH = 50;

/**
 * Delivers what waits for one recipient, in its order, each notification once. A crash between the moment when the mail server accepted it and
 * the commit repeats it under the same id, by which the other side can drop the repetition. Mail is never given up for an outage.
 */
export const deliverMail =
  (deps: Deps, channel: Channel): Run =>
  async (claim, signal) => {
    const waiting = await findWaiting(deps.database.kysely, claim);
    for (const notification of waiting) {
      if (!(await mayBeSent(deps, notification))) {
        await transact(deps, async (trx) => {
          await note(trx, claim, notification, {
            delivery_error: "offer_withdrawn",
            withdrawn_at: deps.now(),
          });
          await renew(trx, claim);
        });
        continue;
      }
      const { notificationId: id, address } = notification;
      const delivery = await channel.deliver({ id, address, ...wordsOf(notification) }, signal);
      signal.throwIfAborted();
      if (!(await conclude(deps, channel, claim, notification, delivery))) return;
    }
    const afterMs = waiting.length === BATCH ? 0 : undefined;
    await transact(deps, (trx) => settle(trx, claim, { afterMs, attempts: 0, priority: claim.priority }));
  };

interface Waiting extends Told {
  notificationId: string;
  jobId: string;
  traceId: string;
  address: string;
}

/** Nothing of a person who is erased. */
function findWaiting(db: Kysely<Schema>, { providerId, key }: Claim): Promise<Waiting[]> {
  return db
    .selectFrom("notifications")
    .innerJoin("candidates", "candidates.candidate_id", "notifications.candidate_id")
    .innerJoin("jobs", (join) =>
      join
        .onRef("jobs.provider_id", "=", "notifications.provider_id")
        .onRef("jobs.job_id", "=", "notifications.job_id"),
    )
    .innerJoin("integrations", "integrations.provider_id", "notifications.provider_id")
    .select([
      "notification_id as notificationId",
      "notifications.job_id as jobId",
      "notifications.trace_id as traceId",
      "candidates.email as address",
      "candidates.first_name as firstName",
      "notifications.kind",
      "notifications.content",
      "jobs.outlet_name as outletName",
      "jobs.role_name as roleName",
      "integrations.time_zone as timeZone",
    ])
    .where("notifications.provider_id", "=", providerId)
    .where("notifications.candidate_id", "=", key)
    .where("channel", "is not", null)
    .where("delivered_at", "is", null)
    .where("withdrawn_at", "is", null)
    .where((where) =>
      where.or([where("delivery_error", "is", null), where("delivery_error", "not in", FINAL)]),
    )
    .where("erased_at", "is", null)
    .orderBy("notification_id")
    .limit(BATCH)
    .execute();
}

/** No other attempt can help. */
const FINAL: DeliveryCode[] = ["address_unusable", "gave_up", "offer_withdrawn"];

/** An offer is sent only while it holds; everything else has happened. */
async function mayBeSent({ database, now }: Deps, { kind, notificationId }: Waiting): Promise<boolean> {
  if (kind !== "job_offered") return true;
  const offer = await database.kysely
    .selectFrom("notifications")
    .innerJoin("jobs", (join) =>
      join
        .onRef("jobs.provider_id", "=", "notifications.provider_id")
        .onRef("jobs.job_id", "=", "notifications.job_id"),
    )
    .select("jobs.status")
    .where("notification_id", "=", notificationId)
    .where("withdrawn_at", "is", null)
    .where("jobs.status", "=", "open")
    .where("jobs.start_time", ">", now())
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("bookings")
            .select("booking_id")
            .whereRef("bookings.job_id", "=", "jobs.job_id")
            .whereRef("bookings.candidate_id", "=", "notifications.candidate_id")
            .where("bookings.status", "in", ["pending", "confirmed"]),
        ),
      ),
    )
    .executeTakeFirst();
  return offer !== undefined;
}

/** Whether the next notification may be sent now. */
async function conclude(
  deps: Deps,
  channel: Channel,
  claim: Claim,
  waiting: Waiting,
  delivery: Delivery,
): Promise<boolean> {
  if (delivery.kind === "unavailable") {
    await defer(deps, claim, waiting, delivery);
    return false;
  }
  await transact(deps, async (trx) => {
    if (delivery.kind === "delivered") await noteDelivered(trx, deps, channel, claim, waiting);
    else await noteRefused(trx, deps, claim, waiting, delivery);
    await renew(trx, claim);
  });
  return true;
}

/** An outage delays mail, and loses none: after the attempts of the retry policy an issue is raised, and one is made each hour. */
async function defer(
  deps: Deps,
  claim: Claim,
  waiting: Waiting,
  { code, status }: Extract<Delivery, { kind: "unavailable" }>,
): Promise<void> {
  const { attempts, priority, providerId } = claim;
  const params: Params = { attempts, ...(status !== undefined && { status }) };
  const afterMs = retryDelay(deps.retries, attempts, { hourlyMs: deps.timing.hourlyMs });
  await transact(deps, async (trx) => {
    await note(trx, claim, waiting, { delivery_error: code, delivery_params: JSON.stringify(params) });
    if (attempts === deps.retries.tries) {
      const issue = {
        code: "notification_failed",
        subject: SERVER,
        params: { ...params, delivery: code },
      } as const;
      await raiseIssue(trx, deps, { ...issue, providerId, traceId: waiting.traceId });
    }
    await settle(trx, claim, { afterMs, attempts, priority });
  });
  deps.wakeWorkerIn(afterMs);
}

const SERVER = { kind: "mail_server" } as const;

const recipient = ({ key }: Claim) => ({ kind: "mail_recipient", candidateId: key }) as const;

async function noteDelivered(
  trx: Trx,
  deps: Deps,
  { name }: Channel,
  claim: Claim,
  waiting: Waiting,
): Promise<void> {
  const { providerId } = claim;
  await note(trx, claim, waiting, { channel: name, delivered_at: deps.now(), delivery_error: null });
  for (const subject of [SERVER, recipient(claim)])
    await settleIssues(trx, deps, { providerId, codes: ["notification_failed"], subject });
}

async function noteRefused(
  trx: Trx,
  deps: Deps,
  claim: Claim,
  waiting: Waiting,
  { code, status }: Extract<Delivery, { kind: "refused" }>,
): Promise<void> {
  const { notificationId, traceId } = waiting;
  const params: Params = { delivery: code, notificationId, ...(status !== undefined && { status }) };
  const delivery_params = JSON.stringify(status === undefined ? {} : { status });
  await note(trx, claim, waiting, {
    delivery_error: code === "mail_server_refused" ? "gave_up" : code,
    delivery_params,
  });
  const issue = { code: "notification_failed", subject: recipient(claim), params } as const;
  await raiseIssue(trx, deps, { ...issue, providerId: claim.providerId, traceId });
}

type Outcome = Partial<
  Pick<NotificationsTable, "channel" | "delivered_at" | "delivery_error" | "withdrawn_at">
> & {
  delivery_params?: string;
};

async function note(
  trx: Trx,
  { providerId, key: candidateId }: Claim,
  { notificationId, jobId, kind }: Waiting,
  outcome: Outcome,
): Promise<void> {
  await trx
    .updateTable("notifications")
    .set(outcome)
    .where("provider_id", "=", providerId)
    .where("notification_id", "=", notificationId)
    .execute();
  const deliveredAt = outcome.delivered_at?.toISOString() ?? null;
  publish(trx, { type: "notification", notificationId, jobId, candidateId, kind, deliveredAt });
}

/** For the start of a process without a channel. */
export async function warnOfUndelivered({ database, log }: Pick<Deps, "database" | "log">): Promise<void> {
  const { waiting } = await database.kysely
    .selectFrom("work")
    .select(({ fn }) => fn.countAll<number>().as("waiting"))
    .where("kind", "=", "mail")
    .executeTakeFirstOrThrow();
  if (waiting > 0) log.warn({ waiting }, "notifications wait for a process with SMTP_URL to deliver them");
}
