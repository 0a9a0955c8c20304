import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { jsonRows, late } from "../db/fragments.ts";
import type { Throttle } from "../db/in-batches.ts";
import { withTimeout } from "../db/with-timeout.ts";
import { newId as makeId } from "../ids.ts";

export interface ReceivedEvent {
  providerId: string;
  event: string;
  shiftId: string;
  /** How the provider spells a shift's UUID, where it is not in lower case: it may compare text, so requests use that. */
  spelling?: string;
  traceId: string;
  /** `ignored`: the event has an unknown name, so it is only stored. */
  status?: "queued" | "ignored";
  /** The W3C traceparent of its span, while tracing is on. */
  traceparent?: string;
}

/** A stored event. */
export type WaitingEvent = ReceivedEvent & { status: "queued" | "ignored"; eventId: string };

export type Receipt = "stored" | "duplicate";

export interface Inbox {
  /**
   * Resolves once the event is committed. Rejects only if this event, not another of its batch, could not be stored.
   * @param arrivedAt when the request came, by `performance.now`; now unless given
   */
  receive(event: ReceivedEvent, arrivedAt?: number): Promise<Receipt>;
}

export interface InboxOptions {
  db: Tables;
  /** Called after each commit with the events that wait now. */
  onStored: (events: readonly WaitingEvent[]) => void;
  /** Called after each attempt to store events, with the error if none of them could be stored. */
  onAttempt?: (error?: unknown) => void;
  throttle?: Pick<Throttle, "stored">;
  now?: () => number;
  newId?: () => string;
  /** The time limit of an event, from its arrival. Milliseconds. */
  silenceMs?: number;
}

interface Tables {
  kysely: Kysely;
  isDistributed?: boolean | undefined;
}

type Kysely = Database["kysely"];

interface Waiting {
  row: EventRow;
  /** When its request came, and since when it waits here. By `performance.now`. */
  arrivedAt: number;
  since: number;
  resolve: (receipt: Receipt) => void;
  reject: (error: unknown) => void;
}

type EventRow = WaitingEvent & { receivedAt: string };

/** Events of one statement, each of at most 64 kB. */
const LARGEST_BATCH = 500;
/**
 * A webhook that is not stored this long after it came is refused: before the provider gives up (5 s; decisions, "provider's webhook retries").
 * Milliseconds.
 */
const SILENCE_MS = 4_000;
/** What a statement gets even so, when the look-up of the token or an earlier batch has used up the time. Milliseconds. */
const LEAST_MS = 500;

/**
 * Stores webhooks. An event that `receive` acknowledges is on disk.
 *
 * All waiting calls share one INSERT and its commit, one flush at a time, because parsing and planning cost more than the sync. Commits keep the
 * order of arrival.
 */
export function createInbox(options: InboxOptions): Inbox {
  const { db, onStored, throttle, now = Date.now, newId = makeId, silenceMs = SILENCE_MS } = options;
  const { onAttempt = () => undefined } = options;
  const waiting: Waiting[] = [];
  let flushing = false;

  const flushAll = async () => {
    flushing = true;
    while (waiting.length > 0) {
      const since = waiting[0]?.since ?? 0;
      const batch = new Batch(waiting);
      const next = waiting.slice(0, LARGEST_BATCH);
      const earliest = Math.min(...next.map(({ arrivedAt }) => arrivedAt));
      const leftMs = Math.max(LEAST_MS, earliest + silenceMs - performance.now());
      const stored = await settle({ ...db, silenceMs: leftMs, onAttempt }, batch);
      const at = performance.now();
      throttle?.stored({ waitedMs: at - since, tookMs: at - batch.sentAt });
      if (stored.length > 0) onStored(stored);
    }
    flushing = false;
  };

  return {
    receive: (event, arrivedAt = performance.now()) =>
      new Promise((resolve, reject) => {
        const receivedAt = new Date(now()).toISOString();
        waiting.push({
          row: { status: "queued", ...event, eventId: newId(), receivedAt },
          arrivedAt,
          since: performance.now(),
          resolve,
          reject,
        });
        if (!flushing) void flushAll();
      }),
  };
}

/** The calls that wait when its statement is sent. Until then, more may join. */
class Batch {
  readonly #waiting: Waiting[];
  #all: Waiting[] | undefined;
  /** By `performance.now`. */
  sentAt = 0;

  constructor(waiting: Waiting[]) {
    this.#waiting = waiting;
  }

  /** Fixed by the first call. */
  get all(): Waiting[] {
    if (!this.#all) {
      this.sentAt = performance.now();
      this.#all = this.#waiting.splice(0, LARGEST_BATCH).sort(byKey);
    }
    return this.#all;
  }
}

interface Store extends Tables {
  silenceMs: number;
  onAttempt: (error?: unknown) => void;
}

/** Sorts rows by the unique index, so that two processes that store the same events cannot deadlock. */
const byKey = ({ row: left }: Waiting, { row: right }: Waiting): number =>
  compare(left.traceId, right.traceId) ||
  compare(left.shiftId, right.shiftId) ||
  compare(left.event, right.event) ||
  compare(left.providerId, right.providerId);

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

/** Stores a batch and settles each of its promises; returns the events that wait now. Never rejects. */
async function settle(store: Store, batch: Batch): Promise<EventRow[]> {
  try {
    const isStored = await withTimeout(insert(store.kysely, batch), store.silenceMs);
    store.onAttempt();
    const duplicates = batch.all.filter(({ row }) => !isStored(row));
    for (const { row, resolve } of batch.all) if (isStored(row)) resolve("stored");
    const requeued = duplicates.length > 0 ? await settleDuplicates(store, duplicates) : [];
    const stored = batch.all
      .filter(({ row }) => row.status === "queued" && isStored(row))
      .map(({ row }) => row);
    return [...stored, ...requeued];
  } catch (error) {
    const parts = partsOf(store, batch.all, error);
    if (parts.length > 1) return storeApart(store, parts, batch.sentAt);
    if (!isOfOneRow(error)) store.onAttempt(error);
    for (const { reject } of batch.all) reject(error);
    return [];
  }
}

/** Whether the error concerns a single row. PostgreSQL's classes 22 and 23: a value cannot be stored; 54: it is too long. All others concern every row. */
const isOfOneRow = (error: unknown): boolean =>
  error instanceof Error && /^(?:22|23|54)/.test(String((error as NodeJS.ErrnoException).code));

/** One refused row fails the whole INSERT, as does one server of a distributed database, which has the events of some organisations. */
function partsOf({ isDistributed }: Store, rows: Waiting[], error: unknown): Waiting[][] {
  if (isOfOneRow(error)) return rows.map((one) => [one]);
  if (!isDistributed) return [rows];
  return [...Map.groupBy(rows, ({ row }) => row.providerId).values()];
}

/** Stores the parts of a batch in a statement each. */
async function storeApart(store: Store, parts: Waiting[][], begunAt: number): Promise<EventRow[]> {
  const attempts: unknown[] = [];
  const rest = {
    ...store,
    silenceMs: Math.max(LEAST_MS, store.silenceMs - (performance.now() - begunAt)),
    onAttempt: (error?: unknown) => void attempts.push(error),
  };
  const stored = await Promise.all(parts.map((part) => settle(rest, new Batch(part))));
  if (attempts.length > 0) store.onAttempt(attempts.includes(undefined) ? undefined : attempts[0]);
  return stored.flat();
}

const COLUMNS = sql`("eventId" uuid, "providerId" uuid, event text, "shiftId" text, "traceId" text,
  status text, "receivedAt" timestamptz, traceparent text, spelling text)`;

/**
 * Inserts a batch, and returns a function that tests whether a row is new.
 * Ids are returned only if there was a duplicate, because reading a row costs as much as sending one.
 */
async function insert(kysely: Kysely, batch: Batch): Promise<(row: EventRow) => boolean> {
  const rows = late(() => JSON.stringify(batch.all.map(({ row }) => row)));
  const count = late(() => batch.all.length);
  const { rows: results } = await sql<{ eventIds: string[] | null }>`
    with stored as (
      insert into events (event_id, provider_id, event, shift_id, trace_id, status, received_at, traceparent, spelling)
      select * from ${jsonRows(rows)} as incoming ${COLUMNS}
      on conflict (provider_id, shift_id, event, trace_id) do nothing
      returning event_id)
    select case when count(*) < ${count}::int then coalesce(array_agg(event_id::text), '{}') end as "eventIds"
    from stored`.execute(kysely);
  const eventIds = results[0]?.eventIds;
  if (eventIds === null) return () => true;
  const stored = new Set(eventIds);
  return ({ eventId }) => stored.has(eventId);
}

/** decisions, "duplicate traceId": requeues events that had failed permanently, and returns them. */
async function settleDuplicates({ kysely, silenceMs }: Store, duplicates: Waiting[]): Promise<EventRow[]> {
  try {
    const rows = duplicates.map(({ row }) => row);
    const requeued = sql<{ traceId: string; shiftId: string }>`
      update events set status = 'queued', processed_at = null, verdict = null, is_read = false, attempts = 0
      from ${jsonRows(rows)} as again ${COLUMNS}
      where (events.provider_id, events.event, events.shift_id, events.trace_id)
          = (again."providerId", again.event, again."shiftId", again."traceId")
        and events.status in ('failed', 'dead')
      returning events.trace_id, events.shift_id`.execute(kysely);
    const found = new Set(
      (await withTimeout(requeued, silenceMs)).rows.map(({ traceId, shiftId }) => `${traceId} ${shiftId}`),
    );
    for (const { resolve } of duplicates) resolve("duplicate");
    return duplicates
      .map(({ row }) => row)
      .filter(({ traceId, shiftId }) => found.has(`${traceId} ${shiftId}`));
  } catch (error) {
    for (const { reject } of duplicates) reject(error);
    return [];
  }
}
