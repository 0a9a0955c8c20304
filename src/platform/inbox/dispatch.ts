import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Database, Log } from "../db/database.ts";
import type { Queue } from "../queue/task.ts";

/** The queue that the inbox feeds; the task's id is the event's. */
export const EVENTS_QUEUE = "events";

export interface EventTask {
  eventId: string;
  providerId: string;
  event: string;
  shiftId: string;
  traceId: string;
}

export interface Dispatcher {
  /** There may be something to dispatch; returns at once. */
  wake(): void;
  /** Dispatches all that is stored by now. */
  run(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export interface DispatcherOptions {
  db: Pick<Database, "kysely">;
  queue: Pick<Queue, "enqueueMany">;
  log: Log;
  now?: () => number;
  /** How often to look without being told: rows of a process that ended, lost signals. Milliseconds. */
  everyMs?: number;
  /** The pause between two rounds. It does not delay the first, but lets rows collect under load. Milliseconds. */
  pauseMs?: number;
}

const ROUND = 1_000;

/**
 * Turns stored events into queued tasks, in bulk, after the answer. Safe with several processes. Events of an integration that
 * is not active wait.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { log, everyMs = 5_000, pauseMs = 20 } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let wanted = false;
  let stopped = false;

  const rounds = async () => {
    while (wanted && !stopped) {
      wanted = false;
      // A full round means that there may be more.
      while ((await dispatchRound(options)) === ROUND && !stopped);
      await sleep(pauseMs);
    }
  };
  const wake = () => {
    wanted = true;
    running ??= rounds()
      .catch((error) => log.error({ err: error }, "could not dispatch stored events"))
      .finally(() => {
        running = undefined;
        if (wanted && !stopped) wake();
      });
  };

  return {
    wake,
    run: async () => {
      let dispatched: number;
      do {
        // Rows that a round under way has locked would be skipped.
        await running;
        dispatched = await dispatchRound(options);
      } while (dispatched === ROUND || running);
    },
    start: () => {
      timer = setInterval(wake, everyMs);
      wake();
    },
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** One transaction: the rows are marked if and only if their tasks are queued. Answers their number. */
async function dispatchRound({ db, queue, now = Date.now }: DispatcherOptions): Promise<number> {
  return db.kysely.transaction().execute(async (trx) => {
    const { rows } = await sql<EventTask>`
      update events set dispatched_at = ${new Date(now())}
      where event_id = any (array(
        select event_id from events where dispatched_at is null and status = 'queued' and event_id = any (array(
          select waiting.event_id from integrations cross join lateral (
            select event_id from events
            where provider_id = integrations.provider_id and dispatched_at is null and status = 'queued'
            order by event_id limit ${ROUND}) as waiting
          where integrations.state = 'active' order by waiting.event_id limit ${ROUND}))
        for update skip locked))
      returning event_id as "eventId", provider_id as "providerId", event, shift_id as "shiftId",
        trace_id as "traceId"`.execute(trx);
    const tasks = rows.map((data) => ({
      id: data.eventId,
      key: `${data.providerId}:${data.shiftId}`,
      group: data.providerId,
      data,
    }));
    await queue.enqueueMany(trx, EVENTS_QUEUE, tasks);
    return rows.length;
  });
}
