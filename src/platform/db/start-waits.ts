import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "./engine.ts";
import { withTimeout } from "./with-timeout.ts";

/** When a start that waits is reported, and how often after that. Milliseconds. */
export interface WaitTimes {
  firstMs: number;
  everyMs: number;
}

const TIMES: WaitTimes = { firstMs: 3_000, everyMs: 30_000 };

interface Wait {
  pid: number;
  event: string;
  seconds: number;
  standbys: string;
  /** The sessions that hold what this one waits for. */
  holders: unknown;
}

// What another role's session does is null, unless this one may read it.
const WAITS = `
  select waiting.pid, wait_event as event, extract(epoch from now() - query_start)::int as seconds,
    current_setting('synchronous_standby_names') as standbys,
    (select json_agg(json_build_object('pid', holder.pid, 'user', usename, 'application', application_name,
        'address', client_addr, 'state', state, 'since', state_change, 'waitsFor', wait_event))
      from pg_stat_activity as holder where holder.pid = any(pg_blocking_pids(waiting.pid))) as holders
  from pg_stat_activity as waiting
  where datname = current_database() and usename = current_user and application_name = 'shiftpact'
    and (wait_event = 'SyncRep' or wait_event_type = 'Lock') and query_start < now() - make_interval(secs => $1)`;

/**
 * Runs `work`, however long it takes, and logs what the platform's sessions wait for meanwhile. It is not given up: what it waits for, such as
 * a migration or a standby, comes back without the platform, and a session that commits would stay behind.
 */
export async function reportingWaits<T>(
  work: () => Promise<T>,
  newClient: () => pg.Client,
  log: Log,
  { firstMs, everyMs }: WaitTimes = TIMES,
): Promise<T> {
  const over = new AbortController();
  const watch = async () => {
    for (let ms = firstMs; !over.signal.aborted; ms = everyMs) {
      const isOver = await sleep(ms, false, { signal: over.signal }).catch(() => true);
      if (!isOver) await report(newClient, log, firstMs / 1_000);
    }
  };
  void watch();
  return work().finally(() => over.abort());
}

async function report(newClient: () => pg.Client, log: Log, longerThanSeconds: number): Promise<void> {
  const client = newClient();
  client.on("error", () => undefined);
  try {
    const { rows } = await withTimeout(
      client.connect().then(() => client.query<Wait>(WAITS, [longerThanSeconds])),
    );
    for (const wait of rows) logWait(wait, log);
  } catch (error) {
    log.warn({ err: error }, "the start waits for the database, which does not say what it does");
  } finally {
    client.end().catch(() => undefined);
  }
}

function logWait({ event, standbys, holders, ...wait }: Wait, log: Log): void {
  if (event === "SyncRep")
    log.warn(
      { ...wait, synchronousStandbyNames: standbys },
      "a commit waits for a synchronous standby: start one that synchronous_standby_names lists, or empty that setting",
    );
  else if (event === "advisory")
    log.warn({ ...wait, holders }, "waits until another process has ended its migration or restore");
  else
    log.warn(
      { ...wait, holders },
      "a migration waits for a lock: wait for the sessions that hold it, or end them with pg_terminate_backend",
    );
}
