import { MINUTE_MS } from "../../../contract/timestamp.ts";
import type { ShiftValues } from "../../db/schema.ts";
import { lagOf, nextRung } from "../../work/ladder.ts";

// What the platform believes about a shift at its provider, and why. A reading proves the provider's state at some moment up to `lag` before it: replicas
// lag. So a reading is compared with what is believed, with what is known to be older, and with how many changes were announced and are not shown yet.
// Times are milliseconds since 1970.

/** What a reading shows: `gone`, `cancelled`, or a digest of the body without its people. */
export type Version = string;

export const GONE: Version = "gone";
export const CANCELLED: Version = "cancelled";

export interface Belief {
  /** Null before the first reading. */
  version: Version | null;
  /** Since when it is believed. */
  since: number;
  /** A later reading showed it too, the ladder has ended, or a call of the platform made it: what precedes it is known to be older. */
  isConfirmed: boolean;
  /** The first reading in a row that did not find the shift, or found it cancelled. */
  missingSince: number | null;
  /** A digest of the provider's own people on the last list; null if that was empty. */
  shown: string | null;
  /** What was believed before, within `lag`. */
  earlier: Earlier[];
  /** When each webhook came that announced a change, as long as the next came within `lag`. */
  notices: number[];
  /** How many of the announced changes no reading has shown yet. */
  expected: number;
  /** The last call that changed the shift or its people, and whether its webhook is still to come. */
  calledAt: number | null;
  awaitsEcho: boolean;
  /** When a call was given up, or found done, whose outcome had been unknown: an attempt that was cut may take effect within `lag`. */
  doubtedAt: number | null;
  /** What the last change of times and positions set, by the provider's response. */
  own: { at: number; values: Values } | null;
  /** The last reading showed what was never believed, and may be older: a change that is sent now might undo it. */
  isContradicted: boolean;
  /** What the ladder counts from: the newest notice, call of the platform, or disagreement of two readings. */
  basis: number | null;
}

interface Earlier {
  version: Version;
  believedAt: number;
  /** Since when it is known to be older than what followed. */
  olderSince?: number;
  /** A call of the platform replaced it: a webhook that follows may be that of the call. */
  isReplaced?: boolean;
}

/** Times are milliseconds since 1970. */
export type Values = Partial<ShiftValues>;

export const NO_BELIEF: Belief = {
  version: null,
  since: 0,
  isConfirmed: false,
  missingSince: null,
  shown: null,
  earlier: [],
  notices: [],
  expected: 0,
  calledAt: null,
  awaitsEcho: false,
  doubtedAt: null,
  own: null,
  isContradicted: false,
  basis: null,
};

/** What a reading shows. */
export interface Seen {
  version: Version;
  /** A digest of the provider's own people. Null if the list is empty: that may be a fault of the provider, and shows nothing. */
  shown: string | null;
  /** Without positions if the body has none. */
  values?: Values;
  /** Of a shift that was not found, or is cancelled: a deletion was announced, or the response leaves no doubt. */
  isAnnounced?: boolean;
  /** The values are those of a change that was sent, and whose outcome is not known. */
  showsSent?: boolean;
}

export interface Believed {
  belief: Belief;
  /** `kept`: the reading is older than the belief, or too little to conclude that the shift is gone. */
  verdict: "new" | "confirmed" | "kept";
  /** When to read again; undefined once readings are as certain as they get. */
  nextReadAt: number | undefined;
}

/**
 * Decides what a reading means. In order:
 *
 * | the reading shows | then |
 * | --- | --- |
 * | `gone`, unannounced | it counts once the ladder from the first such reading, or a later notice, has ended |
 * | what is believed | it is confirmed. Read again while a change is expected, notices came in a burst, readings disagreed, the list of people is another one, or the shift was gone within `lag` |
 * | a shift that was gone within `lag` | a replica lags: the belief is kept |
 * | other values than a call of the platform set within `lag`, and no later call asks for | the same |
 * | what is known to be older, while nothing is expected, or what a call replaced within `lag` | the same, until the ladder has ended |
 * | what was believed before, order unknown | the latest reading wins. The ladder starts again, unless an announced change is not shown yet: it counts from that |
 * | `cancelled` | it is believed at once, also if it was believed before |
 * | anything else | it is believed at once: it is newer than all that was believed. Read again as above. If a reading within `lag` was new as well, the ladder starts again |
 */
export function believe(before: Belief, seen: Seen, now: number, ladder: readonly number[]): Believed {
  const lag = lagOf(ladder);
  const believed = believeNow(recent(before, now, lag), seen, now, ladder);
  const { doubtedAt } = believed.belief;
  if (doubtedAt === null) return believed;
  return { ...believed, nextReadAt: Math.min(doubtedAt + lag, believed.nextReadAt ?? doubtedAt + lag) };
}

function believeNow(before: Belief, seen: Seen, now: number, ladder: readonly number[]): Believed {
  if (seen.version === GONE) return believeGone(before, seen, now, ladder);
  const missingSince = seen.version === CANCELLED ? (before.missingSince ?? now) : null;
  const found = believeSeen({ ...before, missingSince }, seen, now, ladder);
  // A replica that lags has shown a shift that is gone.
  if (found.belief.version !== GONE) return found;
  return { ...found, belief: { ...found.belief, missingSince: before.missingSince } };
}

function believeGone(belief: Belief, seen: Seen, now: number, ladder: readonly number[]): Believed {
  const missingSince = belief.missingSince ?? now;
  const missing = { ...belief, missingSince };
  const nextReadAt = nextRung(Math.max(missingSince, belief.notices.at(-1) ?? 0), now, ladder);
  const isWaited = seen.isAnnounced || belief.version === GONE || nextReadAt === undefined;
  if (!isWaited) return { belief: missing, verdict: "kept", nextReadAt };
  return believeSeen(missing, seen, now, ladder);
}

function believeSeen(before: Belief, seen: Seen, now: number, ladder: readonly number[]): Believed {
  const { version, shown } = seen;
  const lag = lagOf(ladder);
  const isOtherList = before.shown !== null && shown !== null && before.shown !== shown;
  const isOther = version !== before.version || isOtherList;
  // A shift that is back is not what a webhook announced: what it shows may be as old as the shift itself.
  const isNews = isOther && before.version !== GONE;
  const expected = Math.max(0, before.expected - (isNews ? 1 : 0));
  const belief = { ...before, shown, expected, isContradicted: false };
  if (version === belief.version) {
    const isConfirmed = belief.isConfirmed || belief.basis === null || belief.since > belief.basis;
    const confirmed = { ...belief, isConfirmed };
    // Two lists that differ: a replica that lags may have shown the second.
    const isDone = isConfirmed && expected === 0 && !isBurst(belief, lag) && !isOtherList;
    return isDone
      ? { belief: confirmed, verdict: "confirmed", nextReadAt: undefined }
      : climb(confirmed, "confirmed", now, ladder);
  }
  const known = belief.earlier.find((each) => each.version === version);
  const until = olderUntil(before, seen, known, now, lag);
  if (until > now) {
    const basis = Math.max(before.basis ?? 0, known?.olderSince ?? before.since);
    const isContradicted = !known?.isReplaced;
    const kept = climb({ ...before, basis, isContradicted }, "kept", now, ladder);
    return { ...kept, nextReadAt: Math.min(until, kept.nextReadAt ?? until) };
  }
  const next = {
    ...succeed(belief, version, now, lag),
    ...(seen.isAnnounced && !known && { isConfirmed: true }),
  };
  if (known || expected > 0 || isBurst(next, lag)) {
    const basis = known && expected === 0 ? now : next.basis;
    return climb({ ...next, basis }, "new", now, ladder);
  }
  // Readings that failed before have hidden versions: of two that are new within `lag`, a replica that lags may have shown the second.
  const isRead = before.version !== null && before.since > (before.calledAt ?? 0);
  const isSoon = isNews && isRead && now - before.since < lag;
  if (isSoon) return climb({ ...next, basis: now }, "new", now, ladder);
  return { belief: next, verdict: "new", nextReadAt: undefined };
}

/** Until when a replica that lags may show it, because something else has followed. */
function olderUntil(
  belief: Belief,
  seen: Seen,
  known: Earlier | undefined,
  now: number,
  lag: number,
): number {
  const { own, version, since, basis, expected } = belief;
  if (seen.version === CANCELLED) return now;
  if (version === GONE) return since + lag;
  const isNext = seen.showsSent === true && known === undefined;
  if (own && !isNext && !showsAll(seen.values, own.values)) return own.at + lag;
  if (known?.olderSince === undefined) return now;
  if (expected > 0) return known.isReplaced ? known.olderSince + lag : now;
  return Math.max(basis ?? 0, known.olderSince) + lag;
}

const showsAll = (shown: Values = {}, values: Values): boolean =>
  VALUES.every((name) => isSameValue(name, values[name] ?? shown[name], shown[name] ?? values[name]));

export const VALUES = ["startTime", "endTime", "positions"] as const;

/** Many systems store whole minutes. */
export const isSameValue = (name: keyof Values, one = 0, other = 0): boolean =>
  name === "positions" ? one === other : Math.abs(one - other) < MINUTE_MS;

/** Returns the belief with another version. What was believed is older if it was confirmed before. */
function succeed(belief: Belief, version: Version, now: number, lag: number): Belief {
  const { version: was, since, isConfirmed, earlier } = belief;
  const others = earlier.filter((each) => each.version !== version && each.version !== was);
  const isCertain = isConfirmed || now - since >= lag;
  const last = was === null ? [] : [{ version: was, believedAt: now, ...(isCertain && { olderSince: now }) }];
  return { ...belief, version, since: now, isConfirmed: false, earlier: [...others, ...last] };
}

/** Plans the next reading. After the last rung, what was read is the truth. */
function climb(
  belief: Belief,
  verdict: Believed["verdict"],
  now: number,
  ladder: readonly number[],
): Believed {
  const nextReadAt = belief.basis === null ? undefined : nextRung(belief.basis, now, ladder);
  if (nextReadAt !== undefined) return { belief, verdict, nextReadAt };
  return { belief: { ...belief, isConfirmed: true, expected: 0 }, verdict, nextReadAt };
}

/** A webhook announces one more change. That of a call of the platform shows nothing new. */
export function noticed(belief: Belief, at: number, ladder: readonly number[]): Belief {
  const lag = lagOf(ladder);
  const newest = Math.max(at, belief.notices.at(-1) ?? at);
  // The last reading for one notice may come shortly after the next change.
  const apart = lag + (ladder[1] ?? 0);
  const notices = [...belief.notices, at].filter((each) => newest - each < apart).sort((a, b) => a - b);
  const basis = Math.max(belief.basis ?? at, at);
  const isEcho = belief.awaitsEcho && belief.calledAt !== null && at - belief.calledAt < lag;
  if (isEcho) return { ...belief, notices, basis, awaitsEcho: false };
  return { ...belief, notices, basis, expected: belief.expected + 1 };
}

/**
 * A call of the platform changed the shift, or its people. `seen`: what the provider says that the shift is now; `values`: what the call has set. For `lag`, a
 * reading without these values is that of a replica that lags, or shows what the call has replaced before anyone read it.
 */
export function called(before: Belief, at: number, seen?: Seen, values?: Values): Belief {
  const own = values ? { at, values: { ...before.own?.values, ...values } } : before.own;
  const belief = { ...before, own, calledAt: at, awaitsEcho: true };
  const { version: was, earlier, missingSince } = belief;
  // Whom the platform has assigned is no longer one of the provider's own people.
  if (!seen) return { ...belief, shown: null };
  const isGone = seen.version === GONE;
  const { version, shown } = seen;
  const past = new Set([...earlier.map((each) => each.version), ...(was === null ? [] : [was])]);
  past.delete(version);
  return {
    ...belief,
    version,
    shown,
    since: version === was ? belief.since : at,
    isConfirmed: true,
    expected: 0,
    basis: Math.max(before.basis ?? at, at),
    // The webhook of a deletion is known by its name.
    awaitsEcho: !isGone,
    missingSince: isGone ? (missingSince ?? at) : null,
    earlier: [...past].map((each) => ({ version: each, believedAt: at, olderSince: at, isReplaced: true })),
  };
}

/**
 * Whether what is believed may be announced: notices to people, offers, releases, and changes that are sent to the provider follow settled beliefs only. The
 * reading for the only notice settles it; otherwise a later one that confirms it, the end of the ladder, or time.
 */
export function isSettled(belief: Belief, now: number, lag: number): boolean {
  const { version, isConfirmed, since, basis, notices, expected } = belief;
  // Nothing that is read within `lag` counts against it.
  if (version === GONE || isConfirmed) return true;
  const isUndisputed = (basis === null || basis < since) && notices.length <= 1 && expected === 0;
  return isUndisputed || now - since >= lag;
}

/** Whether readings disagree about which of two versions is the newer one. */
export const isContested = ({ isConfirmed, since, basis }: Belief): boolean =>
  !isConfirmed && basis === since;

/**
 * Whether notices, or a notice and a call of the platform, came within `lag` of each other: one reading does not show what each of them announced. A shift
 * that is back may have changed since, too, and replicas may show it as it was before.
 */
function isBurst({ notices, calledAt, earlier, version }: Belief, lag: number): boolean {
  if (version !== CANCELLED && earlier.some((each) => each.version === GONE)) return true;
  const newest = notices.at(-1);
  if (newest === undefined) return false;
  return notices.length > 1 || (calledAt !== null && Math.abs(newest - calledAt) < lag);
}

/** Forgets what no replica can show any more. */
const recent = (belief: Belief, now: number, lag: number): Belief => ({
  ...belief,
  earlier: belief.earlier.filter(({ believedAt }) => now - believedAt < lag),
  own: belief.own && now - belief.own.at < lag ? belief.own : null,
  doubtedAt: belief.doubtedAt !== null && now - belief.doubtedAt < lag ? belief.doubtedAt : null,
});
