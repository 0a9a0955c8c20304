import type { NotificationKind } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../contract/durations.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { markDue, PRIORITY } from "../work/due.ts";
import { WEBHOOK } from "../work/rows.ts";

/** How soon a shift starts whose mail allows no delay. */
const URGENT_WITHIN_MS = 12 * HOUR_MS;

/** Returns when a shift becomes urgent. Milliseconds since 1970. */
export const urgentAt = (startTime: Date | string): number =>
  new Date(startTime).getTime() - URGENT_WITHIN_MS;

interface Waiting {
  providerId: string;
  candidateId: string;
  kind: NotificationKind;
  startTime: string;
}

/** Makes the webhook due of the organisations of these notifications. */
export function markWebhookDue(
  trx: Trx,
  deps: Pick<Deps, "wakeWorker">,
  waiting: readonly Pick<Waiting, "providerId">[],
): void {
  const providers = new Set(waiting.map(({ providerId }) => providerId));
  const due = [...providers].map(
    (providerId) => ({ providerId, kind: "mail", key: WEBHOOK, priority: PRIORITY.event }) as const,
  );
  markDue(trx, deps, due);
}

/**
 * Makes the mail of each recipient due. Mail about a booking and an urgent offer are due now, and precede other offers. Another offer joins what
 * waits for the recipient already, and is due at the latest when it becomes urgent.
 */
export function markMailDue(
  trx: Trx,
  deps: Pick<Deps, "wakeWorker" | "now">,
  waiting: readonly Waiting[],
): void {
  const now = deps.now().getTime();
  const due = waiting.map(({ providerId, candidateId: key, kind, startTime }) => {
    const mail = { providerId, kind: "mail", key } as const;
    if (kind !== "job_offered") return { ...mail, priority: PRIORITY.interactive };
    const joinsForMs = urgentAt(startTime) - now;
    return joinsForMs > 0
      ? { ...mail, priority: PRIORITY.background, joinsForMs }
      : { ...mail, priority: PRIORITY.event };
  });
  markDue(trx, deps, due);
}
