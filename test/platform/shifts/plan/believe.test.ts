import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TIMING } from "../../../../src/clients/retry-policy.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../../src/contract/timestamp.ts";
import {
  type Belief,
  believe,
  called,
  GONE,
  isSettled,
  NO_BELIEF,
  noticed,
  type Version,
} from "../../../../src/platform/shifts/plan/believe.ts";
import { seenIn } from "../../../../src/platform/shifts/plan/seen.ts";
import { fromStored, toStored } from "../../../../src/platform/shifts/stored.ts";
import { lagOf } from "../../../../src/platform/work/ladder.ts";
import {
  aBelief,
  afterSeeing,
  anEvent,
  aShift,
  aState,
  beliefOf,
  confirmed,
  listing,
  NOW,
  planned,
} from "./states.ts";

const LADDER = TIMING.ladderMs;
const LAG = lagOf(LADDER);
const ago = (seconds: number) => NOW - seconds * SECOND_MS;

/** Version `one`, as it has been for an hour. */
const one = (patch: Partial<Belief> = {}): Belief => ({
  ...NO_BELIEF,
  version: "one",
  shown: "one",
  since: NOW - HOUR_MS,
  isConfirmed: true,
  ...patch,
});

/** What one, then, after a webhook and its reading so many seconds ago, version `two` makes. */
const two = (seconds: number) =>
  believe(noticed(one(), ago(seconds) - 50, LADDER), seen("two"), ago(seconds), LADDER).belief;

/** After it was gone, a webhook and a reading three seconds ago have shown version `two`. */
const back = () =>
  believe(noticed(one({ version: GONE }), ago(3), LADDER), seen("two"), ago(2.9), LADDER).belief;

/** The platform has set two positions three seconds ago. */
const resized = () => called(one(), ago(3), seen("two"), { positions: 2 });

const seen = (
  version: Version,
  rest: { shown?: string; isAnnounced?: boolean; showsSent?: boolean; values?: { positions: number } } = {},
) => ({
  version,
  shown: version,
  ...rest,
});

/** What a reading now makes of it: the verdict, what is believed, and in how many seconds the next reading is. */
function read(belief: Belief, what: ReturnType<typeof seen>) {
  const { verdict, belief: after, nextReadAt } = believe(belief, what, NOW, LADDER);
  const next = nextReadAt === undefined ? undefined : (nextReadAt - NOW) / SECOND_MS;
  return [verdict, after.version, next, isSettled(after, NOW, LAG) ? "settled" : "unsettled"];
}

const notice = (belief: Belief, seconds: number) => noticed(belief, ago(seconds), LADDER);

describe("a reading", () => {
  it.each<[shows: string, belief: Belief, what: ReturnType<typeof seen>, then: ReturnType<typeof read>]>([
    ["anything, the first time", NO_BELIEF, seen("one"), ["new", "one", undefined, "settled"]],
    ["what is believed", one(), seen("one"), ["confirmed", "one", undefined, "settled"]],
    [
      "what is believed, and a change was announced",
      notice(one(), 0.1),
      seen("one"),
      ["confirmed", "one", 0.9, "settled"],
    ],
    ["the same after the first rung", notice(one(), 1), seen("one"), ["confirmed", "one", 4, "settled"]],
    [
      "the same after the last rung",
      notice(one(), 120),
      seen("one"),
      ["confirmed", "one", undefined, "settled"],
    ],
    [
      "other people, and a change was announced",
      notice(one(), 0.1),
      seen("one", { shown: "people" }),
      ["confirmed", "one", 0.9, "settled"],
    ],
    ["something new that no one announced", one(), seen("two"), ["new", "two", undefined, "settled"]],
    ["what was announced", notice(one(), 0.1), seen("two"), ["new", "two", undefined, "settled"]],
    [
      "the first of two changes announced within two minutes",
      notice(notice(one(), 60), 0.1),
      seen("two"),
      ["new", "two", 0.9, "unsettled"],
    ],
    [
      "something new, shortly after something else that was new: a replica may lag behind what failed readings hid",
      notice(one({ since: ago(1), basis: ago(900) }), 0.1),
      seen("two"),
      ["new", "two", 1, "unsettled"],
    ],
    [
      "a change announced shortly after the last reading for an earlier one",
      notice(one({ notices: [ago(124)] }), 0.1),
      seen("two"),
      ["new", "two", 0.9, "unsettled"],
    ],
    [
      "a change announced longer after an earlier one",
      notice(one({ notices: [ago(126)] }), 0.1),
      seen("two"),
      ["new", "two", undefined, "settled"],
    ],
    [
      "what is believed, while a call that was given up may take effect",
      one({ doubtedAt: ago(30) }),
      seen("one"),
      ["confirmed", "one", 90, "settled"],
    ],
    ["the same later", one({ doubtedAt: ago(120) }), seen("one"), ["confirmed", "one", undefined, "settled"]],
    ["it once more", notice(notice(two(60), 60), 0.1), seen("two"), ["confirmed", "two", 0.9, "unsettled"]],
    ["an older version, order unknown", two(3), seen("one"), ["kept", "two", 2, "unsettled"]],
    [
      "an older version, and a change was announced",
      notice(two(3), 0.1),
      seen("one"),
      ["new", "one", 1, "unsettled"],
    ],
    ["what a call replaced", called(one(), ago(3), seen("two")), seen("one"), ["kept", "two", 2, "settled"]],
    [
      "what a call replaced, with its echo",
      notice(called(one(), ago(3), seen("two")), 1),
      seen("one"),
      ["kept", "two", 4, "settled"],
    ],
    [
      "what a call replaced two minutes ago",
      called(one(), ago(120), seen("two")),
      seen("one"),
      ["new", "one", undefined, "settled"],
    ],
    [
      "what followed a call",
      called(one(), ago(3), seen("two")),
      seen("three"),
      ["new", "three", undefined, "settled"],
    ],
    [
      "what was before, although a change was announced, once a call has shown that nothing is to change",
      notice(called(two(3), ago(2), seen("two")), 1),
      seen("one"),
      ["kept", "two", 4, "settled"],
    ],
    [
      "the same, although another change was announced: the call may have replaced it",
      notice(notice(called(two(3), ago(2), seen("two")), 1), 0.5),
      seen("one"),
      ["kept", "two", 0.5, "settled"],
    ],
    ["nothing, unannounced", one(), seen(GONE), ["kept", "one", 1, "settled"]],
    [
      "nothing, for half a minute",
      one({ missingSince: ago(30) }),
      seen(GONE),
      ["kept", "one", 90, "settled"],
    ],
    [
      "nothing, for two minutes",
      one({ missingSince: ago(120) }),
      seen(GONE),
      ["new", GONE, undefined, "settled"],
    ],
    [
      "that it is cancelled, as announced, in a burst",
      notice(notice(one(), 60), 0.1),
      seen("cancelled", { isAnnounced: true }),
      ["new", "cancelled", 0.9, "settled"],
    ],
    [
      "nothing, as announced",
      notice(one(), 0.1),
      seen(GONE, { isAnnounced: true }),
      ["new", GONE, undefined, "settled"],
    ],
    [
      "what was there, after the platform's DELETE",
      called(one(), ago(3), seen(GONE)),
      seen("one"),
      ["kept", GONE, 2, "settled"],
    ],
    [
      "what was never there, shortly after the DELETE",
      called(one(), ago(3), seen(GONE)),
      seen("two"),
      ["kept", GONE, 2, "settled"],
    ],
    [
      "what was there, two minutes after the DELETE",
      called(one(), ago(120), seen(GONE)),
      seen("one"),
      ["new", "one", undefined, "settled"],
    ],
    [
      "nothing, after the platform's DELETE, while a webhook announced the shift",
      notice(called(one(), ago(900), seen(GONE)), 0.1),
      seen(GONE),
      ["confirmed", GONE, 0.9, "settled"],
    ],
    [
      "what was gone, and a change was announced: it may be older than that",
      notice(one({ version: GONE }), 0.1),
      seen("one"),
      ["new", "one", 0.9, "unsettled"],
    ],
    ["the same once more", back(), seen("two"), ["confirmed", "two", 2, "settled"]],
    [
      "something else, after it was back: either may be the older one",
      back(),
      seen("three"),
      ["new", "three", 2, "settled"],
    ],
    [
      "other values than a call has just set",
      resized(),
      seen("three", { values: { positions: 3 } }),
      ["kept", "two", 2, "settled"],
    ],
    [
      "other values than a call has just set, which a later call asks for",
      resized(),
      seen("three", { values: { positions: 3 }, showsSent: true }),
      ["new", "three", undefined, "settled"],
    ],
    [
      "the values before a call, which a later call asks for",
      resized(),
      seen("one", { values: { positions: 1 }, showsSent: true }),
      ["kept", "two", 2, "settled"],
    ],
    [
      "nothing once more, by a response that leaves no doubt, after it was back: either may be the older one",
      back(),
      seen(GONE, { isAnnounced: true }),
      ["new", GONE, 1, "settled"],
    ],
    [
      "that it is cancelled, shortly after it was gone",
      called(one(), ago(3), seen(GONE)),
      seen("cancelled"),
      ["new", "cancelled", undefined, "settled"],
    ],
  ])("that shows %s", (_, belief, what, then) => {
    expect(read(belief, what)).toEqual(then);
  });
});

describe("a list of people, after a webhook", () => {
  const event = anEvent("shift.update");
  const shift = (ids: readonly string[]) =>
    aShift({ assigned: ids.map((id) => ({ providerCandidateId: id, personalNumber: undefined })) });

  it.each<[list: string, ids: string[], expected: number, before?: string[]]>([
    ["of the provider's own people that differs shows what it announced", ["own", "new"], 0],
    ["that is the same shows nothing of it", ["own"], 1],
    ["that differs by whom the platform has assigned shows nothing of it", ["own", "person"], 1],
    ["that is empty shows nothing of it", [], 1],
    ["that follows an empty one shows nothing of it", ["new"], 1, []],
  ])("%s", (_, ids, expected, before = ["own"]) => {
    const belief = aBelief({ shown: seenIn(shift(before), before).shown });
    const state = aState({
      events: [event],
      bookings: [confirmed()],
      shift: { belief },
      surroundings: listing(...ids),
    });
    const { writes } = planned(state, afterSeeing(shift(ids), { covers: [event.eventId] }));
    expect(beliefOf(writes)).toMatchObject({ expected });
  });

  it("shows nothing of it if only the look-up has: a stranger on the last list is the booked person under a new id", () => {
    const belief = aBelief({ shown: seenIn(shift(["new", "own"]), ["new", "own"]).shown });
    const listed = [{ providerCandidateId: "new", candidateId: "candidate" }, { providerCandidateId: "own" }];
    const bookings = [confirmed({ person: { id: "new", fault: null } })];
    const state = aState({ events: [event], bookings, shift: { belief }, surroundings: { listed } });
    const { writes } = planned(state, afterSeeing(shift(["new", "own"]), { covers: [event.eventId] }));
    expect(beliefOf(writes)).toMatchObject({ expected: 1 });
  });
});

describe("a webhook", () => {
  it("is still to be shown after an earlier one that no reading has covered since, however old that is", () => {
    expect(read(notice(notice(one(), 600), 0.1), seen("two"))).toEqual(["new", "two", 0.9, "unsettled"]);
  });
});

describe("a change of the platform", () => {
  it("has the next webhook within two minutes count as its echo, once", () => {
    const belief = called(one(), ago(3), seen("two"));
    expect(notice(belief, 1).expected).toBe(0);
    expect(notice(notice(belief, 1), 0.5).expected).toBe(1);
    expect(noticed(belief, ago(3) + LAG, LADDER).expected).toBe(1);
  });
});

describe("a stored belief", () => {
  it("is the same when it is loaded, however the clock was set since", () => {
    const belief = notice(called(two(30), ago(20), seen("three")), 10);
    const stored = JSON.parse(JSON.stringify(toStored(belief, NOW)));
    const { missingSince: _, ...rest } = belief;
    expect(fromStored(stored, NOW)).toEqual({ ...rest, missingSince: null });
    expect(fromStored(stored, NOW - DAY_MS)).toMatchObject({
      since: belief.since - DAY_MS,
      expected: belief.expected,
    });
  });

  it("has only what is unusual", () => {
    expect(Object.keys(toStored(one(), NOW))).toEqual(["version", "since", "isConfirmed", "shown"]);
  });
});

/** A provider whose manager edits one shift, with replicas that lag. Seconds. */
interface History {
  lag: number;
  replicas: number;
  /** How far apart the edits are, and whether each goes back to an earlier version. */
  edits: { gap: number; back: number | undefined }[];
  /** Which replica answers each reading. */
  answers: number[];
}

const histories = (maxGap: number): fc.Arbitrary<History> =>
  fc.record({
    lag: fc.constantFrom(0, 0.5, 3, 20),
    replicas: fc.constantFrom(1, 3),
    edits: fc.array(
      fc.record({
        gap: fc.integer({ min: 2, max: maxGap * 10 }).map((tenths) => tenths / 10),
        back: fc.option(fc.nat(5), { nil: undefined, freq: 3 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    answers: fc.array(fc.nat(2), { minLength: 60, maxLength: 60 }),
  });

/** Plays it, with a webhook for each edit. Returns what is believed when nothing more is planned, and how late the last edit was believed for good. */
function play({ lag, replicas, edits, answers }: History) {
  const versions: { at: number; version: string }[] = [{ at: 0, version: "0" }];
  let at = 1_000;
  for (const [nth, { gap, back }] of edits.entries()) {
    at += gap;
    const earlier = back === undefined ? undefined : versions[back % versions.length]?.version;
    const version = earlier === undefined || earlier === versions.at(-1)?.version ? `${nth + 1}` : earlier;
    versions.push({ at, version });
  }
  const lags = replicas === 1 ? [lag] : [0, lag / 2, lag];
  const readAt = (time: number, nth: number) =>
    versions.findLast((each) => each.at <= time - (lags[(answers[nth] ?? 0) % lags.length] ?? 0))?.version ??
    "0";
  let belief: Belief = { ...NO_BELIEF, version: "0", shown: "0", isConfirmed: true };
  let [next, reads, rightSince] = [undefined as number | undefined, 0, undefined as number | undefined];
  const last = versions.at(-1);
  const todo = versions.slice(1);
  while (todo.length > 0 || next !== undefined) {
    const edit = todo[0];
    const isEdit = edit !== undefined && (next === undefined || edit.at <= next);
    const now = isEdit ? edit.at : (next ?? 0);
    if (isEdit) {
      todo.shift();
      belief = noticed(belief, now * SECOND_MS, LADDER);
    }
    const time = now + 0.05;
    const read = believe(belief, seen(readAt(time, reads)), time * SECOND_MS, LADDER);
    reads += 1;
    belief = read.belief;
    next = read.nextReadAt === undefined ? undefined : read.nextReadAt / SECOND_MS;
    const isRight = todo.length === 0 && belief.version === last?.version;
    rightSince = isRight ? (rightSince ?? time) : undefined;
  }
  const lateBy = (rightSince ?? Number.POSITIVE_INFINITY) - ((last?.at ?? 0) + Math.max(...lags));
  return { lateBy, reads };
}

describe("what is believed about a shift whose provider sends a webhook for each edit", () => {
  it.each([
    ["seconds", 5],
    ["minutes", 300],
  ])("is right in the end, within the ladder, when edits come %s apart", (_, maxGap) => {
    fc.assert(
      fc.property(histories(maxGap), (history) => {
        expect(play(history).lateBy).toBeLessThanOrEqual(LAG / SECOND_MS + 1);
      }),
      { numRuns: 3_000 },
    );
  });

  it("is right at the next rung when one replica answers all readings", () => {
    fc.assert(
      fc.property(histories(5), (history) => {
        // The rung that follows is at most as far away as the one before.
        const rungs = LADDER.map((ms) => ms / SECOND_MS);
        const { lag } = history;
        const { lateBy } = play({ ...history, replicas: 1 });
        const rung = rungs.find((each) => each >= lag) ?? 0;
        expect(lateBy).toBeLessThanOrEqual(rung - lag + 0.1);
      }),
      { numRuns: 3_000 },
    );
  });

  it("takes one reading for each edit when nothing lags, and edits are minutes apart", () => {
    const edits = [1, 2, 3].map(() => ({ gap: 200, back: undefined }));
    expect(play({ lag: 0, replicas: 1, edits, answers: [] }).reads).toBe(3);
  });
});
