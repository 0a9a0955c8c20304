import { type RawBuilder, sql } from "kysely";
import { reportCatchUp } from "../backup/catch-up.ts";
import type { Deps } from "../deps.ts";
import { closePastMailIssues } from "../notifications/mail-issues.ts";

const DAY_MS = 24 * 3_600_000;
/** Rows of one transaction. */
const BATCH = 1_000;
/** Batches of each kind in one round: the rest waits for the next. */
const BATCHES = 10;

/** Rows to delete `keptMs` after the time that `isOld` compares. */
interface Old {
  table: RawBuilder<unknown>;
  key: RawBuilder<unknown>;
  keptMs: number;
  isOld: (before: Date) => RawBuilder<unknown>;
}

/** By their name in the report. */
const OLD = {
  // decisions, "duplicate traceId": an event is known for so long.
  eventsDeleted: {
    table: sql`events`,
    key: sql`provider_id, shift_id, event, trace_id`,
    keptMs: 30 * DAY_MS,
    isOld: (before) => sql`received_at < ${before} and status not in ('queued', 'dead') order by received_at`,
  },
  stepsDeleted: {
    table: sql`trace_steps`,
    key: sql`provider_id, step_id`,
    keptMs: 90 * DAY_MS,
    isOld: (before) => sql`at < ${before}`,
  },
  // As long as the operations API can look back.
  figuresDeleted: {
    table: sql`figures`,
    key: sql`minute, name, provider_id`,
    keptMs: 7 * DAY_MS,
    isOld: (before) => sql`minute < ${before} order by minute`,
  },
  // No echo can come after the expiry.
  operationsDeleted: {
    table: sql`pending_operations`,
    key: sql`provider_id, operation_id`,
    keptMs: 0,
    isOld: (before) => sql`expires_at < ${before} and confirmed_at is not null`,
  },
  countsDeleted: {
    table: sql`webhook_counts`,
    key: sql`provider_id, minute`,
    keptMs: DAY_MS / 24,
    isOld: (before) => sql`minute < ${before}`,
  },
} satisfies Record<string, Old>;

/** How many rows one round deleted. */
export type UpkeepReport = Record<keyof typeof OLD, number>;

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

/** Deletes what is too old to be needed, and closes the issues that time has ended. */
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
  const names = Object.keys(OLD) as (keyof typeof OLD)[];
  const report = Object.fromEntries(names.map((name) => [name, 0])) as UpkeepReport;
  for (const name of names) {
    try {
      for (let batch = 0; batch < BATCHES && !signal.aborted; batch += 1) {
        const deleted = await prune(deps, OLD[name]);
        report[name] += deleted;
        if (deleted === 0) break;
      }
    } catch (error) {
      // The other kinds are still deleted; the next round retries this one.
      deps.log.error({ err: error, what: name }, "a part of the upkeep failed");
    }
  }
  for (const part of [closePastMailIssues, reportCatchUp])
    await part(deps).catch((err) => deps.log.error({ err }, "a part of the upkeep failed"));
  return report;
}

/** Deletes at most a batch of old rows; returns how many. */
async function prune({ database, now }: Deps, { table, key, keptMs, isOld }: Old): Promise<number> {
  const before = new Date(now().getTime() - keptMs);
  const { numAffectedRows } = await sql`
    delete from ${table} where (${key}) in (
      select ${key} from ${table} where ${isOld(before)} limit ${BATCH} for update skip locked)`.execute(
    database.kysely,
  );
  return Number(numAffectedRows ?? 0);
}
