import type { Booking, Job } from "../../../generated/operations/types.ts";
import type { Operations } from "../../harness/operations.ts";
import { everyPage } from "../../harness/operations.ts";
import type { Person } from "../../harness/organisation.ts";
import type { Provider } from "./provider.ts";
import { digitsOf } from "./provider-operations.ts";
import type { Candidate, Shift } from "./provider-records.ts";

/** The platform, as an operator sees it. */
interface Platform {
  operations: Pick<Operations, "listJobs">;
  /** The known candidates: each confirmed booking must be of the same person at the provider. */
  people?: readonly Person[];
}

type Source = Pick<Provider, "providerId" | "shiftIds" | "shift" | "candidates">;

/**
 * Returns one line for each disagreement. Shifts that have started are ignored: no candidate is assigned or withdrawn after the start,
 * so the two sides may keep a difference.
 */
export async function agree(platform: Platform, provider: Source, now = new Date()): Promise<string[]> {
  const { providerId } = provider;
  const jobs = await everyPage<Job>((page) =>
    platform.operations.listJobs({ params: { query: { providerId, ...page } } }),
  );
  const shiftIds = new Set([...provider.shiftIds(), ...jobs.map(({ shiftId }) => shiftId)]);
  return [...shiftIds].flatMap((shiftId) => {
    const shift = provider.shift(shiftId);
    const job = jobs.find((each) => each.shiftId === shiftId);
    if (hasStarted(shift ?? job, now)) return [];
    const found = [
      ...disagreements(job, shift),
      ...mistakenPeople(job, platform.people ?? [], provider.candidates),
    ];
    return found.map((line) => `shift ${shiftId}: ${line}`);
  });
}

const hasStarted = (times: { startTime: string } | undefined, now: Date) =>
  times !== undefined && Date.parse(times.startTime) <= now.getTime();

/** Returns the disagreements on one shift. */
function disagreements(job: Job | undefined, shift: Shift | undefined): string[] {
  if (!shift || shift.deleted) return job ? afterTheEnd(job) : [];
  if (!job) return ["the provider has it, the platform has no job"];
  if (job.status === "cancelled") return ["the provider has it, the job is cancelled"];
  return [
    ...differs("start", Date.parse(job.startTime), Date.parse(shift.startTime)),
    ...differs("end", Date.parse(job.endTime), Date.parse(shift.endTime)),
    ...differs("positions", job.positions, shift.positions),
    ...differs("status", job.status, shift.assigned.length >= shift.positions ? "filled" : "open"),
    ...differs("platform's people", confirmedOf(job), assignedBy(shift, "platform")),
    ...differs("provider's people", ownPeopleOf(job), assignedBy(shift, "provider")),
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

const listed = (ids: readonly string[]) => [...ids].sort().join(" ") || "none";

const confirmedOf = ({ bookings }: Job) =>
  listed(
    bookings
      .filter(({ status }) => status === "confirmed")
      .map((booking) => booking.providerCandidateId ?? "without an id at the provider"),
  );

const ownPeopleOf = ({ ownPeople }: Job) => listed(ownPeople.map((person) => person.providerCandidateId));

const assignedBy = ({ assigned }: Shift, who: "platform" | "provider") =>
  listed(assigned.filter(({ by }) => by === who).map(({ candidateId }) => candidateId));

/** Returns bookings whose person differs from the one on the provider's shift. */
function mistakenPeople(
  job: Job | undefined,
  people: readonly Person[],
  candidates: readonly Candidate[],
): string[] {
  const confirmed = job?.bookings.filter(({ status }) => status === "confirmed") ?? [];
  return confirmed.flatMap(({ candidateId, providerCandidateId }) => {
    const person = people.find((each) => each.candidateId === candidateId);
    const candidate = candidates.find(({ id }) => id === providerCandidateId);
    if (!person || !candidate) return [];
    const isSame = digitsOf(candidate.personalNumber) === digitsOf(person.personalNumber);
    return isSame ? [] : ["a booking is confirmed for another person"];
  });
}
