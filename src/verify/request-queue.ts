import { SECOND_MS } from "../contract/timestamp.ts";

/** Limits concurrent requests, and adapts to the provider: to its speed, and to a rate that it limits. Urgent requests go first. */
export interface RequestQueue {
  /**
   * Runs the request when a slot is free. A higher urgency goes first.
   * @param isServed false for a response that limits the rate
   */
  run<T>(urgency: number, request: () => Promise<T>, isServed?: (result: T) => boolean): Promise<T>;
  /** After a 429: pauses all requests, halves the limit, which is that of a provider that is near, and then sends no faster than the provider has served, and gradually faster. */
  slowDown(pauseMs: number): Promise<void>;
  /** Resolves when no request is in progress. */
  idle(): Promise<void>;
  readonly most: number;
  readonly isPaused: boolean;
}

export interface Pace {
  wait: (ms: number) => Promise<void>;
  /** The time limit of a request: a provider with one worker must not be overloaded until it passes. Milliseconds. */
  timeoutMs?: number | undefined;
  rate?: number | undefined;
}

interface Waiting {
  urgency: number;
  start: () => void;
}

/** One of this many slots is reserved for urgent requests. */
const KEPT = 4;
/** A part of the time limit that requests may take before fewer are sent at once. */
const COMFORTABLE = 4;
/** Slower than what the provider served in the second before it limited the rate. */
const MARGIN = 1.1;
const SLOWEST_MS = 5_000;
/** Of the interval, after each served request: the first 429 may have come before the provider served many. */
const EASE = 0.9;

export function createQueue(most: number, { wait, timeoutMs, rate }: Pace): RequestQueue {
  const waiting: Waiting[] = [];
  const idlers: (() => void)[] = [];
  const speed = createSpeed(timeoutMs);
  /** Ends of the requests of the last second. */
  let served: number[] = [];
  let intervalMs = rate === undefined ? 0 : SECOND_MS / rate;
  /** The shortest interval that may succeed. */
  let leastMs = intervalMs;
  let isPacing = false;
  let busy = 0;
  let pauses = 0;
  const limit = () => Math.min(most, speed.limit);

  function startNext(): void {
    while (busy < limit() && pauses === 0 && !isPacing) {
      const index = mostUrgent(waiting);
      // The last slots are for urgent requests.
      if (waiting[index]?.urgency === 0 && busy >= limit() - Math.floor(limit() / KEPT)) return;
      const [next] = waiting.splice(index, 1);
      if (!next) return;
      busy += 1;
      pace();
      next.start();
    }
  }

  function pace(): void {
    if (intervalMs < 1) return;
    isPacing = true;
    const goOn = () => {
      isPacing = false;
      startNext();
    };
    wait(intervalMs).then(goOn, goOn);
  }

  function end(beganAt: number, wasServed: boolean): void {
    const now = performance.now();
    served = [...served.filter((each) => each > now - SECOND_MS), ...(wasServed ? [now] : [])];
    if (wasServed) intervalMs = Math.max(leastMs, intervalMs * EASE);
    speed.took(now - beganAt);
    busy -= 1;
    startNext();
    if (busy === 0) for (const done of idlers.splice(0)) done();
  }

  return {
    get most() {
      return most;
    },
    get isPaused() {
      return pauses > 0;
    },
    run: async (urgency, request, isServed = () => true) => {
      const { promise, resolve: start } = Promise.withResolvers<void>();
      waiting.push({ urgency, start });
      startNext();
      await promise;
      const beganAt = performance.now();
      let wasServed = false;
      try {
        const result = await request();
        wasServed = isServed(result);
        return result;
      } finally {
        end(beganAt, wasServed);
      }
    },
    idle: () => (busy === 0 ? Promise.resolve() : new Promise((done) => idlers.push(done))),
    slowDown: async (pauseMs) => {
      if (pauses === 0) {
        most = Math.max(1, Math.floor(Math.min(most, NEAR) / 2));
        leastMs = Math.max(leastMs, intervalMs * MARGIN);
        const asServed = Math.ceil((SECOND_MS / Math.max(1, served.length)) * MARGIN);
        intervalMs = Math.min(SLOWEST_MS, Math.max(asServed, leastMs));
      }
      pauses += 1;
      await wait(pauseMs).finally(() => {
        pauses -= 1;
        startNext();
      });
    },
  };
}

/** Requests at once at a provider that serves them in comfortable time; more only while they take no longer than one alone. */
const NEAR = 8;

/** Finds how many requests at once a provider serves: one at first, then twice as many while they take no longer. */
function createSpeed(timeoutMs: number | undefined) {
  if (timeoutMs === undefined) return { limit: Number.POSITIVE_INFINITY, took: () => undefined };
  let fastestMs = Number.POSITIVE_INFINITY;
  let good = 0;
  const speed = {
    limit: 1,
    took: (ms: number) => {
      fastestMs = Math.min(fastestMs, ms);
      const isComfortable = speed.limit < NEAR && ms <= timeoutMs / COMFORTABLE;
      good = isComfortable || ms <= 1.5 * fastestMs ? good + 1 : 0;
      const isSlow = speed.limit > NEAR || ms > timeoutMs / COMFORTABLE;
      if (isSlow && ms > 2 * fastestMs) speed.limit = Math.max(1, Math.floor(speed.limit / 2));
      if (good < speed.limit) return;
      good = 0;
      speed.limit *= 2;
    },
  };
  return speed;
}

function mostUrgent(waiting: readonly Waiting[]): number {
  let best = 0;
  for (const [index, { urgency }] of waiting.entries()) {
    if (urgency > (waiting[best]?.urgency ?? 0)) best = index;
  }
  return best;
}
