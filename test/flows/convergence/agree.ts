import type { Booking, Job } from "../../../generated/operations/types.ts";
import type { StoredShift } from "../../../src/sandbox/organisation.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { everyPage, type Operations } from "../../harness/operations.ts";
import type { Person } from "../../harness/organisation.ts";

/** The platform, as an operator sees it. */
interface Platform {
  operations: Pick<Operations, "listJobs">;
  /** The candidates of the test. Anyone else on a shift is one of the provider's own people. */
  people: readonly Person[];
}

type Provider = Pick<Sandbox, "providerId" | "shifts" | "candidates">;

/**
 * Returns one line for each disagreement. Shifts that have started are ignored: no candidate is assigned or withdrawn after the start,
 * so the two sides may keep a difference.
 */
export async function agree(platform: Platform, provider: Provider, now = new Date()): Promise<string[]> {
  const { providerId, shifts, candidates } = provider;
  const { people } = platform;
  const jobs = await everyPage<Job>((page) =>
    platform.operations.listJobs({ params: { query: { providerId, ...page } } }),
  );
  const numberAt = (id: string | undefined) => candidates.find((each) => each.id === id)?.personalNumber;
  const isPlatforms = (id: string) => people.some(({ personalNumber }) => personalNumber === numberAt(id));
  /** Finds bookings whose person differs from the one on the provider's shift. */
  const mistakenPeople = (job: Job | undefined) =>
    (job ? confirmed(job) : []).flatMap(({ candidateId, providerCandidateId }) => {
      const person = people.find((each) => each.candidateId === candidateId);
      const number = numberAt(providerCandidateId);
      if (!person || number === undefined || number === person.personalNumber) return [];
      return ["a booking is confirmed for another person"];
    });
  const shiftIds = new Set([...shifts.map(({ id }) => id), ...jobs.map(({ shiftId }) => shiftId)]);
  return [...shiftIds].flatMap((shiftId) => {
    const shift = shifts.find(({ id }) => id === shiftId);
    const job = jobs.find((each) => each.shiftId === shiftId);
    if (hasStarted(shift ?? job, now)) return [];
    const found = [...disagreements(job, shift, isPlatforms), ...mistakenPeople(job)];
    return found.map((line) => `shift ${shiftId}: ${line}`);
  });
}

const hasStarted = (times: { startTime: string } | undefined, now: Date) =>
  times !== undefined && Date.parse(times.startTime) <= now.getTime();

/** Returns the disagreements on one shift. */
function disagreements(
  job: Job | undefined,
  shift: StoredShift | undefined,
  isPlatforms: (candidateId: string) => boolean,
): string[] {
  if (!shift || shift.cancelled) return job ? afterTheEnd(job) : [];
  if (!job) return ["the provider has it, the platform has no job"];
  if (job.status === "cancelled") return ["the provider has it, the job is cancelled"];
  const assigned = [...shift.assigned.keys()];
  return [
    ...differs("start", Date.parse(job.startTime), Date.parse(shift.startTime)),
    ...differs("end", Date.parse(job.endTime), Date.parse(shift.endTime)),
    ...differs("positions", job.positions, shift.positions),
    ...differs("status", job.status, assigned.length >= shift.positions ? "filled" : "open"),
    ...differs("platform's people", confirmedOf(job), listed(assigned.filter(isPlatforms))),
    ...differs("provider's people", ownPeopleOf(job), listed(assigned.filter((id) => !isPlatforms(id)))),
    ...inProgress(job),
  ];
}

/** Returns the disagreements on a shift that is gone: the job must be cancelled, without bookings. */
function afterTheEnd(job: Job): string[] {
  return [...differs("status", job.status, "cancelled"), ...differs("people booked", live(job).length, 0)];
}

function differs(what: string, platform: string | number, provider: string | number): string[] {
  return platform === provider ? [] : [`${what}: ${platform} on the platform, ${provider} at the provider`];
}

function inProgress(job: Job): string[] {
  return [
    ...(job.cancelling ? ["a cancellation is in progress"] : []),
    ...job.bookings.filter(isInProgress).map(({ status }) => `a booking is in progress, ${status}`),
  ];
}

const isInProgress = ({ status, withdrawing, inDoubtSince }: Booking) =>
  status === "pending" || withdrawing === true || inDoubtSince !== undefined;

const live = ({ bookings }: Job) =>
  bookings.filter(({ status }) => status === "pending" || status === "confirmed");

const confirmed = ({ bookings }: Job) => bookings.filter(({ status }) => status === "confirmed");

const listed = (ids: readonly string[]) => [...ids].sort().join(" ") || "none";

const confirmedOf = (job: Job) =>
  listed(confirmed(job).map((booking) => booking.providerCandidateId ?? "without an id at the provider"));

const ownPeopleOf = ({ ownPeople }: Job) => listed(ownPeople.map((person) => person.providerCandidateId));
