import type { StoredShift } from "../../src/sandbox/organisation.ts";
import type { Reading, Stored } from "./reading.ts";

/** What is not as it should be: what nobody was told of, and how much of it an open issue asks a person to settle. */
interface Compared {
  faults: string[];
  excused: number;
}

type Job = Stored["jobs"][number];
type Bookings = Stored["bookings"];

/** After twelve tries in vain the provider may have done what was asked, or not: only then may the two sides differ. */
const UNCERTAIN = ["booking_failed", "unassign_failed"];

/** What was asked for and acknowledged, beside the bookings. */
export function withdrawalsAndCancels({ said, stored }: Reading): Compared {
  const { jobs, bookings } = stored;
  const jobOf = (jobId: string) => jobs.find(({ job_id }) => job_id === jobId);
  const withdrawn = said.withdrawn
    .filter(({ jobId, candidateId }) => !hasEnded(bookings, jobId, candidateId))
    .map(({ jobId, candidateId }) => ({
      fault: `the withdrawal of ${candidateId} from job ${jobId} did not happen`,
      isExcused: hasIssue(stored, ["unassign_failed"], jobOf(jobId)),
    }));
  const cancelled = said.cancelled
    .filter((jobId) => jobOf(jobId)?.status !== "cancelled")
    .map((jobId) => ({
      fault: `the cancellation of job ${jobId} did not happen`,
      isExcused: hasIssue(stored, ["cancellation_refused"], jobOf(jobId)),
    }));
  return sorted([...withdrawn, ...cancelled]);
}

function hasEnded(bookings: Bookings, jobId: string, candidateId: string): boolean {
  const own = bookings.filter((each) => each.job_id === jobId && each.candidate_id === candidateId);
  return own.some(({ status }) => status === "released" || status === "failed");
}

/** Each shift of the provider and its job. */
export function disagreements({ shifts, stored }: Reading): Compared {
  const jobs = new Map(stored.jobs.map((job) => [job.shift_id, job]));
  return sorted(
    shifts.flatMap((shift) => {
      const job = jobs.get(shift.id);
      const bookings = stored.bookings.filter(({ job_id }) => job_id === job?.job_id);
      const [plain, uncertain] = [faultOf(shift, job, bookings), job && differenceOf(shift, job, bookings)];
      if (plain) return [{ fault: `shift ${shift.id}: ${plain}`, isExcused: false }];
      if (!uncertain) return [];
      return [{ fault: `shift ${shift.id}: ${uncertain}`, isExcused: hasIssue(stored, UNCERTAIN, job) }];
    }),
  );
}

function sorted(all: readonly { fault: string; isExcused: boolean }[]): Compared {
  const faults = all.filter(({ isExcused }) => !isExcused).map(({ fault }) => fault);
  return { faults, excused: all.length - faults.length };
}

/** About the shift, or about somebody on it. */
function hasIssue({ issues }: Stored, codes: readonly string[], job: Job | undefined): boolean {
  const subject = `shift ${job?.shift_id}`;
  return issues.some(
    (issue) =>
      codes.includes(issue.code) && (issue.subject === subject || issue.subject.startsWith(`${subject}, `)),
  );
}

/** What no failed call explains. */
function faultOf(shift: StoredShift, job: Job | undefined, bookings: Bookings): string | undefined {
  if (bookings.some(({ status }) => status === "pending")) return "a booking is pending for ever";
  // Deleted before it was ever read: there is nothing to have a job for.
  if (shift.cancelled && (!job || job.status === "cancelled")) return undefined;
  if (!job) return "there is no job";
  if (shift.cancelled) return `it is cancelled, the job is ${job.status}`;
  const times = [job.start_time, job.end_time].map((time) => time.toISOString()).join();
  if (times !== [shift.startTime, shift.endTime].join()) return `the times are ${times}`;
  if (job.positions !== shift.positions) return `the job has ${job.positions} positions`;
  const confirmed = bookings.filter(({ status }) => status === "confirmed");
  const status = confirmed.length >= shift.positions ? "filled" : "open";
  return job.status === status ? undefined : `the job is ${job.status}, not ${status}`;
}

/** Who is on the shift. */
function differenceOf(shift: StoredShift, job: Job, bookings: Bookings): string | undefined {
  if (shift.cancelled || job.status === "cancelled") return undefined;
  const confirmed = bookings.filter(({ status }) => status === "confirmed");
  const here = confirmed.map((each) => each.provider_candidate_id ?? "").sort();
  const there = [...shift.assigned.keys()].sort();
  if (here.join() === there.join()) return undefined;
  return `the provider has ${there.join() || "nobody"}, the platform ${here.join() || "nobody"}`;
}
