import type { ProviderCall } from "../../test/harness/organisation.ts";
import type { Assigned } from "./load.ts";
import type { Reading } from "./reading.ts";

/** Yields what took effect more often than requested, at a provider or on a person. */
export function* doubled(reading: Reading): Generator<string> {
  yield* createdAgain(reading);
  yield* createdTwice(reading);
  yield* assignedTooOften(reading);
  yield* assignedAgain(reading);
  yield* deletedAgain(reading);
  yield* notifiedTooOften(reading);
}

/** A creation that took effect got 2xx, or 409 when the person existed. An aborted call has no status. */
function* createdAgain({ calls, createdPeople }: Reading): Generator<string> {
  const asked = calls.filter(
    ({ method, path, status }) =>
      method === "POST" && path === "/candidates" && (isSuccess(status) || status === 409),
  );
  if (asked.length > createdPeople.length)
    yield `the provider was asked ${asked.length} times to create ${createdPeople.length} people`;
}

function* createdTwice({ createdPeople }: Reading): Generator<string> {
  for (const [, times] of countBy(createdPeople, ({ personalNumber }) => personalNumber))
    if (times > 1) yield `the provider has one person ${times} times`;
}

/** The provider sends an update for each assignment that changed something: one for each booking at most. */
function* assignedTooOften({ acknowledged, stored }: Reading): Generator<string> {
  const jobs = new Map(stored.jobs.map(({ jobId, shiftId }) => [jobId, shiftId]));
  const bookings = countBy(stored.bookings, ({ jobId }) => jobs.get(jobId) ?? "");
  const echoes = acknowledged.filter(({ event, isEcho }) => isEcho && event === "shift.update");
  const effects = new Map(echoes.map((echo) => [echo.traceId, echo.shiftId]));
  for (const [shiftId, times] of countBy(effects.values(), (each) => each)) {
    const most = bookings.get(shiftId) ?? 0;
    if (times > most) yield `shift ${shiftId} took ${times} assignments for ${most} bookings`;
  }
}

/** A confirmed assignment is not requested again, unless its response may have been lost. */
function* assignedAgain({ assigned, calls, stored }: Reading): Generator<string> {
  const asked = assigned.map((seat) => ({ ...seat, what: `${seat.shiftId} ${seat.candidateId}` }));
  const again = repeats(asked).filter(
    ({ before, after }) => !calls.slice(before.at, after.at).some((each) => isUnassign(each, after)),
  );
  for (const [shiftId, times] of countBy(again, ({ after }) => after.shiftId)) {
    const tries = failedTries(stored, "assign", shiftId);
    if (times > tries) yield `shift ${shiftId} was assigned ${times} times again after ${tries} failed tries`;
  }
}

function isUnassign({ method, path }: ProviderCall, { shiftId, candidateId }: Assigned): boolean {
  return (
    path === `/shifts/${shiftId}/unassign/${candidateId}` ||
    (method === "DELETE" && path === `/shifts/${shiftId}/assign/${candidateId}`)
  );
}

/** A shift whose deletion the provider confirmed is not deleted again. */
function* deletedAgain({ calls, record, stored }: Reading): Generator<string> {
  const deletions = calls.flatMap(({ method, path, status }, at) => {
    const shiftId = method === "DELETE" ? /^\/shifts\/([^/]+)$/.exec(path)?.[1] : undefined;
    const marks = record.faults.filter((mark) => mark <= at).length;
    return shiftId === undefined ? [] : [{ what: shiftId, marks, isDone: status === 204 }];
  });
  const again = repeats(deletions).filter(({ before }) => before.isDone);
  for (const [shiftId, times] of countBy(again, ({ after }) => after.what)) {
    const tries = failedTries(stored, "cancel", shiftId);
    if (times > tries) yield `shift ${shiftId} was deleted ${times} times again after ${tries} failed tries`;
  }
}

/** Returns the number of late or unusable responses, which the platform recorded. */
function failedTries({ steps }: Reading["stored"], step: string, shiftId: string): number {
  return steps.filter((each) => each.step === step && each.shiftId === shiftId && each.code === "will_retry")
    .length;
}

/** Returns repetitions without a fault between or around them: a killed process may repeat its work. */
function repeats<T extends { what: string; marks: number }>(all: readonly T[]) {
  const last = new Map<string, T>();
  return all.flatMap((after) => {
    const before = last.get(after.what);
    last.set(after.what, after);
    const isCalm = before && before.marks % 2 === 0 && before.marks === after.marks;
    return isCalm ? [{ before, after }] : [];
  });
}

/** Each person gets at most one notification for one change of the times. */
function* notifiedTooOften({ record, stored }: Reading): Generator<string> {
  const shifts = new Map(stored.jobs.map(({ jobId, shiftId }) => [jobId, shiftId]));
  const sent = stored.notifications.filter(({ kind }) => kind === "shift_changed");
  for (const [key, times] of countBy(sent, (each) => `${each.jobId} ${each.candidateId}`)) {
    const [jobId = "", candidateId] = key.split(" ");
    const changes = record.retimed.get(shifts.get(jobId) ?? "") ?? 0;
    if (times > changes)
      yield `${candidateId} was notified ${times} times of ${changes} changes of job ${jobId}`;
  }
}

const isSuccess = (status: number) => status >= 200 && status < 300;

function countBy<T>(all: Iterable<T>, keyOf: (each: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + 1);
  return counts;
}

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
