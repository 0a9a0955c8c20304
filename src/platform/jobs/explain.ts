import type {
  BookingReason,
  Explanation,
  IntegrationState,
  JobStatus,
  Outcome,
  Params,
  Reason,
  StaffingCode,
} from "../../../generated/operations/types.ts";

/** The facts that decide whether a job is staffed: counts, the provider's ids, and codes, but no personal data. */
export interface StaffingFacts {
  status: JobStatus;
  positions: number;
  isCancelling: boolean;
  integration: IntegrationState;
  isPaused: boolean;
  outlet: { id: string; name: string | null; isMapped: boolean };
  role: { id: string; name: string | null; isMapped: boolean };
  confirmed: number;
  pending: number;
  /** People assigned by the provider. */
  ownPeople: number;
  /** The last failed call for a pending booking; undefined if the last call succeeded. */
  pendingFailure: Params | undefined;
  /** People with the competence who are not booked on this job: all, those who work elsewhere at that time, and the free ones with an offer. */
  able: number;
  busy: number;
  offered: number;
  /** Bookings that lost their seat, by reason, the latest first. */
  lost: readonly { status: "released" | "failed"; reason: BookingReason | null; count: number }[];
  /** Unprocessed events of the shift, the latest first. */
  events: readonly { event: string; status: "queued" | "failed" | "dead"; verdict: Outcome | null }[];
}

/** Explains why the job is not staffed, or that it is. The most important reason is the first. */
export function explain(facts: StaffingFacts): Omit<Explanation, "jobId" | "waves"> {
  const reasons = [
    ...ended(facts),
    ...blocked(facts),
    ...(facts.status === "open" ? candidates(facts) : []),
    ...bookings(facts),
    ...events(facts),
  ];
  const { positions, confirmed, pending, ownPeople, able, busy, offered } = facts;
  const params = { positions, booked: confirmed + pending, ownPeople, free: able - busy, busy, offered };
  return { verdict: verdictOf(facts), params, reasons };
}

function verdictOf({ status, isCancelling, integration, isPaused }: StaffingFacts): StaffingCode {
  if (status === "cancelled" || status === "expired") return status;
  if (isCancelling) return "being_cancelled";
  if (status === "blocked_mapping" || status === "filled") return status;
  return integration === "active" && !isPaused ? "open" : "on_hold";
}

/** Returns reasons why nothing can or has to be done. */
function ended({ status, isCancelling, positions, confirmed, pending, ownPeople }: StaffingFacts): Reason[] {
  if (status === "cancelled" || status === "expired") return [{ code: status, params: {} }];
  if (isCancelling) return [{ code: "being_cancelled", params: {} }];
  const params = { booked: confirmed + pending, ownPeople, positions };
  const own: Reason[] = ownPeople > 0 ? [{ code: "own_people", params: { ownPeople } }] : [];
  if (status !== "filled") return own;
  const isOver = confirmed + pending + ownPeople > positions;
  return [{ code: isOver ? "overfilled" : "filled", params }, ...own];
}

function blocked({ status, integration, isPaused, outlet, role }: StaffingFacts): Reason[] {
  if (status === "cancelled" || status === "expired") return [];
  const reasons: Reason[] = [];
  const [outletName, roleName] = [outlet.name ?? undefined, role.name ?? undefined];
  if (!outlet.isMapped)
    reasons.push({
      code: "outlet_not_mapped",
      params: { outletId: outlet.id, ...(outletName && { outletName }) },
    });
  if (!role.isMapped)
    reasons.push({ code: "role_not_mapped", params: { roleId: role.id, ...(roleName && { roleName }) } });
  if (integration !== "active") reasons.push({ code: `integration_${integration}`, params: {} });
  else if (isPaused) reasons.push({ code: "integration_paused", params: {} });
  return reasons;
}

function candidates({ able, busy, offered }: StaffingFacts): Reason[] {
  if (able === 0) return [{ code: "nobody_has_competence", params: {} }];
  const free = able - busy;
  if (free === 0) return [{ code: "nobody_free", params: { busy } }];
  const reasons: Reason[] = [];
  if (offered > 0) reasons.push({ code: "not_accepted_yet", params: { offered } });
  if (free > offered) reasons.push({ code: "not_offered_yet", params: { count: free - offered } });
  if (busy > 0) reasons.push({ code: "some_not_free", params: { busy } });
  return reasons;
}

function bookings({ pending, pendingFailure = {}, lost }: StaffingFacts): Reason[] {
  const reasons: Reason[] = lost.map(({ status, reason, count }) => ({
    code: status === "failed" ? "booking_failed" : "booking_released",
    params: { count, ...(reason && { reason }) },
  }));
  if (pending === 0) return reasons;
  return [{ code: "waiting_for_provider", params: { ...pendingFailure, count: pending } }, ...reasons];
}

const EVENT_REASONS = { queued: "event_waiting", failed: "event_failed", dead: "event_dead" } as const;

function events({ events }: StaffingFacts): Reason[] {
  return events.map(({ event, status, verdict }) => ({
    code: EVENT_REASONS[status],
    params: { ...verdict?.params, event, ...(verdict && { eventVerdict: verdict.code }) },
  }));
}
