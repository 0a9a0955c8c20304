import { problem } from "../../contract/problem.ts";

const MINUTE_MS = 60_000;
const ADDRESSES_AT_MOST = 10_000;

interface Minute {
  failures: number;
  until: number;
  underWay: Set<Promise<unknown>>;
}

/** Limits the look-ups of unknown tokens for each client address. */
export interface AddressLimit {
  /**
   * Runs `find`, and counts it when it finds nothing.
   * @throws ProblemError rate_limited, without running it, when the address has used up its minute.
   */
  run<T>(address: string, find: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** @param limit failures a minute of each address; 0: no limit. */
export function createAddressLimit(limit: number, now: () => number): AddressLimit {
  const minutes = new Map<string, Minute>();
  const minuteOf = (address: string) => {
    const known = minutes.get(address);
    if (known && known.until > now()) return known;
    const minute = { failures: 0, until: now() + MINUTE_MS, underWay: new Set<Promise<unknown>>() };
    minutes.delete(address);
    // The oldest minute goes first: memory is bounded however many addresses there are.
    if (minutes.size >= ADDRESSES_AT_MOST) minutes.delete(minutes.keys().next().value ?? "");
    minutes.set(address, minute);
    return minute;
  };
  return {
    run: async (address, find) => {
      if (limit === 0) return find();
      const minute = await admit(() => minuteOf(address), limit, now);
      const finding = find();
      minute.underWay.add(finding);
      try {
        const found = await finding;
        if (found === undefined) minute.failures += 1;
        return found;
      } finally {
        minute.underWay.delete(finding);
        const isUnused = minute.failures === 0 && minute.underWay.size === 0;
        if (isUnused && minutes.get(address) === minute) minutes.delete(address);
      }
    },
  };
}

/** Waits while the look-ups under way could use up the minute: valid tokens that arrive together are not refused. */
async function admit(minuteOf: () => Minute, limit: number, now: () => number): Promise<Minute> {
  for (;;) {
    const minute = minuteOf();
    if (minute.failures >= limit) throw tooManyFailures(minute.until - now());
    if (minute.failures + minute.underWay.size < limit) return minute;
    await Promise.race(minute.underWay).catch(() => undefined);
  }
}

function tooManyFailures(ms: number) {
  const detail = "Too many unknown tokens came from this address. Try again after `Retry-After`.";
  return problem("rate_limited", { detail }, { "Retry-After": String(Math.ceil(ms / 1000)) });
}
