import { sql, type Transaction } from "kysely";
import type { FieldChange } from "../../generated/operations/types.ts";
import type { Database } from "./db/database.ts";
import { jsonRows, jsonTexts } from "./db/fragments.ts";
import { byOrganisation, inserted, type Organisation } from "./db/organisation.ts";
import type { Schema } from "./db/schema.ts";
import { payloadsOf, SIGNALS } from "./db/signals.ts";
import { newId } from "./ids.ts";
import type { Step } from "./step.ts";

export type Trx = Transaction<Schema>;

/** What a transaction collects and writes at its end, in one statement for each kind. */
interface Gathered {
  isDistributed: boolean | undefined;
  rows: Map<Writer<never>, { providerId: string }[]>;
  steps: Step[];
  /** Who asked for the operation of the transaction. */
  operator: string | undefined;
  topics: Set<string>;
  afterCommit: Set<() => void>;
  locks: Database["locks"];
  /** Holds locks beside the transaction. */
  beside?: Beside;
}

interface Beside {
  trx: Trx;
  end(): Promise<void>;
}

/**
 * The tables whose rows a transaction locks, or changes, in this order, so that two cannot deadlock; `locks` has those of people (`lockPeople`). Several rows
 * of one are locked in the order of a key. The tests check it for every transaction that they run.
 */
export const LOCK_ORDER = ["jobs", "locks", "candidates", "bookings", "issues", "work"] as const;

/** What a transaction writes at its end, in this order: each needs what is before it. */
const WRITE_ORDER = ["shifts", "jobs", "own_people", "events", "notifications", "issues", "work"] as const;

/** Writes all rows of one table in one statement, or one for each organisation. */
export interface Writer<Row> {
  table: (typeof WRITE_ORDER)[number];
  /** Runs just before the commit, after all others, and not with `writeRows`. */
  isLast?: boolean;
  write(trx: Trx, rows: readonly Row[], organisation: Organisation): Promise<void>;
}

/** The audit log entry of one operation. */
export interface AuditScope {
  /** The name of the operator. */
  readonly by: string;
  /** Adds to the entry, before the transaction ends. Replaces fields that were noted before. */
  note(about: { subjects?: Record<string, string>; changes?: readonly FieldChange[] }): void;
  /** Writes the entry in the first transaction of the operation, and another one if more is noted later. */
  write(trx: Trx): Promise<void>;
}

const gatheredBy = new WeakMap<Trx, Gathered>();

/**
 * Runs `work` in a transaction. The audit log entry, trace steps, and signals that `work` records are written just before the commit, in their
 * order. Functions registered with `afterCommit` are called once the transaction has committed.
 */
export async function transact<T>(
  { database, audit }: { database: Pick<Database, "kysely" | "isDistributed" | "locks">; audit?: AuditScope },
  work: (trx: Trx) => T | Promise<T>,
): Promise<T> {
  const gathered: Gathered = {
    isDistributed: database.isDistributed,
    rows: new Map(),
    steps: [],
    operator: audit?.by,
    topics: new Set(),
    afterCommit: new Set(),
    locks: database.locks,
  };
  const transaction = database.kysely.transaction().execute(async (trx) => {
    gatheredBy.set(trx, gathered);
    const value = await work(trx);
    await audit?.write(trx);
    await writeRows(trx);
    await write(trx, () => true);
    await writeGathered(trx, gathered);
    return value;
  });
  const result = await transaction.finally(() => gathered.beside?.end());
  for (const call of gathered.afterCommit) call();
  return result;
}

function gathered(trx: Trx): Gathered {
  const own = gatheredBy.get(trx);
  if (!own) throw new Error("the transaction was not begun with transact");
  return own;
}

/**
 * Returns where a transaction locks names. A distributed database commits at one worker after the other: what is locked in the transaction could be
 * free before its rows are visible at every worker, so a second transaction holds the locks until the first has ended.
 */
export async function placeOfLocks(trx: Trx): Promise<Trx> {
  const own = gathered(trx);
  if (!own.locks) return trx;
  own.beside ??= await openBeside(own.locks);
  return own.beside.trx;
}

async function openBeside(kysely: Database["kysely"]): Promise<Beside> {
  const opened = Promise.withResolvers<Trx>();
  const over = Promise.withResolvers<void>();
  const ended = kysely.transaction().execute(async (trx) => {
    opened.resolve(trx);
    await over.promise;
  });
  ended.catch(opened.reject);
  const trx = await opened.promise;
  return {
    trx,
    end: () => {
      over.resolve();
      // A lock that ends too late only lets others wait.
      return ended.catch(() => undefined);
    },
  };
}

/** Writes the row at the end of the transaction, together with others of its kind. */
export function writeAtEnd<Row extends { providerId: string }>(
  trx: Trx,
  writer: Writer<Row>,
  row: Row,
): void {
  const { rows } = gathered(trx);
  const of = rows.get(writer);
  if (of) of.push(row);
  else rows.set(writer, [row]);
}

/** Writes the collected rows now, for a transaction that reads them. */
export const writeRows = (trx: Trx): Promise<void> => write(trx, ({ isLast }) => !isLast);

async function write(trx: Trx, isWanted: (writer: Writer<never>) => boolean): Promise<void> {
  const { rows, isDistributed } = gathered(trx);
  const wanted = [...rows].filter(([writer]) => isWanted(writer));
  for (const [writer] of wanted) rows.delete(writer);
  const rankOf = ({ table }: Writer<never>) => WRITE_ORDER.indexOf(table);
  wanted.sort(([one], [other]) => rankOf(one) - rankOf(other));
  for (const [writer, each] of wanted)
    for (const [organisation, group] of byOrganisation(each, isDistributed))
      await writer.write(trx, group as never[], organisation);
}

/** Groups rows as `byOrganisation` does, for the database of the transaction. */
export const grouped = <Row extends { providerId: string }>(trx: Trx, rows: readonly Row[]) =>
  byOrganisation(rows, gathered(trx).isDistributed);

/** Adds steps to a trace, in the transaction that they describe. */
export function recordSteps(trx: Trx, steps: readonly Step[]): void {
  gathered(trx).steps.push(...steps);
}

/** Signals a topic to every process once the transaction has committed. Repeated topics are sent once. */
export function signal(trx: Trx, topic: string): void {
  gathered(trx).topics.add(topic);
}

/** Calls `call` after the commit. The same function is called once. */
export function afterCommit(trx: Trx, call: () => void): void {
  gathered(trx).afterCommit.add(call);
}

/** Writes steps and signals in one statement, whose text does not depend on their number. Only the coordinator of a distributed database sends signals. */
async function writeGathered(trx: Trx, { steps, operator, topics, isDistributed }: Gathered): Promise<void> {
  if (steps.length === 0 && topics.size === 0) return;
  const rows = steps.map(({ params = {}, ...step }) => ({ ...step, params, operator, stepId: newId() }));
  const notify = sql`select pg_notify(${SIGNALS}, payload)
    from ${jsonTexts(payloadsOf([...topics]))} as sent (payload)`;
  if (!isDistributed) {
    await sql`with written as (${insertSteps(rows, undefined)}) ${notify}`.execute(trx);
    return;
  }
  for (const [organisation, group] of grouped(trx, rows)) await insertSteps(group, organisation).execute(trx);
  if (topics.size > 0) await notify.execute(trx);
}

function insertSteps(rows: readonly object[], organisation: Organisation) {
  const { provider, join } = inserted(organisation, "recorded.providerId");
  return sql`
    insert into trace_steps (step_id, trace_id, step, code, params, duration_ms, provider_id, shift_id, job_id, operator)
    select "stepId", "traceId", step, code, params, "durationMs", ${provider}, "shiftId", "jobId", operator
    from ${jsonRows(rows)} as recorded ("stepId" uuid, "traceId" text, step text,
      code text, params jsonb, "durationMs" float8, "providerId" uuid, "shiftId" text, "jobId" uuid, operator text) ${join}`;
}
