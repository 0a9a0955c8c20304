import type { Deps } from "../deps.ts";
import { type ReconciliationPace, reconcile } from "../inbox/reconciliation.ts";
import { reviveDue } from "../inbox/revive.ts";
import { expireJobs } from "./expire.ts";
import { pruneEvents, pruneFigures, pruneSteps } from "./prune.ts";
import { dispatchStrays } from "./strays.ts";

/** What one round did. */
export interface UpkeepReport {
  /** Future shifts that are read again. */
  reconciled: number;
  /** Dead letters that are tried again. */
  revived: number;
  /** Events that waited without a task. */
  strays: number;
  expired: number;
  eventsDeleted: number;
  stepsDeleted: number;
  figuresDeleted: number;
}

export interface Upkeep {
  /** One round. Each thing is done by one process, whichever comes first. */
  run(): Promise<UpkeepReport>;
  start(): void;
  stop(): Promise<void>;
}

export interface UpkeepOptions {
  /** Between two rounds. Milliseconds. */
  everyMs?: number;
  reconciliation?: Partial<ReconciliationPace>;
  /** Called when there are events to dispatch. */
  onStored: () => void;
}

/** DECISIONS, "events that never came"; with a round a minute, 60 take about 1 of the 10 calls a second that an integration has. */
const PACE: ReconciliationPace = { everyMs: 3_600_000, perProvider: 60 };
/** Batches of each kind in one round: the rest waits for the next one, and so does nobody for long. */
const BATCHES = 10;

/** What has to be done when nothing happens: missed events, jobs whose time has come, rows that are old. */
export function createUpkeep(deps: Deps, options: UpkeepOptions): Upkeep {
  const { everyMs = 60_000, onStored } = options;
  const pace = { ...PACE, ...options.reconciliation };
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<UpkeepReport> | undefined;
  const run = async () => {
    const report = await runOnce(deps, pace, stopping.signal);
    if (report.reconciled + report.revived + report.strays > 0) onStored();
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

async function runOnce(deps: Deps, pace: ReconciliationPace, signal: AbortSignal): Promise<UpkeepReport> {
  // One that fails must not keep the others from their work; the next round tries it again.
  const attempt = (what: string, work: () => Promise<number>) =>
    work().catch((error) => {
      deps.log.error({ err: error, what }, "a part of the upkeep failed");
      return 0;
    });
  return {
    expired: await attempt("expire jobs", () => batches(() => expireJobs(deps), signal)),
    reconciled: await attempt("reconcile", () => reconcile(deps, pace)),
    revived: await attempt("revive dead letters", () => batches(() => reviveDue(deps), signal)),
    strays: await attempt("dispatch strays", () => dispatchStrays(deps)),
    eventsDeleted: await attempt("delete events", () => batches(() => pruneEvents(deps), signal)),
    stepsDeleted: await attempt("delete steps", () => batches(() => pruneSteps(deps), signal)),
    figuresDeleted: await attempt("delete figures", () => batches(() => pruneFigures(deps), signal)),
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
