import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { apply } from "../../scripts/simulate/apply.ts";
import { acceptAbsence } from "../../scripts/simulate/integration.ts";
import { loadState } from "../../scripts/simulate/load-state.ts";
import type { Watcher } from "../../scripts/simulate/runs.ts";
import type { Schedule } from "../../scripts/simulate/schedules.ts";
import { simulate } from "../../scripts/simulate/simulation.ts";
import { Store } from "../../scripts/simulate/store.ts";
import type { Database } from "../../src/platform/db/database.ts";
import type { Deps } from "../../src/platform/deps.ts";
import { intentOf } from "../../src/platform/shifts/act.ts";
import { loadShifts } from "../../src/platform/shifts/observe/load.ts";
import { type Plan, plan } from "../../src/platform/shifts/plan/plan.ts";
import type { RunSoFar, ShiftState } from "../../src/platform/shifts/plan/state.ts";
import type { Write } from "../../src/platform/shifts/plan/writes.ts";
import { record } from "../../src/platform/shifts/record/record.ts";
import { addSurroundings, shiftIn } from "../../src/platform/shifts/run.ts";
import { type Trx, transact } from "../../src/platform/transaction.ts";
import { refresh } from "../../src/platform/work/refresh.ts";
import type { Claim } from "../../src/platform/work/rows.ts";
import { ProblemError } from "../../src/runtime/problem.ts";
import { depsFor } from "../harness/deps.ts";
import { type Command, commandAt } from "./simulate-twin-commands.ts";
import {
  comparable,
  KEYS,
  PROVIDER,
  type Row,
  rowsDiffer,
  type Tables,
  tablesOf,
  toSql,
} from "./simulate-twin-rows.ts";

/** One step of a run in memory: what the plan got and returned, and the rows before and after it. */
interface Step {
  state: ShiftState;
  run: RunSoFar;
  now: number;
  writes: readonly Write[];
  before: Tables;
  after: Tables;
  /** Tried after it, on the rows before it. */
  command: (Command & { rejected: string | undefined; after: Tables }) | undefined;
  /** Greater ids are new in the step. */
  lastId: number;
}

const unused = () => {
  throw new Error("a run needs no sealed number");
};

/** Runs a schedule in memory, and returns each step of its runs. */
function stepsOf(schedule: Schedule): Step[] {
  const steps: Step[] = [];
  const watched: Watcher = (state, run, now, rules, store) => {
    const planned = (given: ShiftState, of: Store) => {
      const made = plan(given, run, now, rules);
      steps.push(stepOf(of, { state: given, run, now }, made, steps.length));
      return made;
    };
    const { removed, vanished } = state.surroundings;
    // In no schedule does an operator confirm that what is missing is gone.
    if (state.integration.isHeld || removed || vanished.known > 0) {
      const copy = copyOf(store);
      copy.integration.heldSince ??= now;
      acceptAbsence(copy, now);
      planned(loadState(copy, state.shiftId, now, run), copy);
    }
    return planned(state, store);
  };
  simulate(schedule, { plan: watched });
  return steps;
}

function stepOf(
  store: Store,
  given: Pick<Step, "state" | "run" | "now">,
  { next, writes }: Plan,
  nth: number,
): Step {
  const { state, now } = given;
  const isCall = next.do !== "rest" && next.do !== "read" && next.do !== "witness";
  const made = isCall ? [...writes, intentOf(next, now)] : writes;
  const [applied, commanded] = [copyOf(store), copyOf(store)];
  apply(applied, state, made, now, { notified: () => undefined });
  const command = nth % 2 === 0 ? commandAt(store, state.shiftId, nth / 2) : undefined;
  const rejected = command?.inMemory(commanded, now);
  return {
    ...given,
    writes: made,
    before: tablesOf(store),
    after: tablesOf(applied),
    command: command && { ...command, rejected, after: tablesOf(commanded) },
    lastId: store.lastId,
  };
}

const copyOf = (store: Store) => Object.assign(new Store(), structuredClone({ ...store }));

/** The database's clock shows the time of the simulation, or is ahead of it. */
export async function setClock({ raw }: Pick<Database, "raw">, aheadBy = "0"): Promise<void> {
  const clock = `() returns timestamptz language sql stable as
    $$ select current_setting('clock.at')::timestamptz + interval '${aheadBy}' $$`;
  await raw.executeSql(`create schema if not exists clock;
    create or replace function clock.now${clock}; create or replace function clock.clock_timestamp${clock};
    alter table shiftpact.own_people alter created_at set default clock.now()`);
}

const OVER = new Error("what the steps wrote is rolled back");

/** Takes each step of a schedule on the database, too, until the plan gets another state there, or other rows are left. */
export async function firstDifference(database: Database, schedule: Schedule): Promise<object | undefined> {
  let found: object | undefined;
  const work = async (trx: Trx) => {
    await sql`set local search_path to clock, pg_catalog, shiftpact, public`.execute(trx);
    let stored: Tables = {};
    for (const [nth, step] of stepsOf(schedule).entries()) {
      await store(trx, stored, toSql(step.before));
      stored = toSql(step.before);
      const difference = await take(database, trx, step);
      if (difference) found = { nth, shiftId: step.state.shiftId, ...difference };
      if (found) break;
    }
    throw OVER;
  };
  await database.kysely
    .transaction()
    .execute(work)
    .catch((error) => error === OVER || Promise.reject(error));
  return found;
}

/** Replaces what is stored by other rows. */
async function store(trx: Trx, before: Tables, after: Tables): Promise<void> {
  const rowsOf = (table: string, rows: readonly Row[]) =>
    sql`jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::text::jsonb)`;
  const columnsOf = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
  for (const [table, key] of Object.entries(KEYS)) {
    const [was, is] = [before[table] ?? [], after[table] ?? []];
    const [known, kept] = [
      new Set(was.map((each) => JSON.stringify(each))),
      new Set(is.map((each) => keyOf(each, key))),
    ];
    const changed = is.filter((each) => !known.has(JSON.stringify(each)));
    const gone = was.filter((each) => !kept.has(keyOf(each, key)));
    const columns = Object.keys(changed[0] ?? {});
    if (gone.length > 0)
      await sql`delete from ${sql.table(table)} where (${columnsOf(key)}) in (select ${columnsOf(key)} from ${rowsOf(table, gone)})`.execute(
        trx,
      );
    if (changed.length > 0)
      await sql`insert into ${sql.table(table)} (${columnsOf(columns)}) select ${columnsOf(columns)} from ${rowsOf(table, changed)}
        on conflict (${columnsOf(key)}) do update set ${sql.join(columns.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`))}`.execute(
        trx,
      );
  }
}

const keyOf = (row: Row, key: readonly string[]) => key.map((column) => row[column]).join(" ");

/** Takes a step on the database, and takes it back. Then the same with its command. */
async function take(database: Database, trx: Trx, step: Step) {
  const { state, now, lastId, command } = step;
  const kysely = Object.assign(trx, {
    transaction: () => ({ execute: (work: (trx: Trx) => unknown) => work(trx) }),
  });
  const deps = depsFor({ ...database, kysely } as unknown as Database, {
    now: () => new Date(now),
    numbers: { hash: (number) => number, columns: unused, open: unused },
  });
  const left = async (work: () => Promise<object | undefined>) => {
    await sql`savepoint step`.execute(trx);
    const difference = await work();
    await refreshAll(trx, deps);
    const tables = comparable(await read(trx), lastId);
    await sql`rollback to savepoint step`.execute(trx);
    return { difference, tables };
  };
  const [run, writes] = toSql([{ ...step.run, failed: [] }, step.writes]) as unknown as [RunSoFar, Write[]];
  const providerId = toSql(PROVIDER);
  const key = { providerId, shiftId: state.shiftId };
  await sql`select set_config('clock.at', ${new Date(now).toISOString()}, true)`.execute(trx);
  const taken = await left(async () => {
    const [loaded] = await loadShifts(trx, [{ key, read: shiftIn(run) }], deps.now());
    if (!loaded) throw new Error("the integration is not stored");
    await addSurroundings(trx, deps, key, run, loaded);
    await transact(deps, async (within) => (await record(within, deps, loaded.state, writes))());
    return statesDiffer(comparable(loaded.state, lastId), comparable(state, lastId));
  });
  const difference = taken.difference ?? rowsDiffer(taken.tables, comparable(step.after, lastId));
  if (difference || !command) return difference && { ...difference, writes };
  const answered = await left(async () => {
    const code = await command.inSql(deps, providerId, toSql).then(() => undefined, codeOf);
    return code === command.rejected ? undefined : { sql: code, memory: command.rejected };
  });
  const other = answered.difference ?? rowsDiffer(answered.tables, comparable(command.after, lastId));
  return other && { ...other, command: command.name };
}

function codeOf(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.code;
  throw error;
}

/** The worker makes shifts due that a command or a response concerns; the simulator does it at once. It offers nothing to those who have become free. */
async function refreshAll(trx: Trx, deps: Deps): Promise<void> {
  const { rows } = await sql<Claim>`
    update work set claim = provider_id where kind = 'refresh' and key in ('responds', 'mapped', 'activated', 'missing')
    returning provider_id as "providerId", kind, key, priority, attempts, claim, revision`.execute(trx);
  for (const claim of rows) await refresh(deps)(claim, AbortSignal.any([]), unused);
  await sql`delete from work where kind = 'refresh'`.execute(trx);
}

/** The parts of two states that differ. */
function statesDiffer(stored: ShiftState, memory: ShiftState) {
  const differing = Object.keys(memory).filter((part) => {
    const [one, other] = [stored, memory].map((state) => state[part as keyof ShiftState]);
    return part !== "providerId" && !isDeepStrictEqual(alike(one, other), alike(other, one));
  });
  if (differing.length === 0) return undefined;
  const partsOf = (state: ShiftState) => differing.map((part) => state[part as keyof ShiftState]);
  return { differing, sql: partsOf(stored), memory: partsOf(memory) };
}

/** Rows have columns that the other side does not keep. */
function alike(value: unknown, other: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(other)) return value.map((each, nth) => alike(each, other[nth]));
  if (!isObject(value) || !isObject(other)) return value;
  const isRow = ["jobId", "bookingId", "changeId", "operationId"].some((id) => id in value && id in other);
  const entries = Object.entries(value).filter(([name]) => !isRow || name in other);
  return Object.fromEntries(entries.map(([name, each]) => [name, alike(each, other[name])]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The rows of all tables, in JSON, under the names of their columns. */
async function read(trx: Trx): Promise<Tables> {
  const rowsOf = (table: string) =>
    sql`(select coalesce(jsonb_agg(to_jsonb(t)), '[]') from ${sql.table(table)} as t)`;
  const tables = Object.keys(KEYS).map((table) => sql`${sql.lit(table)}, ${rowsOf(table)}`);
  const { rows } = await sql<{ all: Tables }>`select jsonb_build_object(${sql.join(tables)}) as all`.execute(
    trx,
  );
  return rows[0]?.all ?? {};
}
