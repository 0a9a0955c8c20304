import { problem } from "../../contract/problem.ts";
import { MINUTE_MS } from "../../contract/timestamp.ts";

const ADDRESSES_AT_MOST = 10_000;
/** All addresses together may fail as often as this many of them. */
const ADDRESSES_IN_TOTAL = 10;

interface Count {
  failures: number;
  underWay: Set<Promise<unknown>>;
}

interface Minute {
  until: number;
  /** The oldest is forgotten first: memory is bounded however many there are. */
  addresses: Map<string, Count>;
}

/** Limits the look-ups of unknown tokens. */
export interface AddressLimit {
  /**
   * Runs `find`, and counts it when it finds nothing.
   * @throws ProblemError rate_limited, without running it, when the minute is used up.
   */
  run<T>(address: string, find: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** @param limit failures a minute of each address; 0: no limit. */
export function createAddressLimit(limit: number, now: () => number): AddressLimit {
  let minute: Minute = { until: 0, addresses: new Map() };
  const countOf = (address: string) => {
    if (minute.until <= now()) minute = { until: now() + MINUTE_MS, addresses: new Map() };
    const { addresses, until } = minute;
    const count = addresses.get(address) ?? newCount();
    if (!addresses.has(address) && addresses.size >= ADDRESSES_AT_MOST)
      addresses.delete(addresses.keys().next().value ?? "");
    addresses.set(address, count);
    return { count, until };
  };
  return {
    run: async (address, find) => {
      if (limit === 0) return find();
      try {
        return await within(() => countOf(address), limit, now, find);
      } finally {
        const count = minute.addresses.get(address);
        if (count?.failures === 0 && count.underWay.size === 0) minute.addresses.delete(address);
      }
    },
  };
}

/**
 * Limits all addresses together as well, so that guesses from changing addresses end, too. Only for tokens that may have been chosen by hand: it
 * lets a sender with many addresses refuse others.
 */
export function limitInTotal(each: AddressLimit, limit: number, now: () => number): AddressLimit {
  let total = { until: 0, count: newCount() };
  const current = () => {
    if (total.until <= now()) total = { until: now() + MINUTE_MS, count: newCount() };
    return total;
  };
  if (limit === 0) return each;
  return {
    run: (address, find) => each.run(address, () => within(current, limit * ADDRESSES_IN_TOTAL, now, find)),
  };
}

/** Runs `find` if the count has room. Waits for those under way that could use up the minute: valid tokens that arrive together are not refused. */
async function within<T>(
  current: () => { count: Count; until: number },
  most: number,
  now: () => number,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (;;) {
    const { count, until } = current();
    const { failures, underWay } = count;
    if (failures >= most) throw tooManyFailures(until - now());
    if (failures + underWay.size < most) return counted(count, find);
    await Promise.race(underWay).catch(() => undefined);
  }
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
