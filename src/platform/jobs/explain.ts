import type { IntegrationState, JobStatus } from "../db/schema.ts";

/** What has to do with a job being staffed or not. Counts, ids of the provider's things, codes: no personal data. */
export interface StaffingFacts {
  status: JobStatus;
  positions: number;
  isCancelling: boolean;
  integration: IntegrationState;
  outlet: { id: string; name: string | null; isMapped: boolean };
  role: { id: string; name: string | null; isMapped: boolean };
  /** Bookings that hold a seat. */
  confirmed: number;
  pending: number;
  /** The provider's last answer to a pending booking that has to be tried again. */
  pendingReason: string | undefined;
  /** People with the competence who are not booked on this job: how many, how many of them work elsewhere at that time, how many of the free ones were offered the job. */
  able: number;
  busy: number;
  offered: number;
  /** Bookings that lost their seat, by reason, the latest first. */
  lost: readonly { status: "released" | "failed"; reason: string; count: number }[];
  /** Events of the shift that are not done, the latest first. */
  events: readonly { event: string; status: "queued" | "failed" | "dead"; verdict: string | null }[];
}

export interface Reason {
  /** Never renamed. */
  code: string;
  detail: string;
  remedy?: string;
}

export interface Explanation {
  verdict: string;
  /** The most important first. */
  reasons: Reason[];
}

/** Why is the job not staffed? Or: that it is. */
export function explain(facts: StaffingFacts): Explanation {
  const reasons = [
    ...ended(facts),
    ...blocked(facts),
    ...(facts.status === "open" ? candidates(facts) : []),
    ...bookings(facts),
    ...events(facts),
  ];
  return { verdict: verdictOf(facts), reasons };
}

function verdictOf(facts: StaffingFacts): string {
  const seats = seatsOf(facts);
  if (facts.status === "cancelled") return "Cancelled: nobody is needed any more.";
  if (facts.status === "expired") return `Expired: the shift has started; ${seats} were taken.`;
  if (facts.isCancelling) return `Being cancelled: ${seats} are taken, and nobody else can accept.`;
  if (facts.status === "blocked_mapping")
    return "Blocked: it is offered once its outlet and role are mapped.";
  if (facts.status === "filled") return `Filled: ${seats} are taken.`;
  if (facts.integration !== "active") return `On hold: the integration is ${facts.integration}.`;
  return `Open: ${seats} are taken, and ${whatIsAwaited(facts)}.`;
}

const seatsOf = ({ confirmed, pending, positions }: StaffingFacts) =>
  `${confirmed + pending} of ${positions} positions`;

function whatIsAwaited({ able, busy, offered }: StaffingFacts): string {
  if (able === 0) return "nobody else has the competence";
  if (able === busy) return "nobody else is free";
  if (offered === 0) return `${able - busy} who are free were not offered it yet`;
  return `${offered} who were offered it have not accepted`;
}

/** Nothing can be done, or nothing has to be. */
function ended({ status, isCancelling, positions, confirmed, pending }: StaffingFacts): Reason[] {
  if (status === "cancelled") return [{ code: "cancelled", detail: "The shift was cancelled or deleted." }];
  if (status === "expired")
    return [{ code: "expired", detail: "The shift has started; it takes no bookings." }];
  if (isCancelling) {
    const detail = "A cancellation was asked for, and the provider has not confirmed it yet.";
    return [
      { code: "being_cancelled", detail, remedy: "Wait for the provider, or look at the open issues." },
    ];
  }
  if (status !== "filled") return [];
  const isOver = confirmed + pending > positions;
  return isOver
    ? [
        {
          code: "overfilled",
          detail: `${confirmed + pending} people are booked for ${positions} positions.`,
          remedy: "Decide who stays, and withdraw the others.",
        },
      ]
    : [{ code: "filled", detail: `All ${positions} positions are taken.` }];
}

function blocked({ status, integration, outlet, role }: StaffingFacts): Reason[] {
  if (status === "cancelled" || status === "expired") return [];
  const nameOf = ({ id, name }: { id: string; name: string | null }) => (name ? `${name} (${id})` : id);
  const reasons: Reason[] = [];
  if (!outlet.isMapped) {
    const detail = `Outlet ${nameOf(outlet)} is mapped to no workplace.`;
    reasons.push({ code: "outlet_not_mapped", detail, remedy: "Map the outlet; the job goes on by itself." });
  }
  if (!role.isMapped) {
    const detail = `Role ${nameOf(role)} is mapped to no competence.`;
    reasons.push({ code: "role_not_mapped", detail, remedy: "Map the role; the job goes on by itself." });
  }
  if (integration !== "active") {
    const detail = `The integration is ${integration}: its events wait, and its jobs take no bookings.`;
    reasons.push({ code: `integration_${integration}`, detail, remedy: "Activate the integration." });
  }
  return reasons;
}

function candidates({ able, busy, offered }: StaffingFacts): Reason[] {
  if (able === 0) {
    const detail = "Nobody else has the competence that the job asks for.";
    return [{ code: "nobody_has_competence", detail, remedy: "Add candidates with the competence." }];
  }
  const free = able - busy;
  if (free === 0) {
    const detail = `${able} more have the competence, and all of them are booked elsewhere at that time.`;
    return [{ code: "nobody_free", detail, remedy: "Add candidates, or ask the provider for other times." }];
  }
  const reasons: Reason[] = [];
  if (offered > 0) {
    const detail = `Offered to ${offered} who are free; none of them has accepted yet.`;
    reasons.push({ code: "not_accepted_yet", detail, remedy: "Wait, or talk to them." });
  }
  if (free > offered) {
    const detail = `${free - offered} who are free were not offered the job yet.`;
    const remedy = "They are offered it when the shift is read next, within an hour; they can accept now.";
    reasons.push({ code: "not_offered_yet", detail, remedy });
  }
  if (busy > 0) {
    const detail = `${able} more have the competence, but ${busy} of them are booked elsewhere at that time.`;
    reasons.push({ code: "some_not_free", detail });
  }
  return reasons;
}

function bookings({ pending, pendingReason, lost }: StaffingFacts): Reason[] {
  const reasons: Reason[] = lost.map(({ status, reason, count }) => ({
    code: status === "failed" ? "booking_failed" : "booking_released",
    detail: `${count} ${count === 1 ? "booking was" : "bookings were"} ${status}: ${reason}.`,
    ...(status === "failed" && { remedy: "Look at the open issues of the shift, then accept again." }),
  }));
  if (pending === 0) return reasons;
  const detail = `${pending} ${pending === 1 ? "booking waits" : "bookings wait"} for the provider to confirm`;
  const waiting: Reason = { code: "waiting_for_provider", detail: `${detail}.` };
  if (pendingReason === undefined) return [waiting, ...reasons];
  const remedy = "It is tried again by itself; if it lasts, ask the provider.";
  return [{ ...waiting, detail: `${detail}; its last answer: ${pendingReason}.`, remedy }, ...reasons];
}

const EVENT_REASONS = {
  queued: { code: "event_waiting" },
  failed: { code: "event_failed", remedy: "Mend the cause, then replay the event." },
  dead: { code: "event_dead", remedy: "Once the provider is well again, replay the event." },
} as const;

function events({ events }: StaffingFacts): Reason[] {
  return events.map(({ event, status, verdict }) => ({
    ...EVENT_REASONS[status],
    detail: `${event} ${status === "queued" ? "waits to be processed" : "was not processed"}${verdict ? `: ${verdict.replace(/\.$/, "")}` : ""}.`,
  }));
}
