import { CouldNotRun } from "./could-not-run.ts";
import type { Run } from "./run.ts";

/** A check that waits for something else than an answer is left behind after so long. */
const GRACE_MS = 3_000;

/** How a run is stopped before its end: checks make no further call, so that they unwind and what was changed can be put back. */
export interface Stop {
  /** The run as checks see it. */
  guard(run: Run): Run;
  /** A wait that ends when the run is stopped. */
  wait(ms: number): Promise<void>;
  /**
   * What comes of one step.
   * @throws Stopped when the run was stopped meanwhile, once the step has ended or the grace is over
   */
  step<T>(step: Promise<T>): Promise<T>;
  /** Waits for it, but not for longer than the grace once the run was stopped. */
  settled(promise: Promise<void>): Promise<void>;
  /** The same for each step of a check. */
  through<T>(outcomes: AsyncIterable<T>): AsyncIterable<T>;
}

/** Thrown through the checks of a run that was stopped. */
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
    // After the stop only what puts things back waits.
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
    // A check that hangs is not waited for; what it still wants to call is refused.
    iterator.return?.().catch(() => undefined);
  }
}

/** What the promise gives, or `Stopped` so many milliseconds after the signal. */
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
