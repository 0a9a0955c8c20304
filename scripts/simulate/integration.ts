import type { IssueCode, Subject } from "../../generated/operations/types.ts";
import { HOUR_MS } from "../../src/contract/timestamp.ts";
import type { Write } from "../../src/platform/shifts/plan/writes.ts";
import { isLive, type Store } from "./store.ts";

const PROBE_MS = 60_000;

const INTEGRATION: Subject = { kind: "integration" };

export function recordRoute(
  store: Store,
  { route, works }: Pick<Extract<Write, { write: "route" }>, "route" | "works">,
  now: number,
) {
  const { integration } = store;
  const { since, recoveries = 0 } = integration.routes[route] ?? {};
  const subject: Subject = { kind: "operation", operation: route };
  if (!works) {
    const known = { since: since ?? new Date(now).toISOString(), recoveries };
    integration.routes = { ...integration.routes, [route]: known };
    return raiseIssue(store, "route_missing", subject);
  }
  if (since === undefined) return;
  integration.routes = { ...integration.routes, [route]: { recoveries: recoveries + 1 } };
  resolveIssues(store, { codes: ["route_missing"], subject });
  store.retryNow(now);
}

export function pause(store: Store, now: number) {
  store.integration.pausedSince ??= now;
  raiseIssue(store, "token_rejected", INTEGRATION);
  startProbes(store, now);
}

function startProbes(store: Store, now: number) {
  store.markDue("probe", "", 0, now + PROBE_MS);
}

export function noteImplausible(store: Store, now: number) {
  if (store.integration.implausibleSince === null) raiseIssue(store, "provider_implausible", INTEGRATION);
  store.integration.implausibleSince ??= now;
  startProbes(store, now);
}

export function noteReachable(store: Store, now: number) {
  if (store.integration.implausibleSince === null) return;
  store.integration.implausibleSince = null;
  resolveIssues(store, { codes: ["provider_implausible"], subject: INTEGRATION });
  store.retryNow(now);
}

export function resume(store: Store, now: number) {
  if (store.integration.pausedSince === null) return;
  store.integration.pausedSince = null;
  resolveIssues(store, { codes: ["token_rejected"], subject: INTEGRATION });
  store.retryNow(now);
}

export function hold(store: Store, shiftId: string, now: number) {
  const { integration } = store;
  const isAccepted = integration.heldSince === null && (integration.absenceAcceptedUntil ?? 0) >= now;
  if (isAccepted) return void Object.assign(store.shifts.get(shiftId) ?? {}, { nextReadAt: now });
  integration.heldSince ??= now;
  raiseIssue(store, "mass_disappearance", INTEGRATION);
}

/** An operator confirms that what is missing is gone. */
export function acceptAbsence(store: Store, now: number) {
  const { integration } = store;
  for (const row of store.shifts.values()) {
    if (row.belief.missingSince === null || !isLive(store.jobs.get(row.shiftId))) continue;
    row.nextReadAt = now;
    store.markDue("shift", row.shiftId, 1, now);
  }
  if (integration.heldSince === null) return;
  Object.assign(integration, { heldSince: null, absenceAcceptedUntil: now + HOUR_MS });
  resolveIssues(store, { codes: ["mass_disappearance"], subject: INTEGRATION });
}

export function endHold(store: Store, now: number) {
  const isMissing = [...store.shifts.values()].some(
    ({ shiftId, belief }) => belief.missingSince !== null && isLive(store.jobs.get(shiftId)),
  );
  const isRemoved = store.bookings.some(({ shiftId, status, missingSince }) => {
    const job = store.jobs.get(shiftId);
    const isFuture = isLive(job) && (job?.startTime ?? 0) > now;
    return missingSince !== null && isFuture && (status === "pending" || status === "confirmed");
  });
  if (store.integration.heldSince === null || isMissing || isRemoved) return;
  store.integration.heldSince = null;
  resolveIssues(store, { codes: ["mass_disappearance"], subject: INTEGRATION });
}

export function raiseIssue(store: Store, code: IssueCode, subject: Subject) {
  if (store.hasOpenIssue(code, subject)) return;
  store.issues.push({ code, subject: JSON.stringify(subject), shiftId: subject.shiftId, isOpen: true });
}

export function resolveIssues(
  store: Store,
  { codes, subject, shiftId }: { codes?: readonly IssueCode[]; subject?: Subject; shiftId?: string },
) {
  const text = JSON.stringify(subject);
  for (const issue of store.issues) {
    const isMeant = codes ? codes.includes(issue.code) && issue.subject === text : issue.shiftId === shiftId;
    if (isMeant) issue.isOpen = false;
  }
}

/** Whether a job waits for the mapping of an outlet or a role. */
export const isAwaited = ({ jobs }: Store, { outletId, roleId }: Subject): boolean =>
  [...jobs.values()].some(
    (job) =>
      job.status === "blocked_mapping" &&
      ((job.workplaceId === null && job.outletId === outletId) ||
        (job.competenceId === null && job.roleId === roleId)),
  );
