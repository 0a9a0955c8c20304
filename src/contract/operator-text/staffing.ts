import type {
  Explanation,
  OfferWaves,
  Params,
  Reason,
  StaffingCode,
  StaffingReasonCode,
} from "../../../generated/operations/types.ts";
import { bookingReasonText, outcomeText } from "./outcome.ts";
import { after, agreeing, capitalised, counted, entryOf, namedThing, people } from "./phrases.ts";
import { failureSuffix, knownFailure } from "./status.ts";

/** Explains in two sentences in which order candidates are asked. */
export const offerOrderText = ({ size, pauseMinutes }: OfferWaves): string =>
  `Offers go out to ${counted(size, "candidate")} at a time, ${counted(pauseMinutes, "minute")} after the last mail of the wave before or once all of that wave have declined, and to all who are left 12 hours before the start. ` +
  "Those who have worked at this workplace are asked first, then those who have worked with this competence, then those who have been without a shift longest, and a lot decides among equals.";

const VERDICTS = {
  cancelled: () => "The job is cancelled.",
  expired: (params) => `The shift has started${after(" with ", seatsText(params))}.`,
  being_cancelled: () => "The job is being cancelled and takes no bookings.",
  blocked_mapping: () => "The job is offered once its outlet and its role are mapped.",
  filled: (params) => `The job is filled${after(": ", seatsText(params))}.`,
  on_hold: (params) => `The job is on hold${after(": ", seatsText(params))}.`,
  open: (params) =>
    `The job is open${after(": ", seatsText(params))}${after(", and ", awaitedText(params))}.`,
} satisfies Record<StaffingCode, (params: Params) => string>;

/** How far a job is staffed, in one sentence. */
export function staffingText({ verdict, params }: Pick<Explanation, "verdict" | "params">): string {
  return entryOf<(params: Params) => string>(VERDICTS, verdict)?.(params) ?? verdict;
}

/** `2 of 3 positions taken`; undefined where the params hold no counts. */
function seatsText({ booked, ownPeople = 0, positions }: Params): string | undefined {
  if (booked === undefined) return undefined;
  const taken = booked + ownPeople;
  const own = ownPeople === 0 ? "" : `, ${ownPeople} by the provider's own people`;
  return `${positions === undefined ? "" : `${taken} of `}${counted(positions ?? taken, "position")} taken${own}`;
}

function awaitedText({ free, offered = 0 }: Params): string | undefined {
  if (free === undefined) return undefined;
  if (free === 0) return "no other candidate is available";
  if (offered === 0)
    return `${counted(free, "available candidate")} ${agreeing(free, "has", "have")} no offer yet`;
  return `${counted(offered, "candidate")} with an offer ${agreeing(offered, "has", "have")} not accepted`;
}

export interface StaffingReasonText {
  detail: string;
  /** What an operator can do; absent where nothing needs doing. */
  remedy?: string;
}

const REASONS = {
  cancelled: ({ reason }) => ({
    detail: `The job is cancelled${after(": ", reason && bookingReasonText(reason))}.`,
  }),
  expired: () => ({ detail: "The shift has started. It takes no bookings." }),
  being_cancelled: (params) => ({
    detail: `The provider has not confirmed the cancellation yet${failureSuffix(params)}.`,
    remedy: "Wait for the provider, or check the open issues.",
  }),
  overfilled: (params) => ({
    detail: `${capitalised(overfilledText(params))}.`,
    remedy: "Decide who stays, and withdraw the others.",
  }),
  filled: ({ positions }) => ({ detail: `${everyText(positions, "position")} taken.` }),
  own_people: ({ ownPeople }) => ({
    detail: `The provider assigned ${people(ownPeople)} itself. The platform never removes them.`,
  }),
  outlet_not_mapped: ({ outletId, outletName }) => ({
    detail: `${capitalised(namedThing("outlet", outletId, outletName))} is not mapped to a workplace.`,
    remedy: "Map the outlet. The job continues automatically.",
  }),
  role_not_mapped: ({ roleId, roleName }) => ({
    detail: `${capitalised(namedThing("role", roleId, roleName))} is not mapped to a competence.`,
    remedy: "Map the role. The job continues automatically.",
  }),
  integration_draft: () => ({
    detail: "The integration is a draft. Its events wait, and its jobs take no bookings.",
    remedy: "Activate the integration.",
  }),
  integration_suspended: () => ({
    detail: "The integration is suspended. Its events wait, and its jobs take no bookings.",
    remedy: "Activate the integration.",
  }),
  integration_paused: (params) => ({
    detail: `Calls to the provider are paused${failureSuffix(params)}.`,
    remedy: "Check the health of the integration. Work resumes automatically.",
  }),
  nobody_has_competence: () => ({
    detail: "No other candidate has the competence.",
    remedy: "Add candidates with the competence.",
  }),
  nobody_free: ({ busy }) => ({
    detail: `${everyText(busy, "other candidate with the competence", "other candidates with the competence")} booked elsewhere at that time.`,
    remedy: "Add candidates, or ask the provider for other times.",
  }),
  not_accepted_yet: ({ offered }) => ({
    detail: `${capitalised(counted(offered, "candidate"))} with an offer ${agreeing(offered, "has", "have")} not accepted yet.`,
    remedy: "Wait, or contact them.",
  }),
  not_offered_yet: (params) => ({
    detail: `${capitalised(withoutOfferText(params))} no offer yet.`,
    remedy:
      "Wait for the next wave of offers, or the next read of the shift within an hour, or accept for one of them.",
  }),
  some_not_free: ({ busy }) => ({
    detail: `${capitalised(counted(busy, "candidate"))} with the competence ${agreeing(busy, "is", "are")} booked elsewhere at that time.`,
  }),
  booking_failed: (params) => ({
    detail: `${lostText("failed", params)}.`,
    remedy: "Check the open issues of the shift, then accept again.",
  }),
  booking_released: (params) => ({ detail: `${lostText("released", params)}.` }),
  waiting_for_provider: (params) => waitingText(params),
  event_waiting: (params) => ({ detail: eventText("is waiting to be processed", params) }),
  event_failed: (params) => ({
    detail: eventText("could not be processed", params),
    remedy: "Fix the cause, then replay the event.",
  }),
  event_dead: (params) => ({
    detail: eventText("could not be processed", params),
    remedy:
      "Wait for the next read of the shift, within an hour, or replay the event once the provider responds.",
  }),
} satisfies Record<StaffingReasonCode, (params: Params) => StaffingReasonText>;

/** One reason why a job is staffed or not, with what to do. */
export function staffingReasonText({ code, params }: Reason): StaffingReasonText {
  return entryOf<(params: Params) => StaffingReasonText>(REASONS, code)?.(params) ?? { detail: code };
}

/** `3 people are on the shift for 2 positions`. */
export function overfilledText({ booked, ownPeople = 0, positions }: Params): string {
  const taken = booked === undefined ? undefined : booked + ownPeople;
  const on = `${taken === undefined ? "more people" : people(taken)} ${agreeing(taken, "is", "are")} on the shift`;
  return `${on} ${taken === undefined ? "than there are positions" : `for ${counted(positions, "position")}`}`;
}

/** `All 2 positions are`, `The only position is`, `Every position is`. */
function everyText(count: number | undefined, one: string, many = `${one}s`): string {
  if (count === undefined) return `Every ${one} is`;
  return count === 1 ? `The only ${one} is` : `All ${count} ${many} are`;
}

function withoutOfferText({ free, offered = 0, count }: Params): string {
  const without = count ?? (free === undefined ? undefined : free - offered);
  return `${counted(without, "available candidate")} ${agreeing(without, "has", "have")}`;
}

function lostText(end: "failed" | "released", { count, reason, ...params }: Params): string {
  const verb = end === "failed" ? "failed" : `${agreeing(count, "was", "were")} released`;
  return `${capitalised(counted(count, "booking"))} ${verb}${after(": ", reason && bookingReasonText(reason, params))}`;
}

function waitingText({ count, ...params }: Params): StaffingReasonText {
  const wait = `${counted(count, "booking")} ${agreeing(count, "waits", "wait")}`;
  const failure = knownFailure(params);
  const detail = `${capitalised(wait)} for the provider to confirm${after("; last attempt: ", failure)}.`;
  if (failure === undefined) return { detail };
  return { detail, remedy: "Wait for the next attempt, and ask the provider if this lasts." };
}

function eventText(state: string, { event = "An event", eventVerdict, ...params }: Params): string {
  const verdict = eventVerdict && outcomeText({ code: eventVerdict, params });
  return `${event} ${state}.${after(" Last outcome: ", verdict && `${verdict}.`)}`;
}
