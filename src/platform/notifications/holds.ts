import { sql } from "kysely";
import { HOLDS_SEAT } from "../db/fragments.ts";
import { providerOf } from "../db/organisation.ts";

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
