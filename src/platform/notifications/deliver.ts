import { sql, type Updateable } from "kysely";
import type { Params } from "../../../generated/operations/types.ts";
import { type Told, wordsOf } from "../../contract/candidate-text.ts";
import { HOLDS_SEAT } from "../candidates/availability.ts";
import type { NotificationsTable } from "../db/schema.ts";
import type { Channel, Delivery, Deps } from "../deps.ts";
import { type Issue, raiseIssue, settleIssues } from "../issues/issues.ts";
import { type Trx, transact } from "../transaction.ts";
import { type Claim, renew, settle } from "../work/claims.ts";
import { retryDelay } from "../work/retry.ts";
import type { Run } from "../work/worker.ts";
import { publishNotification } from "./notify.ts";

/**
 * Delivers what waits for one recipient, in its order, each notification once. A crash between the moment when the mail server accepted it and
 * the commit repeats it under the same id, by which the mail server can drop the repetition. Mail is never given up for an outage.
 */
export const deliverMail =
  (deps: Deps, channel: Channel): Run =>
  async (claim, signal) => {
    for (;;) {
      const waiting = await findNext(deps, claim);
      if (!waiting) break;
      const { notificationId: id, address } = waiting;
      const delivery = await channel.deliver({ id, address, ...wordsOf(waiting) }, signal);
      signal.throwIfAborted();
      if (delivery.kind === "unavailable") return defer(deps, claim, waiting, delivery);
      await transact(deps, async (trx) => {
        if (delivery.kind === "delivered") await noteDelivered(trx, deps, channel, claim, waiting);
        else await noteRefused(trx, deps, claim, waiting, delivery);
        await renew(trx, claim);
      });
    }
    await transact(deps, (trx) => settle(trx, claim, { attempts: 0, priority: claim.priority }));
  };

interface Waiting extends Told {
  notificationId: string;
  jobId: string;
  traceId: string;
  address: string;
}

/** The oldest that waits for the recipient, unless the person is erased. An offer is sent only while it holds. */
async function findNext({ database, now }: Deps, { providerId, key }: Claim): Promise<Waiting | undefined> {
  const { rows } = await sql<Waiting>`
    select notification_id as "notificationId", job_id as "jobId", notifications.trace_id as "traceId",
      email as address, first_name as "firstName", notifications.kind, content,
      outlet_name as "outletName", role_name as "roleName", time_zone as "timeZone"
    from notifications join candidates using (candidate_id) join jobs using (provider_id, job_id)
      join integrations using (provider_id)
    where provider_id = ${providerId} and candidate_id = ${key} and channel is not null and delivered_at is null
      and withdrawn_at is null and erased_at is null
      and coalesce(delivery_error not in ('address_unusable', 'gave_up'), true)
      and (notifications.kind <> 'job_offered' or jobs.status = 'open' and start_time > ${now()}
        and not exists (select from bookings where bookings.provider_id = notifications.provider_id
          and bookings.job_id = notifications.job_id and bookings.candidate_id = notifications.candidate_id and ${HOLDS_SEAT}))
    order by notification_id limit 1`.execute(database.kysely);
  return rows[0];
}

type Failed = Exclude<Delivery, { kind: "delivered" }>;

/** An outage delays mail, and loses none: after the attempts of the retry policy an issue is raised, and one is made each hour. */
async function defer(deps: Deps, claim: Claim, waiting: Waiting, { code, status }: Failed): Promise<void> {
  const { attempts, priority } = claim;
  const params: Params = { attempts, ...(status !== undefined && { status }) };
  const afterMs = retryDelay(deps.retries, attempts, { hourlyMs: deps.timing.hourlyMs });
  await transact(deps, async (trx) => {
    await note(trx, claim, waiting, { delivery_error: code, delivery_params: JSON.stringify(params) });
    if (attempts === deps.retries.tries)
      await raise(trx, deps, claim, waiting, { subject: SERVER, params: { ...params, delivery: code } });
    await settle(trx, claim, { afterMs, attempts, priority });
  });
  deps.wakeWorkerIn(afterMs);
}

const SERVER = { kind: "mail_server" } as const;

const recipient = ({ key }: Claim) => ({ kind: "mail_recipient", candidateId: key }) as const;

function raise(
  trx: Trx,
  deps: Deps,
  { providerId }: Claim,
  { traceId }: Waiting,
  about: Pick<Issue, "subject" | "params">,
): Promise<void> {
  return raiseIssue(trx, deps, { code: "notification_failed", providerId, traceId, ...about });
}

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
  { code, status }: Failed,
): Promise<void> {
  const params: Params = status === undefined ? {} : { status };
  await note(trx, claim, waiting, {
    delivery_error: code === "mail_server_refused" ? "gave_up" : code,
    delivery_params: JSON.stringify(params),
  });
  const { notificationId } = waiting;
  const about = { subject: recipient(claim), params: { ...params, delivery: code, notificationId } };
  await raise(trx, deps, claim, waiting, about);
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

/** For the start of a process without a channel. */
export async function warnOfUndelivered({ database, log }: Pick<Deps, "database" | "log">): Promise<void> {
  const { waiting } = await database.kysely
    .selectFrom("work")
    .select(({ fn }) => fn.countAll<number>().as("waiting"))
    .where("kind", "=", "mail")
    .executeTakeFirstOrThrow();
  if (waiting > 0) log.warn({ waiting }, "notifications wait for a process with SMTP_URL to deliver them");
}
