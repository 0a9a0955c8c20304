import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/contract/timestamp.ts";
import { orMissingRoute } from "../../../../src/platform/work/witness.ts";
import {
  aBelief,
  aBooking,
  aCancellation,
  afterAbsence,
  afterCall,
  afterSeeing,
  aState,
  assign,
  cancel,
  confirmed,
  inDoubt,
  listing,
  NOW,
  notified,
  patchOf,
  planned,
  RULES,
  refusal,
  writesOf,
} from "./states.ts";

const missing = { kind: "unavailable", failure: "route_missing", status: 404, reason: "status 404" } as const;
const down = { kind: "unavailable", failure: "http_error", status: 501, reason: "status 501" } as const;
const unassign = () => ({ ...assign(), do: "unassign" }) as ReturnType<typeof assign>;

describe("a response to a call about a person", () => {
  it.each([
    [refusal(404), 404],
    [refusal(405), 405],
    [down, 501],
    [{ kind: "unassigned", unproven: true } as const, 404],
  ])("%j may be that of a gateway without the route", (response, status) => {
    expect(orMissingRoute(response)).toMatchObject({ failure: "route_missing", status });
  });

  it.each([
    refusal(404, "candidate_not_found"),
    refusal(405, "method_not_allowed"),
    refusal(409),
    { ...down, status: 503 },
    { kind: "unassigned" } as const,
  ])("%j is the provider's own", (response) => {
    expect(orMissingRoute(response)).toBe(response);
  });
});

describe("a missing route of assignments", () => {
  it("makes the platform look the person up again, who keeps the id if there is no other", () => {
    const { writes } = planned(aState({ bookings: [inDoubt()] }), afterCall(assign(), missing));
    const look = { write: "identify", candidateId: "candidate", forget: true, keep: true };
    expect(writesOf(writes, "identify")[0]).toEqual(look);
    expect(patchOf(writes)).toMatchObject({ atProvider: "no", sentAt: null, routeDoubt: 0 });
    expect([notified(writes), writesOf(writes, "route")]).toEqual([[], []]);
  });

  it("is reported by the next response, while the booking is pending", () => {
    const state = aState({ bookings: [inDoubt({ routeDoubt: 0 })], shift: { nextReadAt: null } });
    const { writes } = planned(state, afterCall(assign(), missing));
    expect(writesOf(writes, "route")).toMatchObject([
      { route: "assignCandidate", works: false, params: { status: 404 } },
    ]);
    expect(notified(writes)).toEqual([]);
    expect(patchOf(writes)).not.toHaveProperty("status");
  });

  it("has the person looked up at every fifth attempt, which makes the call due at once: the provider may merge the person meanwhile", () => {
    const lookedUpAt = Array.from({ length: 12 }, (_, index) => index + 1).filter((attempts) => {
      const state = aState({ bookings: [inDoubt({ routeDoubt: 0 })] });
      const { writes } = planned(state, { ...afterCall(assign(), missing), attempts });
      return writesOf(writes, "identify").some(({ forget, keep }) => forget && keep);
    });
    expect(lookedUpAt).toEqual([5, 10]);
  });

  it("is concluded by a call after a look-up: an older one does not show that the provider has merged the person", () => {
    const routes = { assignCandidate: { recoveries: 1 } };
    const attempt = { ...afterCall(assign(), missing), attempts: 2 };
    const missed = planned(
      aState({ bookings: [inDoubt({ routeDoubt: 1, soughtIds: ["person"] })] }),
      attempt,
    );
    expect(patchOf(missed.writes)).toMatchObject({ soughtIds: [] });
    const known = planned(
      aState({ bookings: [inDoubt({ routeDoubt: 0 })], integration: { routes } }),
      attempt,
    );
    expect(patchOf(known.writes)).toMatchObject({ soughtIds: ["person"] });
    expect(patchOf(known.writes)).not.toHaveProperty("status");
    expect(writesOf(known.writes, "identify")[0]).toMatchObject({ forget: true, keep: true });
    expect(writesOf(known.writes, "route")).toEqual([]);
  });

  it("is tried again within two minutes, also after the last attempt, and raises no other issue", () => {
    const state = aState({ bookings: [aBooking({ routeDoubt: 0 })], shift: { nextReadAt: NOW + HOUR_MS } });
    const seen = {
      ...afterSeeing(),
      unavailable: missing,
      failed: new Set(["booking"]),
      attempts: RULES.tries,
    };
    const { next } = planned(state, seen);
    expect(next).toMatchObject({ do: "rest", afterMs: 120_000, failed: missing });
    const { writes } = planned(state, { ...afterCall(assign(), missing), attempts: RULES.tries });
    expect(writesOf(writes, "issue")).toEqual([]);
  });

  it("is not repeated while the shift is not found either", () => {
    const bookings = [aBooking({ routeDoubt: 0 })];
    const run = { ...afterSeeing(), isFirst: true };
    const { reading: _, ...first } = run;
    expect(planned(aState({ bookings }), first).next.do).toBe("assign");
    const missing = planned(aState({ bookings, shift: { belief: aBelief({ missingSince: NOW }) } }), first);
    expect(missing.next).toMatchObject({ do: "rest", afterMs: HOUR_MS });
  });

  it("is a refusal of the person if the route has worked for another since", () => {
    const routes = { assignCandidate: { recoveries: 1 } };
    const sought = inDoubt({ routeDoubt: 0, soughtIds: ["person"] });
    const { writes } = planned(
      aState({ bookings: [sought], integration: { routes } }),
      afterCall(assign(), missing),
    );
    expect(patchOf(writes)).toMatchObject({
      status: "released",
      reason: "assignment_refused",
      routeDoubt: null,
    });
    expect(notified(writes)).toEqual(["booking_released"]);
  });

  it("is no refusal of a repeated call, which may have worked before: the provider's list decides", () => {
    const routes = { assignCandidate: { recoveries: 1 } };
    const state = aState({ bookings: [inDoubt({ routeDoubt: 0 })], integration: { routes } });
    const { writes, next } = planned(state, afterCall(assign(true), missing));
    expect(patchOf(writes)).not.toHaveProperty("status");
    expect(next.do).toBe("read");
  });

  it.each([{ kind: "done" } as const, refusal(409, "shift_full"), refusal(404, "candidate_not_found")])(
    "ends with %j, which proves the route",
    (outcome) => {
      const routes = { assignCandidate: { since: "2026-01-05T05:00:00.000Z", recoveries: 0 } };
      const state = aState({ bookings: [inDoubt()], integration: { routes } });
      const { writes } = planned(state, afterCall(assign(), outcome));
      expect(writesOf(writes, "route")).toMatchObject([{ route: "assignCandidate", works: true }]);
      const working = planned(aState({ bookings: [inDoubt()] }), afterCall(assign(), outcome));
      expect(writesOf(working.writes, "route")).toEqual([]);
    },
  );
});

describe("a missing route of withdrawals", () => {
  const withdrawn = (patch = {}) => confirmed({ isWithdrawn: true, atProvider: "maybe", ...patch });

  it("makes the platform look the person up again, and is reported if the provider still lists the person", () => {
    const first = planned(aState({ bookings: [withdrawn()] }), afterCall(unassign(), missing));
    expect(patchOf(first.writes)).toMatchObject({ routeDoubt: 0 });
    expect([writesOf(first.writes, "identify").length, writesOf(first.writes, "route").length]).toEqual([
      1, 0,
    ]);
    const state = aState({ bookings: [withdrawn({ routeDoubt: 0 })], surroundings: listing("person") });
    expect(planned(state, afterSeeing()).next).toMatchObject({
      do: "unassign",
      providerCandidateId: "person",
    });
    const second = planned(state, afterCall(unassign(), missing));
    expect(writesOf(second.writes, "route")).toMatchObject([{ route: "unassignCandidate", works: false }]);
    expect(writesOf(second.writes, "identify")).toEqual([]);
  });

  it("is repeated with the id that the look-up found", () => {
    const person = { id: "merged", fault: null };
    const bookings = [withdrawn({ routeDoubt: 0, person })];
    const state = aState({ bookings, surroundings: listing("person") });
    expect(planned(state, afterSeeing()).next).toMatchObject({
      do: "unassign",
      providerCandidateId: "merged",
    });
  });

  it("ends when the provider's list shows that the person is off the shift", () => {
    const routes = { unassignCandidate: { since: "2026-01-05T05:00:00.000Z", recoveries: 0 } };
    const state = aState({ bookings: [withdrawn({ routeDoubt: 0 })], integration: { routes } });
    const { writes } = planned(state, afterSeeing());
    expect(patchOf(writes)).toMatchObject({ status: "released", routeDoubt: null });
    expect(writesOf(writes, "route")).toMatchObject([{ route: "unassignCandidate", works: true }]);
  });
});

describe("a missing route of cancellations", () => {
  const cancellation = aCancellation({ sentAt: NOW });
  const since = "2026-01-05T05:00:00.000Z";
  const failed = { unavailable: missing, failed: new Set(["operation"]) };

  it("makes the platform read the shift, which may be gone", () => {
    const { writes, next } = planned(aState({ cancellation }), { ...afterCall(cancel, missing), ...failed });
    expect(next.do).toBe("read");
    expect(writesOf(writes, "route")).toEqual([]);
  });

  it("is reported if the shift is still there, and the cancellation is pending", () => {
    const run = { ...afterSeeing(), ...failed };
    const { writes, next } = planned(aState({ cancellation }), run);
    expect(writesOf(writes, "route")).toMatchObject([{ route: "cancelShift", works: false }]);
    expect(next).toMatchObject({ do: "rest", afterMs: 120_000, failed: missing });
  });

  it.each([["operation"], []])("is not reported after another failure, with %j failed", (...ids) => {
    const run = { ...afterSeeing(), unavailable: down, failed: new Set(ids) };
    expect(writesOf(planned(aState({ cancellation }), run).writes, "route")).toEqual([]);
  });

  it.each([{ kind: "done" } as const, refusal(409)])("ends with %j, which proves the route", (outcome) => {
    const state = aState({
      cancellation,
      integration: { routes: { cancelShift: { since, recoveries: 0 } } },
    });
    const { writes } = planned(state, afterCall(cancel, outcome));
    expect(writesOf(writes, "route")).toMatchObject([{ route: "cancelShift", works: true }]);
  });

  it("ends when the shift is gone after all", () => {
    const state = aState({
      cancellation,
      integration: { routes: { cancelShift: { since, recoveries: 0 } } },
    });
    const { writes } = planned(state, afterAbsence({ code: "shift_not_found", final: true }));
    expect(writesOf(writes, "route")).toMatchObject([{ route: "cancelShift", works: true }]);
  });
});
