import type { Kysely } from "kysely";
import type { Schema } from "../db/schema.ts";
import type { Channel, Deps } from "../deps.ts";
import { raiseIssue } from "../issues/issues.ts";
import { readQueueLoad } from "../queue/load.ts";
import type { TaskEnd, TaskKind, Trx } from "../queue/task.ts";
import { type DeliveryTask, NOTIFICATIONS_QUEUE } from "./queue.ts";
import { whyWithheld, withhold } from "./withhold.ts";
import { type Told, wordsOf } from "./words.ts";

/**
 * Delivers notifications through the channel, each once for each change. A crash between the moment when the other side took it and
 * our commit repeats it, under the same id, by which the other side can drop the repetition. Only for a process that has a channel: what
 * is queued waits for one.
 */
export function deliveryTasks(deps: Deps, channel: Channel): TaskKind<DeliveryTask> {
  return {
    name: NOTIFICATIONS_QUEUE,
    concurrency: 5,
    work: async ({ data }, signal) => {
      const due = await findDue(deps.database.kysely, data.notificationId);
      if (!due) return { end: "done" };
      const isWithheld = (await whyWithheld(deps.database.kysely, deps, due)) !== undefined;
      if (isWithheld) return { end: "done", write: (trx) => withhold(trx, deps, due) };
      return deliver(deps, channel, due, signal);
    },
    dead: async ({ data }, reason, trx) => {
      const due = await findDue(trx, data.notificationId);
      if (due) await giveUp(trx, deps, due, `every try failed, the last one: ${reason}`, SERVER);
    },
  };
}

/** For the start of a process without a channel. */
export async function tellOfUndelivered({ database, log }: Pick<Deps, "database" | "log">): Promise<void> {
  const loads = await readQueueLoad(database);
  const { waiting = 0 } = loads.find(({ queue }) => queue === NOTIFICATIONS_QUEUE) ?? {};
  if (waiting > 0) log.warn({ waiting }, "notifications wait for a process with SMTP_URL to deliver them");
}

/** What trouble with the other side as a whole is about: one issue, however many people are concerned. */
const SERVER = "delivery of notifications";

interface Due extends Told {
  notificationId: string;
  candidateId: string;
  jobId: string;
  providerId: string;
  traceId: string;
  address: string;
}

/** Undefined when it is delivered already, or the person is erased. */
function findDue(db: Kysely<Schema>, notificationId: string): Promise<Due | undefined> {
  return db
    .selectFrom("notifications")
    .innerJoin("candidates", "candidates.candidate_id", "notifications.candidate_id")
    .innerJoin("jobs", "jobs.job_id", "notifications.job_id")
    .innerJoin("integrations", "integrations.provider_id", "jobs.provider_id")
    .select([
      "notification_id as notificationId",
      "notifications.candidate_id as candidateId",
      "notifications.job_id as jobId",
      "jobs.provider_id as providerId",
      "notifications.trace_id as traceId",
      "candidates.email as address",
      "candidates.first_name as firstName",
      "notifications.kind",
      "notifications.content",
      "jobs.outlet_name as outletName",
      "jobs.role_name as roleName",
      "integrations.time_zone as timeZone",
    ])
    .where("notification_id", "=", notificationId)
    .where("delivered_at", "is", null)
    .where("erased_at", "is", null)
    .executeTakeFirst();
}

async function deliver(deps: Deps, channel: Channel, due: Due, signal: AbortSignal): Promise<TaskEnd> {
  const { notificationId: id, address } = due;
  const delivery = await channel.deliver({ id, address, ...wordsOf(due) }, signal);
  switch (delivery.kind) {
    case "delivered":
      return { end: "done", write: (trx) => noteDelivered(trx, deps, channel, due) };
    case "refused": {
      const about = `${SERVER} to candidate ${due.candidateId}`;
      return { end: "done", write: (trx) => giveUp(trx, deps, due, delivery.reason, about) };
    }
    case "unavailable":
      return {
        end: "retry",
        reason: delivery.reason,
        write: (trx) => update(trx, id, { delivery_error: `will be tried again: ${delivery.reason}` }),
      };
  }
}

async function noteDelivered(trx: Trx, { now }: Deps, { name }: Channel, due: Due): Promise<void> {
  const { providerId, candidateId, notificationId } = due;
  await update(trx, notificationId, { channel: name, delivered_at: now(), delivery_error: null });
  await trx
    .updateTable("issues")
    .set({ resolved_at: now() })
    .where("provider_id", "=", providerId)
    .where("code", "=", "notification_failed")
    .where("subject", "in", [SERVER, `${SERVER} to candidate ${candidateId}`])
    .where("resolved_at", "is", null)
    .execute();
}

async function giveUp(trx: Trx, deps: Deps, due: Due, reason: string, subject: string): Promise<void> {
  const { notificationId, providerId, traceId } = due;
  await update(trx, notificationId, { delivery_error: reason });
  await raiseIssue(trx, deps, {
    code: "notification_failed",
    providerId,
    subject,
    detail: `Notification ${notificationId} was not delivered: ${reason}.`,
    traceId,
  });
}

interface Outcome {
  channel?: string;
  delivered_at?: Date;
  delivery_error: string | null;
}

async function update(trx: Trx, notificationId: string, outcome: Outcome): Promise<void> {
  await trx.updateTable("notifications").set(outcome).where("notification_id", "=", notificationId).execute();
}
