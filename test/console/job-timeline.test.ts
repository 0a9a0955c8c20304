import { describe, expect, it } from "vitest";
import type {
  Booking,
  Event,
  Job,
  Outcome,
  Params,
  StepName,
  Trace,
  TraceStep,
} from "../../generated/operations/types.ts";
import { takenSeats, toneOf } from "../../src/console/job/job.ts";
import { furtherTraceIds, timelineOf, traceIdsOf } from "../../src/console/job/timeline-section.tsx";

const SHIFT = "shift 1";
const at = (ms: number) => new Date(Date.UTC(2026, 10, 21) + ms).toISOString();
const outcome = (code: Outcome["code"], params: Params = {}): Outcome => ({ code, params });
const step = (ms: number, name: StepName, verdict: Outcome, rest: Partial<TraceStep> = {}): TraceStep => ({
  at: at(ms),
  step: name,
  verdict,
  shiftId: SHIFT,
  ...rest,
});
const event = (traceId: string, name: string) =>
  ({ traceId, event: name, eventId: `event of ${traceId}` }) as Event;

const own: Trace = {
  traceId: "own",
  steps: [
    step(0, "webhook", outcome("stored", { event: "shift.create" })),
    step(50, "fetch", outcome("shift_read", { variant: "a" }), { durationMs: 12 }),
    step(50, "job", outcome("job_created", { jobStatus: "open" })),
    step(900, "change", outcome("change_requested", { traceId: "changed" })),
    step(70_950, "cancel", outcome("cancellation_confirmed"), { durationMs: 40 }),
  ],
};
const echo: Trace = {
  traceId: "echo",
  steps: [
    step(70_940, "webhook", outcome("stored", { event: "shift.delete" })),
    step(70_960, "event", outcome("echo_of_delete")),
  ],
};
const EVENTS = [event("echo", "shift.delete"), event("own", "shift.create")];

describe("the traces of a job", () => {
  it("are its own, those of its bookings, and those of its events, each once", () => {
    const job = { traceId: "own", bookings: [{ traceId: "own" }, { traceId: "booked" }] } as Job;
    expect(traceIdsOf(job, EVENTS)).toEqual(["own", "booked", "echo"]);
  });

  it("include those that a step refers to", () => {
    expect(furtherTraceIds([own, echo])).toEqual(["changed"]);
    expect(furtherTraceIds([own, { traceId: "changed", steps: [] }])).toEqual([]);
  });
});

describe("the timeline", () => {
  const { entries, traces, longestMs } = timelineOf([echo, own], EVENTS, SHIFT);

  it("has the steps of all traces in order of time, each with the number of its trace", () => {
    expect(entries.map(({ trace, step: { verdict } }) => `${trace.number} ${verdict.code}`)).toEqual([
      "1 stored",
      "1 shift_read",
      "1 job_created",
      "1 change_requested",
      "2 stored",
      "1 cancellation_confirmed",
      "2 echo_of_delete",
    ]);
    expect(traces).toEqual([
      { number: 1, traceId: "own", name: "shift.create", eventId: "event of own" },
      { number: 2, traceId: "echo", name: "shift.delete", eventId: "event of echo" },
    ]);
  });

  it("names a trace without an event after its first step", () => {
    const changed = { traceId: "changed", steps: [step(0, "change", outcome("change_requested"))] };
    expect(timelineOf([changed], EVENTS, SHIFT).traces).toEqual([
      { number: 1, traceId: "changed", name: "Change requested" },
    ]);
  });

  it("has the time since the start, long pauses, and the scale of the bars", () => {
    expect(entries.map(({ sinceMs }) => sinceMs)).toEqual([0, 50, 50, 900, 70_940, 70_950, 70_960]);
    expect(entries.flatMap(({ pauseMs }) => pauseMs ?? [])).toEqual([70_040]);
    expect(longestMs).toBe(40);
  });

  it("omits other shifts with the same traceId", () => {
    const other = step(60, "job", outcome("job_created", { jobStatus: "open" }), { shiftId: "shift 2" });
    const mixed = { traceId: "own", steps: [...own.steps, other] };
    expect(timelineOf([mixed], EVENTS, SHIFT).entries).toHaveLength(own.steps.length);
  });

  it("is empty when no step is kept", () => {
    expect(timelineOf([{ traceId: "own", steps: [] }], [], SHIFT)).toEqual({
      entries: [],
      traces: [],
      longestMs: 0,
    });
  });
});

describe("the tone of an outcome", () => {
  it.each([
    [outcome("echo_of_delete"), "echo"],
    [outcome("assigned"), "good"],
    [outcome("will_retry"), "warn"],
    [outcome("cancellation_refused"), "bad"],
    [outcome("seat_reserved"), "plain"],
    [outcome("job_updated", { jobStatus: "filled" }), "good"],
    [outcome("job_created", { jobStatus: "blocked_mapping" }), "warn"],
    [outcome("code_of_tomorrow" as Outcome["code"]), "plain"],
    [outcome("toString" as Outcome["code"]), "plain"],
  ])("of %j is %s", (verdict, tone) => {
    expect(toneOf(verdict)).toBe(tone);
  });
});

it("counts the bookings that hold a seat and the provider's own people as taken positions", () => {
  const bookings = (["pending", "confirmed", "released", "failed"] as const).map(
    (status) => ({ status }) as Booking,
  );
  expect(takenSeats({ bookings, ownPeopleCount: 3 })).toEqual({ taken: 5, booked: 2, own: 3 });
});
