import { describe, expect, it } from "vitest";
import type { Event, Job, Trace, TraceStep } from "../../generated/operations/types.ts";
import { furtherStories, storiesOf, timelineOf } from "../../src/console/job/story/timeline.ts";

const SHIFT = "shift 1";
const at = (ms: number) => new Date(Date.UTC(2026, 10, 21) + ms).toISOString();
const step = (ms: number, name: string, verdict: string, rest: Partial<TraceStep> = {}): TraceStep => ({
  ...{ at: at(ms), step: name, verdict, shiftId: SHIFT },
  ...rest,
});
const event = (traceId: string, name: string) =>
  ({ traceId, event: name, eventId: `event of ${traceId}` }) as Event;

const own: Trace = {
  traceId: "own",
  steps: [
    step(0, "webhook", "shift.create stored"),
    step(50, "fetch", "shift read (variant a)", { durationMs: 12 }),
    step(50, "job", "job created: open"),
    step(900, "change", "change requested", { detail: { traceId: "changed" } }),
    step(70_950, "cancel", "provider confirmed the cancellation", { durationMs: 40 }),
  ],
};
const echo: Trace = {
  traceId: "echo",
  steps: [
    step(70_940, "webhook", "shift.delete stored"),
    step(70_960, "event", "skipped: echo of our DELETE"),
  ],
};
const EVENTS = [event("echo", "shift.delete"), event("own", "shift.create")];

describe("the stories of a job", () => {
  it("are its own, its bookings' and its events', each once", () => {
    const job = { traceId: "own", bookings: [{ traceId: "own" }, { traceId: "booked" }] } as Job;
    expect(storiesOf(job, EVENTS)).toEqual(["own", "booked", "echo"]);
  });

  it("are those of changes too, which a step names", () => {
    expect(furtherStories([own, echo])).toEqual(["changed"]);
    expect(furtherStories([own, { traceId: "changed", steps: [] }])).toEqual([]);
  });
});

describe("the timeline", () => {
  const { entries, stories, longestMs } = timelineOf([echo, own], EVENTS, SHIFT);

  it("has the steps of all stories in order of time, each with the mark of its story", () => {
    expect(entries.map(({ story, step: { verdict } }) => `${story.number} ${verdict}`)).toEqual([
      "1 shift.create stored",
      "1 shift read (variant a)",
      "1 job created: open",
      "1 change requested",
      "2 shift.delete stored",
      "1 provider confirmed the cancellation",
      "2 skipped: echo of our DELETE",
    ]);
    expect(stories).toEqual([
      { number: 1, traceId: "own", name: "shift.create", eventId: "event of own" },
      { number: 2, traceId: "echo", name: "shift.delete", eventId: "event of echo" },
    ]);
  });

  it("tells the time since the start, long pauses, and the scale of the bars", () => {
    expect(entries.map(({ sinceMs }) => sinceMs)).toEqual([0, 50, 50, 900, 70_940, 70_950, 70_960]);
    expect(entries.flatMap(({ pauseMs }) => pauseMs ?? [])).toEqual([70_040]);
    expect(longestMs).toBe(40);
  });

  it("highlights what was skipped as an echo, and what went wrong", () => {
    expect(entries.at(-1)?.tone).toBe("echo");
    const toneOf = (name: string, verdict: string) =>
      timelineOf([{ traceId: "t", steps: [step(0, name, verdict)] }], [], SHIFT).entries[0]?.tone;
    expect(toneOf("assign", "provider confirmed")).toBe("good");
    expect(toneOf("assign", "will be tried again: status 503")).toBe("warn");
    expect(toneOf("cancel", "provider kept the shift: status 409")).toBe("bad");
    expect(toneOf("booking", "seat reserved")).toBe("plain");
  });

  it("leaves out other shifts that a provider gave the same traceId", () => {
    const mixed = {
      traceId: "own",
      steps: [...own.steps, step(60, "job", "job created: open", { shiftId: "shift 2" })],
    };
    expect(timelineOf([mixed], EVENTS, SHIFT).entries).toHaveLength(own.steps.length);
  });

  it("is empty when nothing is kept any more", () => {
    expect(timelineOf([{ traceId: "own", steps: [] }], [], SHIFT)).toEqual({
      entries: [],
      stories: [],
      longestMs: 0,
    });
  });
});
