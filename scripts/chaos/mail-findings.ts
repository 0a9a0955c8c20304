import type { AcceptedMail } from "./mail.ts";
import type { Reading } from "./reading.ts";

/** Yields undelivered mail: once the mail server works, every notification that still applies is delivered. */
export function* lostMail({ stored, mails }: Reading): Generator<string> {
  const accepted = new Set(mails.map(({ id }) => id));
  for (const notification of stored.notifications) {
    const { notificationId: id, kind, channel, deliveredAt, digestId } = notification;
    if (channel === null) yield `notification ${id} (${kind}) was never to be mailed`;
    else if (deliveredAt !== null && !accepted.has(digestId ?? id))
      yield `notification ${id} (${kind}) is recorded as delivered, and the mail server never accepted it`;
    else if (deliveredAt === null && holds(notification, stored))
      yield `notification ${id} (${kind}) is not delivered: ${notification.deliveryError ?? "not attempted"}`;
  }
}

type Notification = Reading["stored"]["notifications"][number];

/** Returns whether the notification still applies. An offer does while the job is open and the candidate is not booked on it. */
function holds({ kind, withdrawnAt, jobId, candidateId }: Notification, stored: Reading["stored"]): boolean {
  if (withdrawnAt !== null) return false;
  if (kind !== "job_offered") return true;
  const isOpen = stored.jobs.some((job) => job.jobId === jobId && job.status === "open");
  const isBooked = stored.bookings.some(
    (each) =>
      each.jobId === jobId &&
      each.candidateId === candidateId &&
      (each.status === "pending" || each.status === "confirmed"),
  );
  return isOpen && !isBooked;
}

/**
 * Yields mail that reached the candidate more than once. A repetition is expected after a lost response and after a fault. A mail
 * program cannot recognise it under another id.
 */
export function* doubledMail({ stored, mails }: Reading): Generator<string> {
  const known = new Set(
    stored.notifications.flatMap(({ notificationId, digestId }) => [notificationId, digestId]),
  );
  const last = new Map<string, AcceptedMail>();
  for (const mail of mails) {
    const before = last.get(mail.id);
    last.set(mail.id, mail);
    if (!known.has(mail.id))
      yield `a mail was sent under ${mail.id}, which is the id of no notification or digest`;
    else if (before && isCalm(before, mail))
      yield `the mail ${mail.id} was sent again, although nothing disturbed the first mail`;
  }
}

const isCalm = (before: AcceptedMail, { marks }: AcceptedMail): boolean =>
  !before.isCut && before.marks % 2 === 0 && before.marks === marks;
