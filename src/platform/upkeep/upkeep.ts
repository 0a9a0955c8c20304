import { type RawBuilder, sql } from "kysely";
import { DAY_MS } from "../../contract/timestamp.ts";
import { deleteEndedSessions } from "../access/sessions.ts";
import { reportCatchUp } from "../backup/after-restore.ts";
import type { Database } from "../db/database.ts";
import { jsonRows } from "../db/fragments.ts";
import { isOf, type Organisation, organisationsWith, providerOf } from "../db/organisation.ts";
import { dropDays, makeDays } from "../db/partitions.ts";
import type { Deps } from "../deps.ts";
import { firstIdAt } from "../ids.ts";
import { deleteLeaving } from "../integrations/delete.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import { FIGURES } from "../metrics/figures.ts";
import { alertOperators } from "../notifications/alerts.ts";
import { resolvePastMailIssues } from "../notifications/mail-issues.ts";
import { RETENTION, type Retention } from "../settings.ts";
import { transact } from "../transaction.ts";
import { logEvents } from "./event-log.ts";

type Parts = Pick<Database, "kysely" | "isDistributed">;

/** Rows of one transaction. */
const BATCH = 1_000;
/** The most batches of each kind in one round. The rest waits for the next round. */
const BATCHES = 10;
/** The same for events: as many as a busy platform receives in a round. */
const LOGGING_BATCHES = 100;
/** How far ahead days are created, which is how long upkeep may fail. */
const AHEAD_MS = 7 * DAY_MS;

/** What one round did: rows deleted or moved, days of `trace_steps` created, and days dropped. */
const NOTHING = {
  daysMade: 0,
  eventsLogged: 0,
  daysDropped: 0,
  eventsDeleted: 0,
  jobsDeleted: 0,
  notificationsDeleted: 0,
  issuesDeleted: 0,
  rejectionsDeleted: 0,
  shiftsDeleted: 0,
  figuresDeleted: 0,
  operationsDeleted: 0,
  sessionsDeleted: 0,
};

export type UpkeepReport = typeof NOTHING;

/** One step of a round. Returns the number of its rows or days. */
type Step = (parts: {
  database: Parts;
  now: Date;
  retention: Retention;
  signal: AbortSignal;
}) => Promise<number>;

/** The steps in their order. Steps that delete rows work in batches. */
const STEPS: Readonly<Record<keyof UpkeepReport, Step>> = {
  daysMade: async ({ database: { kysely }, now }) =>
    makeDays(kysely, "trace_steps", await oldestStep(kysely, now), new Date(now.getTime() + AHEAD_MS)),
  eventsLogged: async ({ database, now, retention, signal }) => {
    const since = daysBefore(now, retention.events);
    await makeDays(database.kysely, "event_log", since, now);
    return batchByBatch(LOGGING_BATCHES, signal, () => logEvents(database, { now, since, most: BATCH }));
  },
  daysDropped: async ({ database: { kysely }, now, retention }) =>
    (await dropDays(kysely, "event_log", daysBefore(now, retention.events))) +
    (await dropDays(kysely, "trace_steps", daysBefore(now, retention.traces))),
  // Events that failed permanently never move to the log.
  eventsDeleted: deleting(
    "events",
    "provider_id, shift_id, event, trace_id",
    ({ now, retention }) => {
      const before = daysBefore(now, retention.events);
      return sql`received_at < ${before} and status not in ('queued', 'dead')`;
    },
    "received_at",
  ),
  jobsDeleted: ({ database, now, retention, signal }) =>
    batchByBatch(BATCHES, signal, () => deleteJobs(database, daysBefore(now, retention.jobs), BATCH)),
  notificationsDeleted: deleting(
    "notifications",
    "provider_id, notification_id",
    ({ now, retention }) => {
      const before = daysBefore(now, retention.notifications);
      return sql`notification_id < ${firstIdAt(before)} and exists (select 1 from jobs where jobs.provider_id = notifications.provider_id
      and jobs.job_id = notifications.job_id and jobs.end_time < ${before})`;
    },
    "notification_id",
  ),
  issuesDeleted: deleting(
    "issues",
    "provider_id, issue_id",
    ({ now, retention }) => sql`resolved_at < ${daysBefore(now, retention.issues)}`,
  ),
  rejectionsDeleted: deleting(
    "rejected_webhooks",
    "provider_id, rejection_id",
    ({ now, retention }) => sql`rejection_id < ${firstIdAt(daysBefore(now, retention.events))}`,
    "rejection_id",
  ),
  // A tombstone: the shift has no job and no planned reading.
  shiftsDeleted: deleting(
    "shifts",
    "provider_id, shift_id",
    ({ now, retention }) =>
      sql`missing_since < ${daysBefore(now, retention.jobs)} and next_read_at is null and not exists (select 1 from jobs
      where jobs.provider_id = shifts.provider_id and jobs.shift_id = shifts.shift_id)`,
  ),
  // As long as a provider's silence needs them, and the operations API shows its last webhook.
  figuresDeleted: deleting(
    "figures",
    "minute, name, provider_id",
    ({ now }) => sql`minute < ${daysBefore(now, FIGURE_DAYS)}`,
    "minute",
  ),
  // No echo is expected after the expiry.
  operationsDeleted: deleting(
    "pending_operations",
    "provider_id, operation_id",
    ({ now }) => sql`expires_at < ${now} and confirmed_at is not null`,
  ),
  sessionsDeleted: ({ database: { kysely }, now }) => deleteEndedSessions(kysely, now),
};

/** Returns the time of the oldest step whose day had no partition when it was written, or `now` without such a step. */
async function oldestStep(kysely: Database["kysely"], now: Date): Promise<Date> {
  const { rows } = await sql<{
    at: Date | null;
  }>`select least(min(at), ${now}) as at from trace_steps_rest`.execute(kysely);
  return rows[0]?.at ?? now;
}

const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

export interface Upkeep {
  /** Runs one round. Each row is deleted by one process. */
  run(): Promise<UpkeepReport>;
  start(): void;
  stop(): Promise<void>;
}

export interface UpkeepOptions {
  /** Between two rounds. Milliseconds. */
  everyMs?: number;
  retention?: Partial<Retention>;
}

/** Creates the partitions of coming days, deletes rows that are too old, resolves issues that end with time, and alerts operators. */
export function createUpkeep(deps: Deps, options: UpkeepOptions = {}): Upkeep {
  const { everyMs = 60_000 } = options;
  const retention = { ...RETENTION, ...options.retention };
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<UpkeepReport> | undefined;
  const run = async () => {
    const report = await runOnce(deps, retention, stopping.signal);
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

async function runOnce(deps: Deps, retention: Retention, signal: AbortSignal): Promise<UpkeepReport> {
  const report = { ...NOTHING };
  // Beside the steps: a server that does not answer delays none of them.
  const alerted = alertOperators(deps, signal).catch((err) =>
    deps.log.error({ err }, "a step of the upkeep failed"),
  );
  for (const name of Object.keys(STEPS) as (keyof UpkeepReport)[]) {
    if (signal.aborted) break;
    try {
      report[name] = await STEPS[name]({ database: deps.database, now: deps.now(), retention, signal });
    } catch (error) {
      // The other steps still run. The next round retries this one.
      deps.log.error({ err: error, what: name }, "a step of the upkeep failed");
    }
  }
  for (const part of [resolvePastMailIssues, reportCatchUp, watchSilence, deleteLeaving])
    await part(deps, signal).catch((err) => deps.log.error({ err }, "a step of the upkeep failed"));
  await alerted;
  return report;
}

async function batchByBatch(
  most: number,
  signal: AbortSignal,
  batch: () => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (let count = 0; count < most && !signal.aborted; count += 1) {
    const done = await batch();
    sum += done;
    if (done < BATCH) break;
  }
  return sum;
}

/** Returns a step that deletes the rows for which `isOld` holds. `key` has the columns of the primary key; `first`: the column in whose order. */
function deleting(
  table: string,
  key: string,
  isOld: (parts: { now: Date; retention: Retention }) => RawBuilder<unknown>,
  first = key,
): Step {
  const [rows, columns, order] = [
    sql.table(table),
    sql.raw(key),
    first === key ? sql`` : sql.raw(`order by ${first}`),
  ];
  return ({ database, now, retention, signal }) =>
    batchByBatch(BATCHES, signal, async () => {
      const condition = isOld({ now, retention });
      let deleted = 0;
      for (const organisation of await organisationsWith(database, table, condition)) {
        const { numAffectedRows } = await sql`
          delete from ${rows} where ${isOf(organisation)} (${columns}) in (
            select ${columns} from ${rows} where ${isOf(organisation)} ${condition} ${order} limit ${BATCH} for update skip locked)`.execute(
          database.kysely,
        );
        deleted += Number(numAffectedRows ?? 0);
      }
      return deleted;
    });
}

/** Tables whose rows belong to a job and are deleted before it. */
const TABLES = ["notifications", "declines", "bookings", "own_people", "shift_changes"] as const;

/**
 * Deletes up to `most` jobs whose shift ended before `before`, with everything that belongs to them. Returns their number. A job with a pending
 * booking, a booking in doubt, or scheduled work stays.
 */
async function deleteJobs(
  database: Pick<Database, "kysely" | "isDistributed">,
  before: Date,
  most: number,
): Promise<number> {
  let deleted = 0;
  for (const organisation of await organisationsWith(database, "jobs", sql`end_time < ${before}`))
    deleted += await deleteSome(database.kysely, organisation, before, most);
  return deleted;
}

function deleteSome(
  kysely: Database["kysely"],
  organisation: Organisation,
  before: Date,
  most: number,
): Promise<number> {
  const provider = providerOf(organisation, "old.provider_id");
  return kysely.transaction().execute(async (trx) => {
    const { rows } = await sql<{ keys: object[] }>`
      select coalesce(json_agg(json_build_object('provider_id', provider_id, 'job_id', job_id, 'shift_id', shift_id)), '[]') as keys
      from (select provider_id, job_id, shift_id from jobs
        where ${isOf(organisation)} start_time < ${before} and end_time < ${before}
          and not exists (select 1 from bookings where bookings.provider_id = jobs.provider_id and bookings.job_id = jobs.job_id
            and (status = 'pending' or at_provider = 'maybe'))
          and not exists (select 1 from work where work.provider_id = jobs.provider_id and kind = 'shift' and key = jobs.shift_id)
        order by start_time limit ${most} for update skip locked) as old`.execute(trx);
    const old = sql`${jsonRows(rows[0]?.keys ?? [])} as old (provider_id uuid, job_id uuid, shift_id text)`;
    for (const table of TABLES) {
      await sql`delete from ${sql.table(table)} as part using ${old}
        where part.provider_id = ${provider} and part.job_id = old.job_id`.execute(trx);
    }
    const { numAffectedRows } = await sql`delete from jobs using ${old}
      where jobs.provider_id = ${provider} and jobs.job_id = old.job_id`.execute(trx);
    await sql`delete from shifts using ${old}
      where shifts.provider_id = ${provider} and shifts.shift_id = old.shift_id and next_read_at is null
        and not exists (select 1 from jobs where jobs.provider_id = shifts.provider_id and jobs.shift_id = shifts.shift_id)`.execute(
      trx,
    );
    return Number(numAffectedRows ?? 0);
  });
}

const QUIET = "provider_quiet";
const SILENT_DAYS = 3;
/** The days before, in which a provider that is missed has sent webhooks. */
const BUSY_DAYS = 7;
const FEWEST = 20;

/** How long the silence needs figures. Days. */
const FIGURE_DAYS = SILENT_DAYS + BUSY_DAYS + 1;

/** Raises an issue for each active provider that sent at least 20 webhooks in a week and then none for three days. Resolves it when it sends again. */
async function watchSilence(deps: Deps): Promise<void> {
  const since = new Date(deps.now().getTime() - SILENT_DAYS * DAY_MS);
  const from = new Date(since.getTime() - BUSY_DAYS * DAY_MS);
  const { rows } = await sql<{ providerId: string; count: number; isQuiet: boolean }>`
    select provider_id, is_quiet, (
      select coalesce(sum(value), 0)::int from figures
      where figures.provider_id = known.provider_id and name = ${FIGURES.webhooks} and minute >= ${from} and minute < ${since}) as count
    from (
      select provider_id,
        not exists (select 1 from figures where figures.provider_id = integrations.provider_id
          and name = ${FIGURES.webhooks} and minute >= ${since}) as is_quiet,
        exists (select 1 from issues where issues.provider_id = integrations.provider_id
          and code = ${QUIET} and resolved_at is null) as is_known
      from integrations where state = 'active') as known
    where is_quiet <> is_known`.execute(deps.database.kysely);
  for (const { providerId, count, isQuiet } of rows) {
    const issue = { providerId, subject: { kind: "integration" } } as const;
    if (isQuiet && count < FEWEST) continue;
    await transact(deps, async (trx) => {
      if (!isQuiet) await resolveIssues(trx, deps, { ...issue, codes: [QUIET] });
      else await raiseIssue(trx, deps, { ...issue, code: QUIET, params: { count }, once: true });
    });
  }
}
