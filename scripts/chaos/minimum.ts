import { LEAST_ACCEPTED } from "./load.ts";
import type { Reading } from "./reading.ts";

/** For each provider. `confirmed` is the least part of the accepted bookings: shifts are deleted and fill up meanwhile. */
const LEAST = { acknowledged: 20, jobs: 5, accepted: LEAST_ACCEPTED, confirmed: 1 / 8, mails: 8 };

/** A platform that only acknowledges loses and doubles nothing, so a run needs these minimums. */
export function* belowMinimum({ record, acknowledged, stored, mails }: Reading): Generator<string> {
  const count = { acknowledged: acknowledged.length, accepted: record.accepted.length };
  const least = { ...LEAST, confirmed: count.accepted * LEAST.confirmed };
  const all: [what: string, count: number, least: number][] = [
    ["webhooks were acknowledged", count.acknowledged, least.acknowledged],
    ["jobs were created", stored.jobs.length, least.jobs],
    ["bookings were accepted", count.accepted, least.accepted],
    ["bookings were confirmed", confirmedIn(stored), least.confirmed],
    ["mails were accepted", mails.length, least.mails],
  ];
  for (const [what, times, wanted] of all)
    if (times < wanted) yield `${times} ${what}; ${Math.ceil(wanted)} at least are needed`;
}

/** Counts bookings that were ever confirmed. */
export const confirmedIn = ({ notifications }: Reading["stored"]): number =>
  notifications.filter(({ kind }) => kind === "booking_confirmed").length;
