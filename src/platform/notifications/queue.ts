import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";

export const NOTIFICATIONS_QUEUE = "notifications";

export interface DeliveryTask {
  notificationId: string;
}

/** A notification that is stored. */
export interface Written {
  notification_id: string;
  candidate_id: string;
}

/** Queues what was written for its way out of the house: what is told to one person arrives in the order of its telling. */
export async function enqueueDeliveries(
  trx: Trx,
  { queue }: Deps,
  written: readonly Written[],
): Promise<void> {
  const tasks = written.map(({ notification_id, candidate_id }) => ({
    key: candidate_id,
    data: { notificationId: notification_id },
  }));
  await queue.enqueueMany<DeliveryTask>(trx, NOTIFICATIONS_QUEUE, tasks);
}
