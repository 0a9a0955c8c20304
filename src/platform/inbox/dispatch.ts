import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { jsonRows, jsonTexts, ROW_BY_ROW } from "../db/fragments.ts";
import { byOrganisation, type Organisation, providerOf } from "../db/organisation.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream.ts";
import { grouped, type Trx, transact } from "../transaction.ts";
import { type Due, markDue, PRIORITY } from "../work/rows.ts";
import type { WaitingEvent } from "./receive.ts";

export interface Dispatcher {
  /** Reports events that were stored; returns at once. */
  stored(events: readonly WaitingEvent[]): void;
  /** Resolves when the shift of every event stored so far is due. */
  run(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export interface DispatcherOptions {
  /** How often to search for events whose process ended before it made their shifts due. Milliseconds. */
  everyMs?: number;
  /** The pause between two rounds, so that events collect under load. It does not delay the first round. Milliseconds. */
  pauseMs?: number;
}

type Parts = Pick<Deps, "database" | "log" | "wakeWorker">;

/** Makes the shifts of stored events due, in bulk, after the acknowledgement. A periodic sweep finds events left behind by a process that ended. */
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
        for (const [organisation, group] of byOrganisation(events, deps.database.isDistributed))
          await transact(deps, (trx) => dispatch(trx, deps, group, organisation));
      } catch (error) {
        // The events are stored, so the next sweep finds them.
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
      // Events left behind are usually recent. Older ones are searched batch by batch, one in each sweep.
      const next = await sweepFrom(LAST);
      if (next === undefined) sweptTo = undefined;
      else sweptTo = await sweepFrom(sweptTo ?? next);
      while (isWhole && sweptTo !== undefined && !stopped) sweptTo = await sweepFrom(sweptTo);
    } catch (error) {
      deps.log.error({ err: error }, "could not search for stored events that are not due");
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

/** Sorts after every event id. */
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const BATCH = 250;

/**
 * Makes shifts due whose events no reading has covered although the shift is not due soon: one batch of the events before `before`, newest first. Events of an inactive
 * integration wait for its activation. Returns where the next batch starts; undefined after the last one.
 */
async function markLeft(trx: Trx, deps: Parts, before: string): Promise<string | undefined> {
  const { rows } = await sql<Queued>`
    select event_id, provider_id, shift_id as key, verdict is null as "isUnread" from events
    where status = 'queued' and event_id < ${before} order by event_id desc limit ${BATCH}::int`.execute(trx);
  const unread = rows.filter(({ isUnread }) => isUnread);
  for (const [organisation, group] of grouped(trx, unread))
    markDue(trx, deps, await leftOf(trx, group, organisation));
  return rows.length === BATCH ? rows.at(-1)?.eventId : undefined;
}

interface Queued {
  eventId: string;
  providerId: string;
  /** The shift. */
  key: string;
  isUnread: boolean;
}

async function leftOf(trx: Trx, waiting: readonly Queued[], organisation: Organisation): Promise<Due[]> {
  const provider = providerOf(organisation, "waiting.providerId");
  const { rows } = await sql<Omit<Due, "priority">>`
    select distinct provider_id, 'shift' as kind, waiting.key
    from ${jsonRows(waiting)} as waiting ("providerId" uuid, key text) join integrations on provider_id = ${provider}
    where state = 'active' and not exists (select 1 from work where work.provider_id = ${provider}
      and work.kind = 'shift' and work.key = waiting.key
      and (work.due_at <= now() + interval '1 second' or work.claim is not null or work.attempts > 0) ${ROW_BY_ROW})`.execute(
    trx,
  );
  return rows.map((row) => ({ ...row, priority: PRIORITY.event }));
}

/** decisions, "duplicate traceId": deletes events that repeat one in the event log, which ended days ago. Returns their ids. */
async function dropRepeated(
  trx: Trx,
  events: readonly WaitingEvent[],
  organisation: Organisation,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ eventId: string }>`
    delete from events using (
      select again.* from ${jsonRows(events)}
          as again ("eventId" uuid, "providerId" uuid, event text, "shiftId" text, "traceId" text)
        join event_log as logged on logged.trace_id = again."traceId" and logged.provider_id = ${providerOf(organisation, "again.providerId")}
          and logged.shift_id = again."shiftId" and logged.event = again.event) as repeated
    where (events.provider_id, events.shift_id, events.event, events.trace_id)
        = (${providerOf(organisation, "repeated.providerId")}, repeated."shiftId", repeated.event, repeated."traceId")
      and events.event_id = repeated."eventId"
    returning events.event_id`.execute(trx);
  return new Set(rows.map(({ eventId }) => eventId));
}

async function dispatch(
  trx: Trx,
  deps: Parts,
  stored: readonly WaitingEvent[],
  organisation: Organisation,
): Promise<void> {
  const repeated = await dropRepeated(trx, stored, organisation);
  const events = stored.filter(({ eventId }) => !repeated.has(eventId));
  const providers = [...new Set(events.map(({ providerId }) => providerId))];
  const isOfThem =
    organisation === undefined
      ? sql`provider_id = any (array(select ${jsonTexts(providers)}::uuid))`
      : sql`provider_id = ${organisation}`;
  const { rows } = await sql<{ id: string }>`
    select provider_id as id from integrations where state = 'active' and ${isOfThem}`.execute(trx);
  const active = new Set(rows.map(({ id }) => id));
  const waiting = events.filter(({ providerId }) => active.has(providerId));
  const due = waiting.map(({ providerId, shiftId }) => ({
    providerId,
    kind: "shift" as const,
    key: shiftId,
    priority: PRIORITY.event,
  }));
  markDue(trx, deps, due);
  for (const { eventId, providerId, shiftId } of waiting)
    publish(trx, { type: "event", eventId, providerId, shiftId, status: "queued" });
}
