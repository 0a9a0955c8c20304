import { MINUTE_MS } from "../../contract/durations.ts";
import { problem } from "../../contract/problem.ts";

/** All addresses together may fail as often as this many of them: guesses from changing addresses end, too. */
const ADDRESSES_IN_TOTAL = 10;

interface Count {
  failures: number;
  underWay: Set<Promise<unknown>>;
}

interface Minute {
  until: number;
  total: Count;
  /** At most as many as may fail in total, and those under way. */
  addresses: Map<string, Count>;
}

/** Limits the look-ups of unknown tokens, for each client address and in total. */
export interface AddressLimit {
  /**
   * Runs `find`, and counts it when it finds nothing.
   * @throws ProblemError rate_limited, without running it, when the address or all of them have used up the minute.
   */
  run<T>(address: string, find: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** @param limit failures a minute of each address; 0: no limit. */
export function createAddressLimit(limit: number, now: () => number): AddressLimit {
  let minute: Minute = { until: 0, total: newCount(), addresses: new Map() };
  const current = () => {
    if (minute.until <= now()) minute = { until: now() + MINUTE_MS, total: newCount(), addresses: new Map() };
    return minute;
  };
  const countOf = (address: string) => {
    const { addresses } = current();
    const count = addresses.get(address) ?? newCount();
    addresses.set(address, count);
    return count;
  };
  const within = async <T>(count: () => Count, most: number, find: () => Promise<T | undefined>) => {
    for (;;) {
      const { failures, underWay } = count();
      if (failures >= most) throw tooManyFailures(minute.until - now());
      if (failures + underWay.size < most) return counted(count(), find);
      // Those under way could use up the minute. Waiting keeps valid tokens that arrive together from being refused.
      await Promise.race(underWay).catch(() => undefined);
    }
  };
  const inTotal = <T>(find: () => Promise<T | undefined>) =>
    within(() => current().total, limit * ADDRESSES_IN_TOTAL, find);
  return {
    run: async (address, find) => {
      if (limit === 0) return find();
      try {
        return await within(
          () => countOf(address),
          limit,
          () => inTotal(find),
        );
      } finally {
        const count = minute.addresses.get(address);
        if (count?.failures === 0 && count.underWay.size === 0) minute.addresses.delete(address);
      }
    },
  };
}

const newCount = (): Count => ({ failures: 0, underWay: new Set() });

async function counted<T>(count: Count, find: () => Promise<T | undefined>): Promise<T | undefined> {
  const finding = find();
  count.underWay.add(finding);
  try {
    const found = await finding;
    if (found === undefined) count.failures += 1;
    return found;
  } finally {
    count.underWay.delete(finding);
  }
}

function tooManyFailures(ms: number) {
  const detail = "Too many unknown tokens were sent. Try again after `Retry-After`.";
  return problem("rate_limited", { detail }, { "Retry-After": String(Math.ceil(ms / 1000)) });
}
