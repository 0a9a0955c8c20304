import type { Deps } from "../deps.ts";
import { pruneEvents, pruneFigures, pruneOperations, pruneSteps } from "./prune.ts";

/** What one round deleted. */
export interface UpkeepReport {
  eventsDeleted: number;
  stepsDeleted: number;
  figuresDeleted: number;
  operationsDeleted: number;
}

export interface Upkeep {
  /** One round. Each row is deleted by one process, whichever comes first. */
  run(): Promise<UpkeepReport>;
  start(): void;
  stop(): Promise<void>;
}

export interface UpkeepOptions {
  /** Between two rounds. Milliseconds. */
  everyMs?: number;
}

/** Batches of each kind in one round: the rest waits for the next. */
const BATCHES = 10;

/** Deletes what is too old to be needed. */
export function createUpkeep(deps: Deps, { everyMs = 60_000 }: UpkeepOptions = {}): Upkeep {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<UpkeepReport> | undefined;
  const run = async () => {
    const report = await runOnce(deps, stopping.signal);
    if (Object.values(report).some((count) => count > 0)) deps.log.info(report, "upkeep");
    return report;
  };
  const wake = () => {
    running ??= run().finally(() => {
      running = undefined;
    });
  };
  return {
    run,
    start: () => {
      timer = setInterval(wake, everyMs);
      wake();
    },
    stop: async () => {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}

async function runOnce(deps: Deps, signal: AbortSignal): Promise<UpkeepReport> {
  // One that fails must not keep the others from their work; the next round tries it again.
  const attempt = (what: string, prune: (deps: Deps) => Promise<number>) =>
    batches(() => prune(deps), signal).catch((error) => {
      deps.log.error({ err: error, what }, "a part of the upkeep failed");
      return 0;
    });
  return {
    eventsDeleted: await attempt("delete events", pruneEvents),
    stepsDeleted: await attempt("delete steps", pruneSteps),
    figuresDeleted: await attempt("delete figures", pruneFigures),
    operationsDeleted: await attempt("delete operations", pruneOperations),
  };
}

/** Goes on until there is nothing left to do, or enough was done for one round. */
async function batches(work: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let all = 0;
  for (let batch = 0; batch < BATCHES && !signal.aborted; batch += 1) {
    const done = await work();
    all += done;
    if (done === 0) break;
  }
  return all;
}
