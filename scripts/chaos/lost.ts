import type { Reading } from "./reading.ts";

/** An event that fails or is given up is lost: every fault of the provider is temporary. */
const ENDED = ["processed", "skipped_echo"];
const KNOWN = ["shift.create", "shift.update", "shift.delete"];

export function* lostEvents({ acknowledged, stored }: Reading): Generator<string> {
  const keyOf = (event: string, shiftId: string, traceId: string) => `${event} ${shiftId} ${traceId}`;
  const rows = new Map(stored.events.map((row) => [keyOf(row.event, row.shiftId, row.traceId), row]));
  for (const { event, shiftId, traceId } of acknowledged) {
    const key = keyOf(event, shiftId, traceId);
    if (!rows.has(key)) yield `${key} was acknowledged and is not stored`;
  }
  for (const [key, { event, status, verdict }] of rows) {
    // From the malformed requests: an event with an unknown name is stored and not processed.
    if (status === "ignored" && !KNOWN.includes(event)) continue;
    if (!ENDED.includes(status) || verdict === null)
      yield `${key} is ${status}: ${verdict ? JSON.stringify(verdict) : "no verdict"}`;
  }
}

export function* lostBookings({ record, stored }: Reading): Generator<string> {
  for (const { jobId, candidateId } of record.accepted) {
    if (stored.bookings.some((each) => each.jobId === jobId && each.candidateId === candidateId)) continue;
    yield `the accepted booking of ${candidateId} on job ${jobId} is not stored`;
  }
}
