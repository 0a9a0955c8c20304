import { type Database, openDatabase } from "../../src/platform/db/database.ts";
import type { Log } from "../../src/platform/db/engine.ts";
import type { Booking, Job } from "../../src/platform/db/schema.ts";
import type { StoredShift } from "../../src/sandbox/organisation.ts";
import type { Crowd } from "./crowd.ts";

/** What must not happen. */
export interface Finding {
  kind: "lost" | "doubled" | "disagreeing" | "5xx" | "growing";
  what: string;
}

/** What the platform has stored about one provider. */
interface Stored {
  events: { event: string; shift_id: string; trace_id: string; status: string; verdict: string | null }[];
  jobs: Job[];
  bookings: Booking[];
  notifications: { candidate_id: string; job_id: string; kind: string; change_key: string }[];
  /** Of open issues. */
  issues: { code: string; subject: string }[];
  tombstones: string[];
}

/** Compares what the platform acknowledged and stored with what the providers have. Nobody else may have the database open. */
export async function check(
  where: { url?: string; dataDir?: string },
  crowds: readonly Crowd[],
  log: Log,
): Promise<Finding[]> {
  const database = await openDatabase({ ...where, log });
  try {
    const findings: Finding[] = [];
    for (const crowd of crowds) findings.push(...findingsOf(crowd, await read(database, crowd)));
    return findings;
  } finally {
    await database.close();
  }
}

async function read({ kysely }: Database, { organisation }: Crowd): Promise<Stored> {
  const { providerId } = organisation;
  const jobs = await kysely.selectFrom("jobs").selectAll().where("provider_id", "=", providerId).execute();
  const jobIds = ["", ...jobs.map(({ job_id }) => job_id)].slice(jobs.length > 0 ? 1 : 0);
  const [events, bookings, notifications, issues, tombstones] = [
    await kysely.selectFrom("events").selectAll().where("provider_id", "=", providerId).execute(),
    jobs.length === 0
      ? []
      : await kysely.selectFrom("bookings").selectAll().where("job_id", "in", jobIds).execute(),
    jobs.length === 0
      ? []
      : await kysely.selectFrom("notifications").selectAll().where("job_id", "in", jobIds).execute(),
    await kysely
      .selectFrom("issues")
      .selectAll()
      .where("provider_id", "=", providerId)
      .where("resolved_at", "is", null)
      .execute(),
    await kysely.selectFrom("tombstones").selectAll().where("provider_id", "=", providerId).execute(),
  ];
  return {
    events,
    jobs,
    bookings,
    notifications,
    issues,
    tombstones: tombstones.map((each) => each.shift_id),
  };
}

function findingsOf(crowd: Crowd, stored: Stored): Finding[] {
  const tell = (kind: Finding["kind"], whats: Iterable<string>) => [...whats].map((what) => ({ kind, what }));
  return [
    ...tell("lost", lostEvents(crowd, stored)),
    ...tell("lost", lostWishes(crowd, stored)),
    ...tell("doubled", doubledRows(stored)),
    ...tell("doubled", doubledAtProvider(crowd)),
    ...tell("doubled", toldTooOften(crowd, stored)),
    ...tell("disagreeing", disagreements(crowd, stored)),
  ];
}

const ENDED = ["processed", "ignored", "skipped_echo", "failed", "dead"];

function* lostEvents({ organisation, said }: Crowd, { events }: Stored): Generator<string> {
  const keyOf = (event: string, shiftId: string, traceId: string) => `${event} ${shiftId} ${traceId}`;
  const rows = new Map(events.map((row) => [keyOf(row.event, row.shift_id, row.trace_id), row]));
  const delivered = organisation.provider.deliveries.filter(({ delivery }) => delivery?.delivered);
  for (const { event, shiftId, traceId } of [...delivered, ...said.events]) {
    const key = keyOf(event, shiftId, traceId);
    if (!rows.has(key)) yield `${key} was acknowledged and is not stored`;
  }
  for (const [key, { status, verdict }] of rows) {
    // An event of an unknown name is stored and goes no further.
    const isTold = verdict !== null || status === "ignored";
    if (!ENDED.includes(status) || !isTold) yield `${key} is ${status}: ${verdict ?? "no reason"}`;
  }
}

function* lostWishes({ said }: Crowd, { jobs, bookings, issues }: Stored): Generator<string> {
  for (const { jobId, candidateId } of said.accepted) {
    if (bookings.some((each) => each.job_id === jobId && each.candidate_id === candidateId)) continue;
    yield `the accepted booking of ${candidateId} on job ${jobId} is not stored`;
  }
  for (const { jobId, candidateId } of said.withdrawn) {
    const ended = bookings.filter((each) => each.job_id === jobId && each.candidate_id === candidateId);
    if (ended.some(({ status }) => status === "released" || status === "failed")) continue;
    const shiftId = jobs.find(({ job_id }) => job_id === jobId)?.shift_id ?? "";
    if (!isExplained(issues, shiftId))
      yield `the withdrawal of ${candidateId} from job ${jobId} did not happen`;
  }
  for (const jobId of said.cancelled) {
    const job = jobs.find(({ job_id }) => job_id === jobId);
    if (job?.status === "cancelled" || isExplained(issues, job?.shift_id ?? "")) continue;
    yield `the cancellation of job ${jobId} did not happen`;
  }
}

function* doubledRows({ events, jobs, bookings, notifications }: Stored): Generator<string> {
  const live = bookings.filter(({ status }) => status === "pending" || status === "confirmed");
  yield* repeated(
    "event",
    events.map((each) => `${each.event} ${each.shift_id} ${each.trace_id}`),
  );
  yield* repeated(
    "job for shift",
    jobs.map((each) => each.shift_id),
  );
  yield* repeated(
    "seat",
    live.map((each) => `${each.job_id} ${each.candidate_id}`),
  );
  yield* repeated(
    "notification",
    notifications.map((each) => `${each.kind} ${each.job_id} ${each.candidate_id} ${each.change_key}`),
  );
}

function* repeated(what: string, keys: readonly string[]): Generator<string> {
  const seen = new Set<string>();
  for (const key of keys) {
    if (seen.has(key)) yield `${what} ${key} is there twice`;
    seen.add(key);
  }
}

/** The sandbox refuses a second creation: a 409 says that it was asked for one. */
function* doubledAtProvider({ organisation }: Crowd): Generator<string> {
  yield* repeated(
    "candidate",
    organisation.provider.candidates.map(({ personalNumber }) => personalNumber),
  );
  const creations = organisation.calls.filter(
    ({ method, path }) => method === "POST" && path === "/candidates",
  );
  const again = creations.filter(({ status }) => status === 409).length;
  if (again > 0) yield `the provider was asked ${again} times to create somebody whom it has`;
}

/** One change of the times is told to each person once at most. */
function* toldTooOften({ said }: Crowd, { jobs, notifications }: Stored): Generator<string> {
  const shifts = new Map(jobs.map(({ job_id, shift_id }) => [job_id, shift_id]));
  const told = new Map<string, number>();
  for (const { kind, job_id, candidate_id } of notifications) {
    if (kind !== "shift_changed") continue;
    const key = `${job_id} ${candidate_id}`;
    const times = (told.get(key) ?? 0) + 1;
    told.set(key, times);
    const changes = said.retimed.get(shifts.get(job_id) ?? "") ?? 0;
    if (times > changes)
      yield `${candidate_id} was told ${times} times of ${changes} changes of job ${job_id}`;
  }
}

/** An open issue about the shift, or about somebody on it, says that a person has to settle it. */
function isExplained(issues: Stored["issues"], shiftId: string): boolean {
  const subject = `shift ${shiftId}`;
  return issues.some(
    (issue) =>
      issue.code !== "shift_overfilled" &&
      (issue.subject === subject || issue.subject.startsWith(`${subject}, `)),
  );
}

function* disagreements({ organisation }: Crowd, stored: Stored): Generator<string> {
  const jobs = new Map(stored.jobs.map((job) => [job.shift_id, job]));
  for (const shift of organisation.provider.shifts) {
    if (isExplained(stored.issues, shift.id)) continue;
    const bookings = stored.bookings.filter(({ job_id }) => job_id === jobs.get(shift.id)?.job_id);
    const fault = faultOf(shift, jobs.get(shift.id), bookings);
    if (fault) yield `shift ${shift.id}: ${fault}`;
  }
}

function faultOf(shift: StoredShift, job: Job | undefined, bookings: readonly Booking[]): string | undefined {
  if (bookings.some(({ status }) => status === "pending")) return "a booking is pending for ever";
  // Deleted before it was ever read: there is nothing to have a job for.
  if (shift.cancelled && (!job || job.status === "cancelled")) return undefined;
  if (!job) return "there is no job";
  if (shift.cancelled) return `it is cancelled, the job is ${job.status}`;
  const confirmed = bookings.filter(({ status }) => status === "confirmed");
  const [here, there] = [
    confirmed.map((each) => each.provider_candidate_id ?? ""),
    [...shift.assigned.keys()],
  ];
  if (here.sort().join() !== there.sort().join()) {
    return `the provider has ${there.join() || "nobody"}, the platform ${here.join() || "nobody"}`;
  }
  const times = [job.start_time, job.end_time].map((time) => time.toISOString()).join();
  if (times !== [shift.startTime, shift.endTime].join()) return `the times are ${times}`;
  if (job.positions !== shift.positions) return `the job has ${job.positions} positions`;
  const status = confirmed.length >= shift.positions ? "filled" : "open";
  return job.status === status ? undefined : `the job is ${job.status}, not ${status}`;
}
