import type {
  IssueCode,
  JobStatus,
  Outcome,
  Params,
  ProviderPerson,
  Subject,
} from "../../../../generated/operations/types.ts";
import type { Shift } from "../../../contract/shift.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import { applyList, noteNumbers } from "./list.ts";
import { isPerson } from "./seen.ts";
import { isMaterialChange, type JobState, jobStatus, NEW_BOOKING } from "./state.ts";

/** How many of the people assigned by the provider are stored, beside the candidates among them. */
const OWN_PEOPLE_STORED = 100;

/** Updates the job to the shift as the provider has it now. */
export function applyShift(draft: Draft, shift: Shift, traceId: string): Outcome {
  const before = draft.job && { ...draft.job };
  if (before?.status === "cancelled" && before.cancelledBy === "employer") {
    draft.issue("delete_not_confirmed", draft.subject, { jobStatus: "cancelled" }, traceId);
    return { code: "already_cancelled", params: {} };
  }
  resolveConflicts(draft);
  const { isLoss } = applyList(draft);
  noteNumbers(draft);
  bookArrived(draft, shift);
  const facts = { ...factsOf(shift), ...(isLoss && before ? ownPeopleOf(before) : ownPeople(draft)) };
  if (before) updateJob(draft, before, facts);
  else createJob(draft, facts, traceId);
  readBooked(draft, before?.ownPeople ?? [], facts.ownPeople);
  const code = verdictOf(before, facts);
  if (before) announceChange(draft, before, facts, traceId);
  const was = refreshStatus(draft, traceId);
  const jobStatus = draft.job?.status ?? "open";
  const params = { jobStatus, ...(shift.warnings.length > 0 && { warnings: shift.warnings }) };
  if (code !== "job_unchanged") draft.step({ step: "job", code, params, traceId });
  // Every reading offers the job: a candidate may have become free, or the integration active.
  offerOrWithdraw(draft, was, true, traceId);
  return { code, params: { jobStatus } };
}

function verdictOf(before: JobState | undefined, facts: Facts) {
  if (!before) return "job_created";
  if (before.status === "cancelled") return "job_reopened";
  return isSame(before, facts) ? "job_unchanged" : "job_updated";
}

/**
 * Announces what people would read as a difference from what was last announced, once it is settled: those booked are notified, and the job is offered again.
 * Until then, its offers are withdrawn: they show what no longer holds.
 */
function announceChange(draft: Draft, before: JobState, facts: Facts, traceId: string): void {
  const { startTime, endTime, outletId, roleId } = before;
  const last = before.announced ?? { startTime, endTime, outletId, roleId };
  const isReopened = before.status === "cancelled";
  const isChanged = isMaterialChange(last, facts);
  const announced = isChanged && !draft.isSettled ? last : null;
  const isNewRound = isReopened || (isChanged && announced === null);
  if (isReopened || isChanged) draft.push({ write: "withdraw_offers" });
  if (JSON.stringify(announced) !== JSON.stringify(before.announced)) draft.patchJob({ announced });
  if (isNewRound) draft.patchJob({ offerRound: before.offerRound + 1 });
  if (isChanged && announced === null && !isReopened) noteMaterialChange(draft, last, facts, traceId);
}

type Facts = ReturnType<typeof factsOf> & ReturnType<typeof ownPeople>;

const factsOf = (shift: Shift) => ({
  variant: shift.variant,
  startTime: Date.parse(shift.startTime),
  endTime: Date.parse(shift.endTime),
  positions: shift.positions,
  outletId: shift.outletId,
  outletName: shift.outletName ?? null,
  roleId: shift.roleId,
  roleName: shift.roleName ?? null,
  breakMinutes: shift.breakMinutes ?? null,
  description: shift.description ?? null,
  warnings: shift.warnings as string[],
});

/** Returns the people assigned by the provider. A person takes one position, even under two ids: free seats = positions - these - bookings. */
function ownPeople(draft: Draft) {
  const { state } = draft;
  const booked = state.bookings.filter(
    (booking) => holdsSeat(booking) || booking.atProvider !== "no" || draft.isWithinLag(booking.leftAt),
  );
  const own = new Map<string, ProviderPerson>();
  for (const entry of state.surroundings.listed)
    if (!booked.some((booking) => isPerson(entry, booking)))
      own.set(entry.candidateId ?? entry.providerCandidateId, entry);
  const [known, others] = [true, false].map((isKnown) =>
    [...own.values()].filter(({ candidateId }) => (candidateId !== undefined) === isKnown),
  ) as [ProviderPerson[], ProviderPerson[]];
  const room = Math.max(0, OWN_PEOPLE_STORED - known.length);
  return { ownPeople: [...known, ...others.slice(0, room)], ownPeopleCount: own.size };
}

/** A list that has lost people does not free the seats of the provider's own. */
const ownPeopleOf = ({ ownPeople, ownPeopleCount }: JobState) => ({ ownPeople, ownPeopleCount });

function createJob(draft: Draft, facts: Facts, traceId: string): void {
  const { workplaceId, competenceId } = draft.state.surroundings;
  const rest = {
    jobId: "",
    status: "open",
    overfilled: false,
    cancelledBy: null,
    offerRound: 0,
    renewedRound: 0,
    announced: null,
    traceId,
  } as const;
  draft.state.job = { ...facts, ...rest, workplaceId, competenceId };
}

function updateJob(draft: Draft, before: JobState, facts: Facts): void {
  const reopened = before.status === "cancelled" ? ({ status: "open", cancelledBy: null } as const) : {};
  if (isSame(before, facts) && before.status !== "cancelled") return;
  draft.patchJob({ ...facts, ...reopened });
}

const isSame = (before: JobState, facts: Facts): boolean =>
  Object.entries(facts).every(
    ([name, value]) => JSON.stringify(before[name as keyof Facts]) === JSON.stringify(value),
  );

/** Notifies the people booked and checks their bookings again. A change of a past shift is not announced. */
function noteMaterialChange(
  draft: Draft,
  before: Pick<JobState, "endTime">,
  facts: Facts,
  traceId: string,
): void {
  const { now, state } = draft;
  if (before.endTime <= now && facts.endTime <= now) return;
  const booked = state.bookings.filter(holdsSeat);
  const candidateIds = booked.map(({ candidateId }) => candidateId);
  if (candidateIds.length > 0)
    draft.push({ write: "notify", kind: "shift_changed", candidateIds, changeKey: "", traceId });
  for (const booking of booked) {
    const subject = draft.bookingSubject(booking);
    const overlap = state.surroundings.overlaps.find(
      ({ candidateId }) => candidateId === booking.candidateId,
    );
    const isLacking = state.surroundings.lacking.includes(booking.candidateId);
    if (overlap) draft.issue("booking_overlaps", subject, { otherJobId: overlap.otherJobId }, traceId);
    if (isLacking) draft.issue("competence_missing", subject, { roleId: facts.roleId }, traceId);
  }
}

/** Resolves the issues of bookings whose cause is gone: each reading knows who is booked elsewhere, and who lacks the competence. */
function resolveConflicts(draft: Draft): void {
  const { bookings, surroundings } = draft.state;
  for (const booking of bookings) {
    const { candidateId } = booking;
    const subject = draft.bookingSubject(booking);
    if (!surroundings.overlaps.some((overlap) => overlap.candidateId === candidateId))
      draft.resolveIssues(subject, ["booking_overlaps"]);
    if (!surroundings.lacking.includes(candidateId)) draft.resolveIssues(subject, ["competence_missing"]);
  }
}

/** Updates the status of the job to its facts, and offers it while it is open. */
export function refreshJob(draft: Draft, traceId: string, { isChanged }: { isChanged: boolean }): void {
  const was = refreshStatus(draft, traceId);
  offerOrWithdraw(draft, was, isChanged, traceId);
}

/** Updates the status of the job, and returns the previous one. */
function refreshStatus(draft: Draft, traceId: string): JobStatus {
  const { job, state, now } = draft;
  if (!job || job.status === "cancelled") return "cancelled";
  const { workplaceId, competenceId } = state.surroundings;
  const isMapped = workplaceId !== null && competenceId !== null;
  const booked = state.bookings.filter(holdsSeat).length;
  const taken = booked + job.ownPeopleCount;
  const status = jobStatus({ isMapped, startTime: job.startTime, positions: job.positions, taken }, now);
  const overfilled = booked > 0 && taken > job.positions && status !== "expired";
  const was = job.status;
  draft.isRefreshed = true;
  if (overfilled !== job.overfilled) noteOverfill(draft, overfilled, booked, traceId);
  const patch = {
    ...(status !== was && { status }),
    ...(overfilled !== job.overfilled && { overfilled }),
    ...(workplaceId !== job.workplaceId && { workplaceId }),
    ...(competenceId !== job.competenceId && { competenceId }),
  };
  if (Object.keys(patch).length > 0) draft.patchJob(patch);
  if (status === "expired" && was !== "expired" && job.jobId !== "")
    draft.step({ step: "job", code: "job_expired", params: { jobStatus: was }, traceId: job.traceId });
  return was;
}

function offerOrWithdraw(draft: Draft, was: JobStatus, isChanged: boolean, traceId: string): void {
  const { job, state } = draft;
  if (!job) return;
  // A reading that is due may show that no seat is free. It offers the job itself.
  const { nextReadAt } = state.shift;
  const isReadNext = nextReadAt !== null && nextReadAt <= draft.now;
  // What is not announced yet is offered by the reading that announces it.
  const isSettled = draft.isSettled && job.announced === null;
  const isOpen = job.status === "open" && !state.cancellation && !isReadNext && isSettled;
  const isOffered = isOpen && state.integration.state === "active";
  if (isOffered && (isChanged || draft.isJobChanged)) {
    const isNewlyOpen = was !== "open" || job.jobId === "";
    draft.push({ write: "offer", isNewlyOpen, traceId });
  } else if (job.status !== "open" && was === "open") draft.push({ write: "withdraw_offers" });
}

/** decisions, "positions fall below the number assigned": bookings stay, and an issue asks an operator. */
function noteOverfill(draft: Draft, overfilled: boolean, booked: number, traceId: string): void {
  const { job, subject } = draft;
  const params = { booked, ownPeople: job?.ownPeopleCount ?? 0, positions: job?.positions ?? 0 };
  if (overfilled) draft.issue("shift_overfilled", subject, params, traceId);
  else draft.resolveIssues(subject, ["shift_overfilled"]);
}

interface Lack {
  code: Extract<IssueCode, "outlet_not_mapped" | "role_not_mapped">;
  subject: Subject;
  params: Params;
}

/** Returns what a job waits for to be mapped. */
function lacksOf(job: JobState | undefined): Lack[] {
  if (job?.status !== "blocked_mapping") return [];
  const { outletId, roleId, workplaceId, competenceId } = job;
  const lacks: Lack[] = [];
  if (workplaceId === null)
    lacks.push({ code: "outlet_not_mapped", subject: { kind: "outlet", outletId }, params: { outletId } });
  if (competenceId === null)
    lacks.push({ code: "role_not_mapped", subject: { kind: "role", roleId }, params: { roleId } });
  return lacks;
}

/** Raises issues about what the job has begun to wait for, and resolves those about what it no longer waits for, unless other jobs do. */
export function noteMapping(draft: Draft, before: JobState | undefined, traceId: string): void {
  const [was, is] = [lacksOf(before), lacksOf(draft.job)];
  for (const lack of difference(is, was)) draft.issue(lack.code, lack.subject, lack.params, traceId);
  for (const { code, subject } of difference(was, is))
    draft.push({ write: "resolve_issues", subject, codes: [code] });
}

const difference = (some: readonly Lack[], others: readonly Lack[]): Lack[] =>
  some.filter((one) => !others.some((other) => JSON.stringify(other) === JSON.stringify(one)));

// The provider moves people in its schedule. What one shift lacks, another one shows: the readings of both come in either order.

/**
 * Books the people on the list whose bookings on other shifts have just ended, with the shift or because the provider took them off: the list of this one was
 * read too late to move them.
 */
function bookArrived(draft: Draft, { startTime }: Shift): void {
  const { surroundings, bookings } = draft.state;
  if (!draft.isSettled || Date.parse(startTime) <= draft.now) return;
  for (const candidateId of surroundings.arrived ?? []) {
    const entry = surroundings.listed.find((person) => person.candidateId === candidateId);
    if (!entry) continue;
    const { providerCandidateId } = entry;
    draft.push({ write: "book", candidateId, providerCandidateId, kind: "booking_confirmed" });
    bookings.push({
      ...NEW_BOOKING,
      bookingId: "",
      candidateId,
      status: "confirmed",
      atProvider: "yes",
      providerCandidateId,
      person: { id: providerCandidateId, fault: null },
      traceId: draft.traceId,
    });
  }
}

/** Reads the shifts on which the candidates are booked whom the provider has put on this one: it may have moved them. */
function readBooked(draft: Draft, before: readonly ProviderPerson[], now: readonly ProviderPerson[]): void {
  const known = new Set(before.map(({ candidateId }) => candidateId));
  const candidateIds = now.flatMap(({ candidateId }) =>
    candidateId === undefined || known.has(candidateId) ? [] : [candidateId],
  );
  if (candidateIds.length > 0) draft.push({ write: "read_booked", candidateIds });
}
