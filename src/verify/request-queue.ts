/** Limits concurrent requests. Urgent requests go first, and the limit is reduced when the provider limits its rate. */
export interface RequestQueue {
  /** Runs the request when a slot is free. A higher urgency goes first. */
  run<T>(urgency: number, request: () => Promise<T>): Promise<T>;
  /** Pauses all requests, and halves the limit. */
  slowDown(pause: Promise<void>): void;
  /** Resolves when no request is in progress. */
  idle(): Promise<void>;
  /** Current limit of concurrent requests. */
  readonly most: number;
  /** Whether a pause is in progress. */
  readonly isPaused: boolean;
}

interface Waiting {
  urgency: number;
  start: () => void;
}

/** One of this many slots is reserved for urgent requests. */
const KEPT = 4;

export function createQueue(most: number): RequestQueue {
  const waiting: Waiting[] = [];
  const idlers: (() => void)[] = [];
  let busy = 0;
  let pauses = 0;

  function startNext(): void {
    while (busy < most && pauses === 0) {
      const index = mostUrgent(waiting);
      // The last slots are for urgent requests.
      if (waiting[index]?.urgency === 0 && busy >= most - Math.floor(most / KEPT)) return;
      const [next] = waiting.splice(index, 1);
      if (!next) return;
      busy += 1;
      next.start();
    }
  }

  return {
    get most() {
      return most;
    },
    get isPaused() {
      return pauses > 0;
    },
    run: async (urgency, request) => {
      const { promise, resolve: start } = Promise.withResolvers<void>();
      waiting.push({ urgency, start });
      startNext();
      await promise;
      try {
        return await request();
      } finally {
        busy -= 1;
        startNext();
        if (busy === 0) for (const done of idlers.splice(0)) done();
      }
    },
    idle: () => (busy === 0 ? Promise.resolve() : new Promise((done) => idlers.push(done))),
    slowDown: (pause) => {
      if (pauses === 0) most = Math.max(1, Math.floor(most / 2));
      pauses += 1;
      const resume = () => {
        pauses -= 1;
        startNext();
      };
      pause.then(resume, resume);
    },
  };
}

/** Returns the index of the first of the most urgent requests. */
function mostUrgent(waiting: readonly Waiting[]): number {
  let best = 0;
  for (const [index, { urgency }] of waiting.entries()) {
    if (urgency > (waiting[best]?.urgency ?? 0)) best = index;
  }
  return best;
}
