import { CouldNotRun } from "./connection-errors.ts";
import type { Run } from "./run.ts";

/** Time limit for a check that is not waiting for a response. */
const GRACE_MS = 3_000;

/** Stops a run early. Checks make no further call, so that changes can be restored. */
export interface Stop {
  /** Returns the run for checks; its calls fail after the stop. */
  guard(run: Run): Run;
  /** Waits, until the stop at the latest. */
  wait(ms: number): Promise<void>;
  /**
   * Returns the result of one step.
   * @throws Stopped after a stop, once the step has ended or the time limit is over
   */
  step<T>(step: Promise<T>): Promise<T>;
  /** Waits for the promise; after a stop, for the time limit at most. */
  settled(promise: Promise<void>): Promise<void>;
  /** Applies `step` to each outcome of a check. */
  through<T>(outcomes: AsyncIterable<T>): AsyncIterable<T>;
}

/** Thrown in the checks of a stopped run. */
export class Stopped extends CouldNotRun {
  constructor(what = "stopped before the end; nothing was changed") {
    super(what);
  }
}

export function stopBy(signal: AbortSignal | undefined, wait: (ms: number) => Promise<void>): Stop {
  if (!signal) {
    const asIs = <T>(it: T): T => it;
    return { guard: asIs, wait, step: asIs, settled: asIs, through: asIs };
  }
  const assertGoesOn = () => {
    if (signal.aborted) throw new Stopped();
  };
  const step = async <T>(each: Promise<T>): Promise<T> => {
    const outcome = await unless(signal, GRACE_MS, each);
    assertGoesOn();
    return outcome;
  };
  return {
    step,
    settled: (promise) => unless(signal, GRACE_MS, promise).catch(() => undefined),
    guard: (run) => ({
      ...run,
      send: async (probe, isJudged) => {
        assertGoesOn();
        return run.send(probe, isJudged, assertGoesOn);
      },
    }),
    // After a stop, only the restoration waits.
    wait: (ms) => (signal.aborted ? wait(ms) : unless(signal, 0, wait(ms))),
    through: (outcomes) => stepwise(outcomes, step),
  };
}

async function* stepwise<T>(outcomes: AsyncIterable<T>, step: Stop["step"]): AsyncGenerator<T> {
  const iterator = outcomes[Symbol.asyncIterator]();
  try {
    for (let next = await step(iterator.next()); !next.done; next = await step(iterator.next())) {
      yield next.value;
    }
  } finally {
    // Does not wait for a hanging check: its further calls fail.
    iterator.return?.().catch(() => undefined);
  }
}

/** Returns the result of the promise. Throws `Stopped` after the signal and the given time. */
async function unless<T>(signal: AbortSignal, graceMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => {
    timer = setTimeout(() => reject(new Stopped()), graceMs);
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
