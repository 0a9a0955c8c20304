import { type RawBuilder, sql } from "kysely";
import type { Database } from "../db/database.ts";
import { jsonRows, laterBy, milliseconds } from "../db/fragments.ts";
import { byOrganisation, inserted, type Organisation, providerOf } from "../db/organisation.ts";
import type { WorkKind } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { afterCommit, type Trx, type Writer, writeAtEnd } from "../transaction.ts";

/** Identifies a piece of work. */
interface WorkKey {
  providerId: string;
  kind: WorkKind;
  /** The shift, the person, or the recipient; empty for work on the integration itself, and for the webhook. */
  key: string;
}

/** The channels of notifications, by the kinds of their work. They share nothing: neither places nor priorities nor outages. */
export const CHANNELS = ["mail", "webhook"] as const satisfies readonly WorkKind[];

export type ChannelKind = (typeof CHANNELS)[number];

/** Returns the channel of a kind of work; undefined for work that involves a provider. */
export const channelOf = (kind: WorkKind): ChannelKind | undefined =>
  CHANNELS.find((channel) => channel === kind);

/** How soon work is claimed: 0 first. `PRIORITY` names them. */
export type Priority = 0 | 1 | 2;

/** Makes a piece of work due now, or later. */
export interface Due extends WorkKey {
  priority: Priority;
  /** Due so much later; that of the last hint holds. Milliseconds. */
  afterMs?: number;
  /** Work that waits already is not made due now, but at the latest after this time. Milliseconds. */
  joinsForMs?: number;
}

/** A row of work that a process has claimed. */
export interface Claim extends WorkKey {
  priority: number;
  /** Attempts in a row, this one included. */
  attempts: number;
  claim: string;
  revision: number;
}

/** When claimed work is due again. */
export interface NextAttempt {
  /** Milliseconds until it is due again; undefined when nothing is left to do. */
  afterMs?: number | undefined;
  priority: number;
  /** Failed attempts in a row. */
  attempts: number;
  /** Whether hints may not make it due before `afterMs`. */
  isFirm?: boolean;
  /** Whether the provider was not called, or asked for a later call: a first reading is still to come. */
  isDeferred?: boolean;
}

/** A claim that is not renewed within this time is due again, because its process has ended. Milliseconds. */
export const LEASE_MS = 15_000;

/** Another process has claimed the work, so the transaction of this run is rolled back. */
export class ClaimLost extends Error {}

/** `ended` releases the claim; `renewed` keeps it until then. */
/**
 * Does one piece of work as far as possible, and ends its claim in the last transaction. It runs outside any transaction, so it may call a
 * provider. If it rejects, the work is retried later. `exclude`: claims nothing of the provider for that many milliseconds.
 */
export type Run = (claim: Claim, signal: AbortSignal, exclude: (ms: number) => void) => Promise<void>;

type Held = Claim & NextAttempt & { what: "ended" | "renewed" };
type WorkRow = ({ what: "due" } & Due) | Held;

/**
 * Writes rows of work just before the commit, so that no other transaction waits for them longer than that. Every transaction locks them in
 * the order of their keys, so that two of them cannot deadlock.
 */
const WORK: Writer<WorkRow> = {
  table: "work",
  isLast: true,
  write: async (trx, rows, organisation) => {
    const due = merged(rows.filter((row) => row.what === "due"));
    const held = rows.filter((row) => row.what !== "due");
    // A sort keeps the order of equals: a claim ends after its own hint.
    for (const group of grouped([...due, ...held].sort(compareKeys)))
      await writeGroup(trx, group, organisation);
  },
};

/** By kind first: most runs have claimed work of one kind and make work of another due, so that there are two groups. */
const keyOf = ({ providerId, kind, key }: WorkKey) => `${kind} ${providerId} ${key}`;

function compareKeys(left: WorkKey, right: WorkKey): number {
  const [one, other] = [keyOf(left), keyOf(right)];
  return one < other ? -1 : Number(one > other);
}

/** Each key once, with its most urgent priority; it joins what waits only if every hint does. */
function merged<Row extends Due>(due: readonly Row[]): Row[] {
  const byKey = new Map<string, Row>();
  for (const each of due) {
    const before = byKey.get(keyOf(each));
    byKey.set(keyOf(each), before ? mostUrgent(before, each) : each);
  }
  return [...byKey.values()];
}

function mostUrgent<Row extends Due>(one: Row, other: Row): Row {
  const { joinsForMs: _, ...first } = one.priority <= other.priority ? one : other;
  const joins = [one, other].flatMap(({ joinsForMs }) => joinsForMs ?? []);
  return { ...first, ...(joins.length === 2 && { joinsForMs: Math.min(...joins) }) } as Row;
}

/** Splits sorted rows where those of one statement meet those of another. */
function grouped(rows: readonly WorkRow[]): WorkRow[][] {
  const groups: WorkRow[][] = [];
  let last: string | undefined;
  for (const row of rows) {
    const statement = row.what !== "due" ? "held" : row.joinsForMs === undefined ? "due" : "joins";
    if (statement !== last) groups.push([]);
    last = statement;
    groups.at(-1)?.push(row);
  }
  return groups;
}

function writeGroup(trx: Trx, rows: readonly WorkRow[], organisation: Organisation): Promise<void> {
  if (rows[0]?.what !== "due") return writeHeld(trx, rows, organisation);
  // One time for all of them: to be due too early costs a run.
  const joins = rows.map((row) => (row.what === "due" ? (row.joinsForMs ?? 0) : 0));
  return writeDue(trx, rows, Math.min(...joins), organisation);
}

const MS = sql`interval '1 millisecond'`;

/** A claimed row keeps its lease. The revision shows the run that a hint has arrived. */
async function writeDue(
  trx: Trx,
  due: readonly WorkRow[],
  joinsForMs: number,
  organisation: Organisation,
): Promise<void> {
  const { provider, join } = inserted(organisation, "due.providerId");
  await sql`
    insert into work (provider_id, kind, key, priority, due_at)
    select ${provider}, due.kind, key, priority, now() + coalesce("afterMs", 0) * ${MS}
    from ${jsonRows(due)}
      as due ("providerId" uuid, kind text, key text, priority smallint, "afterMs" float8) ${join}
    on conflict (provider_id, kind, key) do update set
      revision = work.revision + 1,
      is_first = true,
      priority = least(work.priority, excluded.priority),
      due_at = case when work.claim is null then greatest(least(work.due_at, ${laterBy(sql`excluded.due_at`, joinsForMs)}), coalesce(work.not_before, excluded.due_at))
        else work.due_at end`.execute(trx);
}

/** Makes shifts due that a query selects by provider_id and shift_id, as text for a transaction of its own. */
export const makeDue = (shifts: string): string =>
  `insert into work (provider_id, kind, key, priority) select provider_id, 'shift', shift_id, 1 from (${shifts}) as due
   on conflict (provider_id, kind, key) do update set revision = work.revision + 1`;

/** How long work waits at most whose attempt failed while a hint arrived: the provider may have recovered, or someone may wait. Milliseconds. */
const HINTED_MS = 1_000;

/**
 * Ends or renews claims. Work of which nothing is left is deleted, unless a hint has arrived in the meantime: then it is due at once, and
 * after a failed attempt in a second, or when the provider allows it.
 * @throws ClaimLost
 */
async function writeHeld(trx: Trx, held: readonly WorkRow[], organisation: Organisation): Promise<void> {
  const [provider, ofHeld] = [
    providerOf(organisation, "given.providerId"),
    providerOf(organisation, "held.providerId"),
  ];
  const { rows } = await sql<{ count: number }>`
    with held as materialized (
      select given.*, "afterMs" is null and work.revision = given.revision as "isDone",
        now() + coalesce(case when what = 'renewed' or work.revision = given.revision or "isFirm" then "afterMs"
          when given.attempts > 0 then least("afterMs", ${HINTED_MS}::float8) end, 0) * ${MS} as "dueAt",
        case when "isFirm" then now() + "afterMs" * ${MS} end as "notBefore"
      from ${jsonRows(held)} as given (what text, "providerId" uuid, kind text, key text,
          claim uuid, revision int, attempts int, priority smallint, "afterMs" float8, "isFirm" boolean, "isDeferred" boolean)
        join work on (work.provider_id, work.kind, work.key, work.claim)
          = (${provider}, given.kind, given.key, given.claim)
      for update of work),
    deleted as (
      delete from work using held
      where "isDone" and (work.provider_id, work.kind, work.key) = (${ofHeld}, held.kind, held.key)),
    written as (
      update work set claim = case when what = 'renewed' then held.claim end, attempts = held.attempts,
        priority = case when work.revision = held.revision then held.priority else least(work.priority, held.priority) end,
        is_first = is_first and (what = 'renewed' or work.revision <> held.revision or "isDeferred" is true),
        due_at = "dueAt", not_before = "notBefore"
      from held
      where not "isDone" and (work.provider_id, work.kind, work.key) = (${ofHeld}, held.kind, held.key))
    select count(*)::int as count from held`.execute(trx);
  if (rows[0]?.count !== held.length) throw new ClaimLost();
}

/** Ends a claim, in the transaction that writes the result of the run, which throws `ClaimLost` at its end if another process has claimed the work. */
export const endClaim = (trx: Trx, claim: Claim, next: NextAttempt): void =>
  writeAtEnd(trx, WORK, { ...claim, ...next, what: "ended" });

/** Renews a claim, in a transaction that writes a part of the run's result. It throws `ClaimLost` likewise. */
export const renewClaim = (trx: Trx, claim: Claim): void =>
  writeAtEnd(trx, WORK, { ...claim, afterMs: LEASE_MS, what: "renewed" });

type Db = Pick<Database, "kysely" | "isDistributed">;

/** Renews claims of this process, as far as it still has them. */
export const renewClaims = (db: Db, claims: readonly Claim[]): Promise<void> =>
  change(db, claims, sql`due_at = now() + ${milliseconds(LEASE_MS)}`);

/** Releases unfinished claims, as far as this process still has them, without counting them as attempts. */
export const releaseClaims = (db: Db, claims: readonly Claim[]): Promise<void> =>
  change(db, claims, sql`claim = null, due_at = now(), attempts = greatest(work.attempts - 1, 0)`);

/** A transaction, because the planner keeps to the order of the rows only there. */
async function change(
  { kysely, isDistributed }: Db,
  claims: readonly Claim[],
  values: RawBuilder<unknown>,
): Promise<void> {
  for (const [organisation, rows] of byOrganisation([...claims].sort(compareKeys), isDistributed)) {
    const provider = providerOf(organisation, "held.providerId");
    await kysely.transaction().execute((trx) =>
      sql`
        update work set ${values}
        from ${jsonRows(rows)} as held ("providerId" uuid, kind text, key text, claim uuid)
        where (work.provider_id, work.kind, work.key, work.claim) = (${provider}, held.kind, held.key, held.claim)`.execute(
        trx,
      ),
    );
  }
}

/** `interactive`: an operator or a candidate waits. */
export const PRIORITY = { interactive: 0, event: 1, background: 2 } as const satisfies Record<
  string,
  Priority
>;

type Parts = Pick<Deps, "wakeWorker">;

/** Makes work due at the end of the transaction; nothing else does. Ten hints about one shift are one row. */
export function markDue(trx: Trx, { wakeWorker }: Parts, due: readonly Due[]): void {
  for (const each of due) writeAtEnd(trx, WORK, { what: "due", ...each });
  if (due.length === 0) return;
  const providers = new Set(due.filter(({ kind }) => !channelOf(kind)).map(({ providerId }) => providerId));
  afterCommit(trx, () => wakeWorker([...providers]));
}

/** Makes every shift that the query selects (columns provider_id and shift_id) due. */
export async function markShiftsDue(
  trx: Trx,
  deps: Parts,
  shifts: ReturnType<typeof sql>,
  priority: Priority,
): Promise<void> {
  const { rows } = await sql<{ providerId: string; key: string }>`
    select distinct provider_id, shift_id as key from (${shifts}) as named`.execute(trx);
  markDue(
    trx,
    deps,
    rows.map((row) => ({ ...row, kind: "shift", priority })),
  );
}
