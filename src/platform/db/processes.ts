import { sql } from "kysely";
import { newId } from "../ids.ts";
import type { Database, Log } from "./database.ts";
import type { RunSql } from "./engine.ts";

/** The platform processes on one database. */
export interface Processes {
  /** How many are at work, this one among them, as it was a few seconds ago. */
  count(): number;
  /** Lets the others know at once that this process has ended. Never rejects. */
  leave(): Promise<void>;
}

const EVERY_MS = 5_000;

/** Records at intervals that this process is at work, and counts the processes that do. The database's clock decides. */
export async function joinProcesses(
  { kysely, engine }: Pick<Database, "kysely" | "engine">,
  log: Log,
  everyMs = EVERY_MS,
): Promise<Processes> {
  // An embedded database is locked against a second process.
  if (engine === "pglite") return { count: () => 1, leave: async () => undefined };
  const me = newId();
  let count = await recordAndCount(kysely, me);
  let beating: Promise<void> | undefined;
  const beat = async () => {
    try {
      count = await recordAndCount(kysely, me);
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
    count: () => count,
    leave: async () => {
      clearInterval(timer);
      // One under way would record this process again.
      await beating;
      await kysely
        .deleteFrom("processes")
        .where("process_id", "=", me)
        .execute()
        .catch((error) => log.warn({ err: error }, "could not record that this process has ended"));
    },
  };
}

/** A process is gone after three missed intervals. */
const AT_WORK = "seen_at > now() - interval '15 seconds'";

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
