import { MINUTE_MS } from "../../contract/durations.ts";
import { problem } from "../../contract/problem.ts";

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
  const start = async <T>(address: string, minute: Minute, find: () => Promise<T | undefined>) => {
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
  };
  return {
    run: async (address, find) => {
      if (limit === 0) return find();
      for (;;) {
        const minute = minuteOf(address);
        if (minute.failures >= limit) throw tooManyFailures(minute.until - now());
        if (minute.failures + minute.underWay.size < limit) return start(address, minute, find);
        // Those under way could use up the minute. Waiting keeps valid tokens that arrive together from being refused.
        await Promise.race(minute.underWay).catch(() => undefined);
      }
    },
  };
}

function tooManyFailures(ms: number) {
  const detail = "Too many unknown tokens came from this address. Try again after `Retry-After`.";
  return problem("rate_limited", { detail }, { "Retry-After": String(Math.ceil(ms / 1000)) });
}
