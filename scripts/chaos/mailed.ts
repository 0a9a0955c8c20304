import type { Accepted } from "./mail.ts";
import type { Reading } from "./reading.ts";

/** Once the mail server is well, everything that still holds is delivered. */
export function* lostMail({ stored, mails }: Reading): Generator<string> {
  const accepted = new Set(mails.map(({ id }) => id));
  for (const notification of stored.notifications) {
    const { notification_id: id, kind, channel, delivered_at } = notification;
    if (channel === null) yield `notification ${id} (${kind}) was never to be mailed`;
    else if (delivered_at !== null && !accepted.has(id))
      yield `notification ${id} (${kind}) is said to be delivered, and the mail server never accepted it`;
    else if (delivered_at === null && holds(notification, stored))
      yield `notification ${id} (${kind}) is not delivered: ${notification.delivery_error ?? "not attempted"}`;
  }
}

type Notification = Reading["stored"]["notifications"][number];

/** An offer holds while the job is open, for candidates who are not booked on it. */
function holds(
  { kind, withdrawn_at, job_id, candidate_id }: Notification,
  stored: Reading["stored"],
): boolean {
  if (withdrawn_at !== null) return false;
  if (kind !== "job_offered") return true;
  const isOpen = stored.jobs.some((job) => job.job_id === job_id && job.status === "open");
  const isBooked = stored.bookings.some(
    (each) =>
      each.job_id === job_id &&
      each.candidate_id === candidate_id &&
      (each.status === "pending" || each.status === "confirmed"),
  );
  return isOpen && !isBooked;
}

/**
 * A mail that reached the candidate more than once. The same mail again is expected after an answer that may be lost, and after a fault; under
 * another id no mail program would drop it.
 */
export function* doubledMail({ stored, mails }: Reading): Generator<string> {
  const known = new Set(stored.notifications.map(({ notification_id }) => notification_id));
  const last = new Map<string, Accepted>();
  for (const mail of mails) {
    const before = last.get(mail.id);
    last.set(mail.id, mail);
    if (!known.has(mail.id)) yield `a mail was sent under ${mail.id}, which is the id of no notification`;
    else if (before && isCalm(before, mail))
      yield `notification ${mail.id} was mailed again, although nothing had happened to the first mail`;
  }
}

const isCalm = (before: Accepted, { marks }: Accepted): boolean =>
  !before.isCut && before.marks % 2 === 0 && before.marks === marks;
