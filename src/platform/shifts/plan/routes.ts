import type { Refused, Unavailable } from "../../../clients/provider/answer.ts";
import type { ProviderRoute } from "../../db/schema.ts";
import { isFinal } from "../../people/plan.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import { isSameId, wasSought } from "./seen.ts";
import type { BookingState, Call, CallOutcome, RunSoFar, ShiftState } from "./state.ts";

type RouteCall = Extract<Call, { do: "assign" | "unassign" | "cancel" }>;
type PersonCall = Extract<Call, { do: "assign" | "unassign" }>;

const ROUTES = {
  assign: "assignCandidate",
  unassign: "unassignCandidate",
  cancel: "cancelShift",
} as const satisfies Record<RouteCall["do"], ProviderRoute>;

const LOOKED_UP_EACH = 5;

/**
 * Applies a 404, 405 or 501 without the contract's code to a call about a person (decisions, "a call about a person is answered as if it had no
 * route"). First, the person is looked up again. The next one is a refusal of the person if the route has worked for another person since, and
 * otherwise a fault of the route: the call is repeated, and an issue names the route.
 */
export function doubtRoute(
  draft: Draft,
  call: PersonCall,
  booking: BookingState,
  { status }: Unavailable,
  attempts: number,
): "refused" | "pending" {
  const route = ROUTES[call.do];
  const { recoveries = 0 } = draft.state.integration.routes[route] ?? {};
  // The shift may be gone, and its list shows whether the person is on it.
  draft.readAt(draft.now);
  if (booking.routeDoubt === null) {
    doubtPerson(draft, call.do, booking);
    return "pending";
  }
  // The provider may merge the person while the route is missing, and answer the same from then on.
  const isConclusive = call.do === "assign" && recoveries > booking.routeDoubt;
  if (isConclusive && wasSought(booking, call.providerCandidateId)) return "refused";
  if (!isConclusive) noteMissing(draft, route, status, call.traceId);
  // A look-up makes the call due at once, so most attempts do without, and the one that concludes waits for one.
  if (isConclusive || attempts % LOOKED_UP_EACH === 0) lookUpAgain(draft, booking);
  else noteKnown(draft, booking, call.providerCandidateId);
  return "pending";
}

/** Whether the provider says that it does not know the person: it may have merged them into another one, under a new id. */
export const isUnknownPerson = ({ status, code }: Refused): boolean =>
  status === 404 && code !== "shift_not_found" && code !== "shift_cancelled";

/**
 * Looks the person up again, once for each id, before anything is concluded from a 404 to a call about them. Returns false if that has been done, and has
 * found no other id.
 */
export function doubtUnknown(
  draft: Draft,
  call: PersonCall,
  booking: BookingState,
  refused: Refused,
): boolean {
  const { id } = booking.person;
  const isOther = id !== null && !isSameId(id, call.providerCandidateId);
  const isDone = wasSought(booking, call.providerCandidateId) && !isOther && !isLookedUp(booking);
  if (!isUnknownPerson(refused) || isDone) return false;
  doubtPerson(draft, call.do, booking, call.providerCandidateId);
  draft.readAt(draft.now);
  return true;
}

/** Looks up whether the provider knows the person by another id. */
export function doubtPerson(
  draft: Draft,
  call: PersonCall["do"],
  booking: BookingState,
  id = booking.person.id,
): void {
  doubtCall(draft, call, booking);
  lookUpAgain(draft, booking, id);
}

export function doubtCall(draft: Draft, call: PersonCall["do"], booking: BookingState): void {
  const { recoveries = 0 } = draft.state.integration.routes[ROUTES[call]] ?? {};
  if (booking.routeDoubt === null) draft.patchBooking(booking, { routeDoubt: recoveries });
}

/**
 * An id at a provider belongs to one candidate: to the one who is on the shift under it, or had it first. To the provider, the other is no one, so neither an
 * assignment nor a list is about them.
 */
export function separatePeople({ state }: Draft): void {
  for (const booking of state.bookings) {
    const { atProvider, person } = booking;
    if (person.id === null || atProvider !== "no") continue;
    if (isTaken(state, booking, person.id) || person.fault?.kind === "shared")
      Object.assign(person, { id: null, fault: { kind: "shared" } });
  }
  for (const entry of state.surroundings.listed) {
    const owner = ownerOf(state, entry.providerCandidateId);
    if (owner !== undefined) entry.candidateId = owner;
  }
}

/** Whether another candidate is on the shift under the id. */
export const isTaken = (state: ShiftState, { candidateId }: BookingState, id: string): boolean =>
  (ownerOf(state, id) ?? candidateId) !== candidateId;

const ownerOf = ({ bookings }: ShiftState, id: string): string | undefined =>
  bookings.find(
    ({ atProvider, providerCandidateId }) => atProvider !== "no" && isSameId(providerCandidateId, id),
  )?.candidateId;

/** Whether the look-up of the person is under way. */
export const isLookedUp = ({ person }: BookingState): boolean =>
  person.id === null && !(person.fault && isFinal(person.fault));

/** Notes that the person is looked up because of an id, so that it is done once for each. */
export function noteSought(draft: Draft, booking: BookingState, id: string | null): void {
  if (id !== null && !wasSought(booking, id))
    draft.patchBooking(booking, { soughtIds: [...booking.soughtIds, id] });
}

/** The provider knows the person by the id: should it later not, they are looked up again. */
export function noteKnown(draft: Draft, booking: BookingState, id: string): void {
  if (wasSought(booking, id))
    draft.patchBooking(booking, { soughtIds: booking.soughtIds.filter((each) => !isSameId(each, id)) });
}

/** The person keeps the id if the provider knows them by no other. */
export function lookUpAgain(draft: Draft, booking: BookingState, id = booking.person.id): void {
  noteSought(draft, booking, id);
  draft.push({ write: "identify", candidateId: booking.candidateId, forget: true, keep: true });
  booking.person.id = null;
}

/**
 * Applies a 404, 405 or 501 without the contract's code to the DELETE of a shift that a reading of the same run shows. The DELETE is repeated until the
 * provider has its route.
 */
export function doubtCancelRoute(draft: Draft, { unavailable, failed }: RunSoFar): void {
  const { cancellation } = draft.state;
  if (!cancellation || !failed.has(cancellation.operationId) || unavailable?.failure !== "route_missing")
    return;
  noteMissing(draft, "cancelShift", unavailable.status, cancellation.traceId);
}

function noteMissing(draft: Draft, route: ProviderRoute, status: number | undefined, traceId: string): void {
  const { routes } = draft.state.integration;
  const { since = new Date(draft.now).toISOString(), recoveries = 0 } = routes[route] ?? {};
  draft.state.integration.routes = { ...routes, [route]: { since, recoveries } };
  const params = status === undefined ? {} : { status };
  draft.push({ write: "route", route, works: false, recoveries, params, traceId });
}

/** Notes that a route that was missing works: the provider did what was asked, or refused it with a reason. */
export function noteRoute(draft: Draft, call: RouteCall, outcome: CallOutcome): void {
  if (outcome.kind !== "unavailable") noteWorking(draft, ROUTES[call.do], call.traceId);
}

/** Ends the doubt about an unassignment: the provider's list shows that the person is off the shift. */
export function settleRoute(draft: Draft, booking: BookingState): void {
  const isWanted = holdsSeat(booking) && !booking.isWithdrawn;
  if (isWanted || booking.routeDoubt === null) return;
  draft.patchBooking(booking, { routeDoubt: null });
  noteWorking(draft, "unassignCandidate", booking.traceId);
}

export function noteWorking(draft: Draft, route: ProviderRoute, traceId: string): void {
  if (draft.state.integration.routes[route]?.since === undefined) return;
  draft.push({ write: "route", route, works: true, params: {}, traceId });
}

/** Whether a call is repeated until its route works again. */
export const awaitsRoute = ({ state }: Draft): boolean =>
  state.bookings.some((booking) => booking.routeDoubt !== null && !awaitsShift(state, booking)) ||
  (state.cancellation !== undefined && state.integration.routes.cancelShift?.since !== undefined);

/** Whether the shift is not found either: its absence may explain the response, so the call waits until a reading finds it. */
export const awaitsShift = ({ shift }: ShiftState, { routeDoubt }: BookingState): boolean =>
  routeDoubt !== null && shift.belief.missingSince !== null;
