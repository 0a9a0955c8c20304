import type { Shift } from "../../src/contract/shift.ts";
import { HOUR_MS } from "../../src/contract/timestamp.ts";
import { NO_BELIEF } from "../../src/platform/shifts/plan/believe.ts";
import { holdsSeat } from "../../src/platform/shifts/plan/draft.ts";
import { unlisted } from "../../src/platform/shifts/plan/list.ts";
import type {
  MovedPerson,
  RunSoFar,
  ShiftState,
  Surroundings,
} from "../../src/platform/shifts/plan/state.ts";
import { COMPETENCE_OF_ROLE, isLive, type JobRow, type Store } from "./store.ts";

/** How long an ended booking with a call in doubt is kept. */
export const LOADED_FOR_MS = 2 * HOUR_MS;
const AT_ONCE_MS = 600_000;

/** Returns the state that `loadWithSurroundings` of run.ts would return at this point of a run. */
export function loadState(store: Store, shiftId: string, now: number, run: RunSoFar): ShiftState {
  const outcome = run.reading?.outcome ?? run.made?.outcome;
  const read = outcome?.kind === "shift" ? outcome.shift : undefined;
  const state = loadShift(store, shiftId, now, read);
  if (read && !read.cancelled) {
    state.surroundings = loadSurroundings(store, state, read);
    state.surroundings.arrived = findArrived(store, state, read, now);
  }
  const isGone = read?.cancelled || run.reading?.outcome.kind === "absent";
  const lacked = isGone ? state.bookings.filter(holdsSeat) : read ? unlisted(state) : [];
  state.surroundings.moved = lacked.flatMap(({ candidateId }) => findMoved(store, state, candidateId, now));
  if (isAccepted(store, now)) return state;
  if (read && !read.cancelled && unlisted(state).length > 0)
    state.surroundings.removed = countRemoved(store, shiftId, now);
  if (run.reading?.outcome.kind === "absent")
    state.surroundings.vanished = countVanished(store, shiftId, now);
  return state;
}

/** Whether an operator has confirmed that what is missing is gone. */
const isAccepted = ({ integration }: Store, now: number) => (integration.absenceAcceptedUntil ?? now) > now;

function loadShift(store: Store, shiftId: string, now: number, read: Shift | undefined): ShiftState {
  const job = store.jobs.get(shiftId);
  const operations = store.operations.filter((each) => each.shiftId === shiftId);
  const open = operations.findLast(({ confirmedAt }) => confirmedAt === null);
  const { state, implausibleSince, pausedSince, heldSince, listsBooked, routes } = store.integration;
  const outletId = read?.outletId ?? job?.outletId;
  const roleId = read?.roleId ?? job?.roleId;
  return {
    providerId: "provider",
    shiftId,
    job: job && { ...job },
    integration: {
      state,
      isImplausible: implausibleSince !== null,
      isPaused: pausedSince !== null,
      isHeld: heldSince !== null && !isAccepted(store, now),
      listsBooked,
      routes,
    },
    shift: knownOf(store, shiftId),
    bookings: bookingsOf(store, shiftId, now),
    cancellation:
      open && job?.status !== "cancelled"
        ? {
            operationId: open.operationId,
            traceId: open.traceId,
            sentAt: open.sentAt,
            consumedBy: open.consumedBy,
          }
        : undefined,
    echoes: operations
      .filter(({ consumedAt, expiresAt }) => consumedAt === null && expiresAt > now)
      .map(({ operationId }) => operationId),
    changes: store.changes.flatMap((each) =>
      each.shiftId === shiftId && each.status === "pending" ? [{ ...each }] : [],
    ),
    events: eventsOf(store, shiftId),
    surroundings: {
      workplaceId: (outletId !== undefined && store.outlets.get(outletId)) || null,
      competenceId: (roleId !== undefined && COMPETENCE_OF_ROLE[roleId]) || null,
      listed: [],
      overlaps: [],
      lacking: [],
      vanished: { missing: 0, known: 0 },
    },
  };
}

function knownOf(store: Store, shiftId: string): ShiftState["shift"] {
  const row = store.shifts.get(shiftId);
  return {
    nextReadAt: row?.nextReadAt ?? null,
    belief: row?.belief ?? NO_BELIEF,
    hasIssues: store.issues.some((issue) => issue.isOpen && issue.shiftId === shiftId),
  };
}

function bookingsOf(store: Store, shiftId: string, now: number): ShiftState["bookings"] {
  return store
    .bookingsOf(shiftId)
    .filter(
      ({ status, atProvider, sentAt, updatedAt }) =>
        status === "pending" ||
        status === "confirmed" ||
        atProvider !== "no" ||
        (sentAt !== null && updatedAt > now - LOADED_FOR_MS),
    )
    .map((booking) => {
      const known = store.people.get(booking.candidateId);
      const shared = isShared(store, booking.candidateId) ? ({ kind: "shared" } as const) : null;
      return { ...booking, person: { id: known?.id ?? null, fault: known?.fault ?? shared } };
    });
}

/** Works as `IS_SHARED` of load.ts. */
function isShared(store: Store, candidateId: string): boolean {
  const id = store.people.get(candidateId)?.id ?? null;
  return id !== null && store.ownerOf(id) !== candidateId;
}

const eventsOf = (store: Store, shiftId: string): ShiftState["events"] =>
  store.events
    .filter((event) => event.shiftId === shiftId && (event.status === "queued" || event.status === "dead"))
    .map(({ eventId, event, traceId, isReplayed, isRead, status, receivedAt }) => ({
      eventId,
      event,
      traceId,
      isReplayed,
      isRead,
      isDead: status === "dead",
      receivedAt,
    }));

/** Works as `loadSurroundings` of load.ts: an unknown outlet is stored without a mapping. */
function loadSurroundings(
  store: Store,
  { surroundings, bookings, shiftId, job }: ShiftState,
  read: Shift,
): Surroundings {
  if (!store.outlets.has(read.outletId)) store.outlets.set(read.outletId, null);
  const [from, to] = [Date.parse(read.startTime), Date.parse(read.endTime)];
  const isBooked = bookings.length > 0 && job !== undefined;
  const overlaps = bookings.flatMap(({ candidateId }) => {
    const otherJobId = isBooked ? store.overlap(candidateId, from, to, shiftId) : undefined;
    return otherJobId === undefined ? [] : [{ candidateId, otherJobId }];
  });
  const { competenceId } = surroundings;
  const lacking = bookings.flatMap(({ candidateId }) =>
    isBooked && competenceId !== null && !store.competences.get(candidateId)?.has(competenceId)
      ? [candidateId]
      : [],
  );
  return { ...surroundings, overlaps, lacking, ...listedOn(store, read) };
}

/** Returns the provider's list, and which candidates are on it. */
function listedOn(store: Store, { assigned }: Shift): Pick<Surroundings, "listed" | "renumbered"> {
  const listed = assigned.map(({ providerCandidateId, personalNumber }) => {
    const candidateId = store.ownerOf(providerCandidateId) ?? personalNumber;
    return { providerCandidateId, ...(candidateId !== undefined && { candidateId }) };
  });
  if (listed.length === 0) return { listed };
  const renumbered = assigned.flatMap(({ providerCandidateId, personalNumber }) => {
    const known = store.ownerOf(providerCandidateId);
    return known !== undefined && personalNumber !== undefined && personalNumber !== known ? known : [];
  });
  return { listed, renumbered };
}

/** Works as `findMoved` of moved-people.ts. */
function findMoved(
  store: Store,
  { job, shiftId }: ShiftState,
  candidateId: string,
  now: number,
): MovedPerson[] {
  if (!job) return [];
  const isMoved = (other: JobRow) =>
    other.shiftId !== shiftId &&
    isLive(other) &&
    other.startTime > now &&
    (store.ownSince.get(`${other.shiftId} ${candidateId}`) ?? 0) > now - LOADED_FOR_MS;
  const distance = ({ startTime }: JobRow) => Math.abs(startTime - job.startTime);
  const [to] = [...store.jobs.values()].filter(isMoved).sort((one, two) => distance(one) - distance(two));
  const entry = to?.ownPeople.find((person) => person.candidateId === candidateId);
  if (!to || !entry) return [];
  const { startTime, endTime, outletId, roleId } = to;
  const otherJobId = store.overlap(candidateId, startTime, endTime, shiftId) ?? null;
  const { providerCandidateId } = entry;
  const place = { jobId: to.jobId, shiftId: to.shiftId, startTime, endTime, outletId, roleId };
  return [{ ...place, candidateId, providerCandidateId, otherJobId, isBusy: to.announced !== null }];
}

const ENDED_WITHOUT_WISH: readonly unknown[] = ["shift_deleted", "shift_cancelled", "removed_by_provider"];

/** Works as `findArrived` of moved-people.ts. */
function findArrived(
  store: Store,
  { shiftId, surroundings, bookings }: ShiftState,
  read: Shift,
  now: number,
): string[] {
  return surroundings.listed.flatMap(({ candidateId }) => {
    const isBooked = bookings.some((booking) => booking.candidateId === candidateId);
    if (candidateId === undefined || isBooked) return [];
    const own = store.bookings.filter((booking) => booking.candidateId === candidateId);
    const hasEnded = own.some(
      ({ shiftId: other, status, reason, updatedAt }) =>
        other !== shiftId &&
        status === "released" &&
        ENDED_WITHOUT_WISH.includes(reason) &&
        updatedAt > now - AT_ONCE_MS,
    );
    const wasBooked = own.some(
      (booking) => booking.shiftId === shiftId && booking.updatedAt > now - LOADED_FOR_MS,
    );
    const isOld = (store.ownSince.get(`${shiftId} ${candidateId}`) ?? now) < now - LOADED_FOR_MS;
    const other = store.overlap(candidateId, Date.parse(read.startTime), Date.parse(read.endTime));
    return hasEnded && !wasBooked && !isOld && other === undefined ? [candidateId] : [];
  });
}

function countVanished(store: Store, shiftId: string, now: number): Surroundings["vanished"] {
  const missing = [...store.shifts.values()].filter(
    ({ shiftId: id, belief: { missingSince, version } }) =>
      id !== shiftId && missingSince !== null && missingSince > now - AT_ONCE_MS && version !== "cancelled",
  );
  const known = [...store.jobs.values()].filter(
    (job) =>
      job.startTime > now &&
      (isLive(job) ||
        (job.status === "cancelled" && job.cancelledBy === "absence" && job.updatedAt > now - AT_ONCE_MS)),
  );
  return { missing: 1 + missing.length, known: known.length };
}

function countRemoved(store: Store, shiftId: string, now: number): NonNullable<Surroundings["removed"]> {
  const booked = store.bookings.filter((each) => {
    const job = store.jobs.get(each.shiftId);
    const isLiveJob = job !== undefined && isLive(job) && job.startTime > now;
    return (
      each.shiftId !== shiftId && isLiveJob && (each.status === "pending" || each.status === "confirmed")
    );
  });
  const missing = booked.filter((each) => each.missingSince !== null && each.missingSince > now - AT_ONCE_MS);
  return { missing: missing.length, booked: booked.length };
}
