import { sql } from "kysely";
import { MINUTE_MS } from "../../contract/timestamp.ts";
import { newId } from "../ids.ts";
import type { Database, Log } from "./database.ts";
import type { RunSql } from "./engine.ts";

/** The platform processes on one database. */
export interface Processes {
  /** How many are at work, this one among them, as it was a few seconds ago. */
  count(): number;
  /** Among how many a limit by the minute is divided: one that has ended counts for a minute more, in which its last calls are. */
  sharing(): number;
  /** From when this process may use its part of a limit, by `performance.now`: the others count it then. Infinity: they may have forgotten it. */
  since(): number;
  /** Lets the others know at once that this process has ended. Never rejects. */
  leave(): Promise<void>;
}

const EVERY_MS = 4_000;
/** A process that has not been seen for so long is gone: after three missed intervals. Milliseconds. */
const GONE_MS = 15_000;
/** One interval, in which the others count a new process, and time for their statements. */
const JOINING = 1.25;

/** What a process knows of the others, from the counts that it made. */
export function createAttendance(everyMs = EVERY_MS, now: () => number = () => performance.now()) {
  let counts: { at: number; count: number }[] = [];
  let recordedAt = Number.NEGATIVE_INFINITY;
  let since = Number.POSITIVE_INFINITY;
  const isForgotten = () => now() - recordedAt >= GONE_MS;
  return {
    /** @param begunAt when the statement was sent that recorded this process and counted. */
    counted: (count: number, begunAt: number) => {
      if (isForgotten()) since = now() + everyMs * JOINING;
      recordedAt = begunAt;
      counts = [...counts.filter(({ at }) => at > now() - MINUTE_MS), { at: now(), count }];
    },
    count: () => counts.at(-1)?.count ?? 1,
    sharing: () => Math.max(1, ...counts.map(({ count }) => count)),
    since: () => (isForgotten() ? Number.POSITIVE_INFINITY : since),
  };
}

/** Records at intervals that this process is at work, and counts the processes that do. The database's clock decides. */
export async function joinProcesses(
  { kysely, engine }: Pick<Database, "kysely" | "engine">,
  log: Log,
  everyMs = EVERY_MS,
): Promise<Processes> {
  // An embedded database is locked against a second process.
  if (engine === "pglite") return ALONE;
  const me = newId();
  const { counted, ...attendance } = createAttendance(everyMs);
  const record = async () => {
    const begunAt = performance.now();
    counted(await recordAndCount(kysely, me), begunAt);
  };
  await record();
  let beating: Promise<void> | undefined;
  const beat = async () => {
    try {
      await record();
    } catch (error) {
      log.warn({ err: error }, "could not count the processes at work");
    }
    beating = undefined;
  };
  const timer = setInterval(() => {
    beating ??= beat();
  }, everyMs);
  timer.unref();
  return {
    ...attendance,
    leave: async () => {
      clearInterval(timer);
      // One under way would record this process again.
      await beating;
      await kysely
        .deleteFrom("processes")
        .where("processId", "=", me)
        .execute()
        .catch((error) => log.warn({ err: error }, "could not record that this process has ended"));
    },
  };
}

const ALONE: Processes = {
  count: () => 1,
  sharing: () => 1,
  since: () => Number.NEGATIVE_INFINITY,
  leave: async () => undefined,
};

const AT_WORK = `seen_at > now() - interval '${GONE_MS} milliseconds'`;

/** Counts the platform processes on a database, from outside. */
export async function countProcesses(run: RunSql): Promise<number> {
  const { rows } = await run(`select count(*)::int as count from shiftpact.processes where ${AT_WORK}`);
  return rows[0].count;
}

async function recordAndCount(kysely: Database["kysely"], me: string): Promise<number> {
  const { rows } = await sql<{ others: number }>`
    with recorded as (
      insert into processes (process_id, seen_at) values (${me}, now())
      on conflict (process_id) do update set seen_at = excluded.seen_at),
    gone as (delete from processes where seen_at < now() - interval '1 minute' and process_id <> ${me})
    select count(*) as others from processes
    where process_id <> ${me} and ${sql.raw(AT_WORK)}`.execute(kysely);
  return 1 + (rows[0]?.others ?? 0);
}
