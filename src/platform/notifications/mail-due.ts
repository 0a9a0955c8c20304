import { sql } from "kysely";
import type { NotificationKind } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../contract/durations.ts";
import { HOLDS_SEAT } from "../db/fragments.ts";
import { providerOf } from "../db/organisation.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { markDue, PRIORITY } from "../work/due.ts";

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
    (providerId) => ({ providerId, kind: "webhook", key: "", priority: PRIORITY.event }) as const,
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

/**
 * Whether a notification still holds, as SQL over `notifications` joined with `jobs`. An offer holds until it is withdrawn, the shift starts, or
 * the candidate is booked on it. `providerId`: that of all of them, where a statement names one.
 */
export const stillHolds = (now: Date, providerId?: string) => sql<boolean>`(notifications.withdrawn_at is null
  and (notifications.kind <> 'job_offered' or jobs.status = 'open' and jobs.start_time > ${now}
    and not exists (select 1 from bookings where bookings.provider_id = ${providerOf(providerId, "notifications.provider_id")}
      and bookings.job_id = notifications.job_id and bookings.candidate_id = notifications.candidate_id and ${HOLDS_SEAT})))`;

/** Whether the shift of a confirmation or change has started, so that the notification is of no more use. */
export const isTooLate = (
  now: Date,
) => sql<boolean>`(notifications.kind in ('booking_confirmed', 'shift_changed')
  and jobs.start_time <= ${now})`;
