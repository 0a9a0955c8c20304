import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";

export const VERIFICATIONS_QUEUE = "verifications";

export interface VerificationTask {
  providerId: string;
}

/** Queues a check of the provider; those of one provider run one after the other. Nothing happens where nobody can check. */
export async function enqueueVerification(
  trx: Trx,
  { queue, checkProvider }: Deps,
  providerId: string,
): Promise<void> {
  if (!checkProvider) return;
  await queue.enqueue<VerificationTask>(trx, VERIFICATIONS_QUEUE, { key: providerId, data: { providerId } });
}
