import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/stream.ts";
import { type Trx, transact } from "../transaction.ts";
import { type Due, markDue, PRIORITY } from "../work/due.ts";
import type { WaitingEvent } from "./receive.ts";

export interface Dispatcher {
  /** These events were stored; returns at once. */
  stored(events: readonly WaitingEvent[]): void;
  /** Resolves when every event that is stored by now is due. */
  run(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export interface DispatcherOptions {
  /** How often to look for events of a process that ended before they were due. Milliseconds. */
  everyMs?: number;
  /** The pause between two rounds: it does not delay the first, but lets events collect under load. Milliseconds. */
  pauseMs?: number;
}

type Parts = Pick<Deps, "database" | "log" | "wakeWorker">;

/** Makes the shifts of stored events due, in bulk, after the acknowledgement. What a process that ended has left behind is found by the next round. */
export function createDispatcher(deps: Parts, options: DispatcherOptions = {}): Dispatcher {
  const { everyMs = 10_000, pauseMs = 5 } = options;
  let waiting: WaitingEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;
  let sweptTo: string | undefined;

  const rounds = async () => {
    while (waiting.length > 0) {
      const events = waiting;
      waiting = [];
      try {
        await transact(deps, (trx) => dispatch(trx, deps, events));
      } catch (error) {
        // They are stored: the next sweep finds them.
        deps.log.error({ err: error }, "could not make the shifts of stored events due");
      }
      if (!stopped) await sleep(pauseMs);
    }
  };
  const run = () => {
    running ??= rounds().finally(() => {
      running = undefined;
      if (waiting.length > 0) void run();
    });
    return running;
  };
  const sweepFrom = (before: string) => transact(deps, (trx) => markLeft(trx, deps, before));
  const sweep = async ({ isWhole }: { isWhole: boolean }) => {
    try {
      // What a process left behind is among the last; what is older is gone through little by little.
      const next = await sweepFrom(LAST);
      if (next === undefined) sweptTo = undefined;
      else sweptTo = await sweepFrom(sweptTo ?? next);
      while (isWhole && sweptTo !== undefined && !stopped) sweptTo = await sweepFrom(sweptTo);
    } catch (error) {
      deps.log.error({ err: error }, "could not look for stored events that are not due");
    }
  };
  return {
    stored: (events) => {
      waiting.push(...events);
      void run();
    },
    run: async () => {
      while (waiting.length > 0 || running) await run();
      await sweep({ isWhole: true });
    },
    start: () => {
      timer = setInterval(() => void sweep({ isWhole: false }), everyMs);
      void sweep({ isWhole: true });
    },
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** After every event. */
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const BATCH = 250;

/**
 * Makes due what waits although its shift is not due at all, of the events before `before`, the last first; those of an integration that is not active
 * wait for its activation. Returns where to go on; undefined when there are no more. `offset 0`: shift by shift, instead of reading all that is due.
 */
async function markLeft(trx: Trx, deps: Parts, before: string): Promise<string | undefined> {
  const { rows } = await sql<Omit<Due, "priority"> & { eventId: string; isLeft: boolean }>`
    select event_id as "eventId", provider_id as "providerId", 'shift' as kind, shift_id as key,
      state = 'active' and not exists (select from work where work.provider_id = waiting.provider_id
        and work.kind = 'shift' and work.key = waiting.shift_id and (work.due_at <= now() or work.priority < 2) offset 0) as "isLeft"
    from (select event_id, provider_id, shift_id from events
      where status = 'queued' and event_id < ${before} order by event_id desc limit ${BATCH}::int) as waiting
      join integrations using (provider_id)
    order by event_id desc`.execute(trx);
  const left = rows.filter(({ isLeft }) => isLeft);
  await markDue(
    trx,
    deps,
    left.map(({ providerId, kind, key }) => ({ providerId, kind, key, priority: PRIORITY.event })),
  );
  return rows.length === BATCH ? rows.at(-1)?.eventId : undefined;
}

/**
 * decisions, "duplicate traceId": an event that ended so long ago that it is in the log was stored once more. It goes, and nothing is done about it.
 * Returns the ids of those that went.
 */
async function dropRepeated(trx: Trx, events: readonly WaitingEvent[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ eventId: string }>`
    delete from events using (
      select again.* from json_to_recordset(${JSON.stringify(events)}::text::json)
          as again ("eventId" uuid, "providerId" uuid, event text, "shiftId" text, "traceId" text)
        join event_log as logged on logged.trace_id = again."traceId" and logged.provider_id = again."providerId"
          and logged.shift_id = again."shiftId" and logged.event = again.event) as repeated
    where (events.provider_id, events.shift_id, events.event, events.trace_id)
        = (repeated."providerId", repeated."shiftId", repeated.event, repeated."traceId")
      and events.event_id = repeated."eventId"
    returning events.event_id as "eventId"`.execute(trx);
  return new Set(rows.map(({ eventId }) => eventId));
}

async function dispatch(trx: Trx, deps: Parts, stored: readonly WaitingEvent[]): Promise<void> {
  const repeated = await dropRepeated(trx, stored);
  const events = stored.filter(({ eventId }) => !repeated.has(eventId));
  const providers = [...new Set(events.map(({ providerId }) => providerId))];
  const { rows } = await sql<{ id: string }>`
    select provider_id as id from integrations where state = 'active'
      and provider_id = any (array(select json_array_elements_text(${JSON.stringify(providers)}::text::json)::uuid))`.execute(
    trx,
  );
  const active = new Set(rows.map(({ id }) => id));
  const waiting = events.filter(({ providerId }) => active.has(providerId));
  const due = waiting.map(({ providerId, shiftId }) => ({
    ...{ providerId, kind: "shift" as const, key: shiftId },
    priority: PRIORITY.event,
  }));
  await markDue(trx, deps, due);
  for (const { eventId, providerId, shiftId } of waiting)
    publish(trx, { type: "event", eventId, providerId, shiftId, status: "queued" });
}
