import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { createSemaphore } from "../../clients/provider/rate.ts";
import { HOLDS_SEAT, IS_LIVE, idList, jsonRows } from "../db/fragments.ts";
import { providerOf } from "../db/organisation.ts";
import type { Deps } from "../deps.ts";
import { afterCommit, grouped, type Trx, transact } from "../transaction.ts";
import { type Claim, endClaim, markDue, PRIORITY, type Priority, type Run, renewClaim } from "./rows.ts";

/** Makes shifts due: those of a provider for a reason or because a competence has a new candidate, those at a time when people have become free, or one for its next wave of offers. */
export interface Refresh {
  providerId: string;
  /**
   * `activated`: everything that waited; `mapped`: jobs whose mapping changed; `missing`: absent shifts; `reread`: every shift that may still
   * change; `responds`: work that failed before.
   */
  key:
    | "activated"
    | "mapped"
    | "missing"
    | "reread"
    | "responds"
    | { competenceId: string }
    | Freed
    | { wave: string };
  /** Milliseconds. */
  afterMs?: number;
}

/** A time at which people who were booked on a job are free now. In milliseconds since 1970 unless given. */
interface Freed<Time = number> {
  jobId: string;
  from: Time;
  to: Time;
}

/** Rows of one transaction: few enough that others wait no longer for it than for a run. */
const BATCH = 200;

/** Requests refreshes. The worker makes the shifts due in batches, because there may be thousands. */
export function markRefreshDue(
  trx: Trx,
  deps: Pick<Deps, "wakeWorker">,
  refreshes: readonly Refresh[],
): void {
  const due = refreshes.map(({ key, ...rest }) => ({
    ...rest,
    kind: "refresh" as const,
    priority: priorityOf(key),
    key: textOf(key),
  }));
  markDue(trx, deps, due);
}

const FREED = "freed ";
const WAVE = "wave ";

/** The key of the work that makes a shift due for its next wave of offers. */
export const waveKey = (shiftId: string) => `${WAVE}${shiftId}`;

const isFreed = (key: Refresh["key"]): key is Freed => typeof key !== "string" && "jobId" in key;

function priorityOf(key: Refresh["key"]): Priority {
  if (typeof key !== "string" && "wave" in key) return PRIORITY.background;
  // A thousand cancellations are a thousand of these.
  return isFreed(key) ? PRIORITY.event : PRIORITY.interactive;
}

function textOf(key: Refresh["key"]): string {
  if (isFreed(key)) return `${FREED}${key.jobId} ${key.from} ${key.to}`;
  if (typeof key === "string") return key;
  return "wave" in key ? waveKey(key.wave) : key.competenceId;
}

/** Makes shifts due, one batch at a time across all providers, so that storing webhooks goes first. After a crash it starts again from the beginning. */
export function refresh(deps: Deps): Run {
  const semaphore = createSemaphore({ atOnce: () => 1, waiting: Number.POSITIVE_INFINITY });
  const next = async (claim: Claim, after: string) => {
    const begun = performance.now();
    const last = await transact(deps, async (trx) => {
      const reached = await batchOf(claim)(trx, deps, claim, after);
      if (reached === undefined) endClaim(trx, claim, { attempts: 0, priority: claim.priority });
      else renewClaim(trx, claim);
      return reached;
    });
    await sleep(deps.throttle.pauseMs(performance.now() - begun));
    return last;
  };
  return async (claim, signal) => {
    let after: string | undefined = "";
    while (after !== undefined) {
      const from: string = after;
      after = await semaphore.hold(() => next(claim, from), signal, true);
    }
  };
}

/** Makes the batch that follows the key `after` due. Returns its last key; undefined when nothing is left. */
type Batch = (trx: Trx, deps: Deps, claim: Claim, after: string) => Promise<string | undefined>;

type Select = (claim: Claim, after: string) => RawBuilder<unknown>;

const ofShifts =
  (select: Select): Batch =>
  async (trx, deps, claim, after) => {
    const { providerId } = claim;
    const { rows } = await sql<{ key: string }>`
      with concerned as (${select(claim, after)})
      select shift_id as key from concerned
      group by shift_id order by shift_id limit ${BATCH}::int`.execute(trx);
    const shift = { providerId, kind: "shift", priority: PRIORITY.event } as const;
    markDue(
      trx,
      deps,
      rows.map(({ key }) => ({ ...shift, key })),
    );
    return rows.length === BATCH ? rows.at(-1)?.key : undefined;
  };

const first = sql`order by shift_id limit ${BATCH}::int`;

const activated = ofShifts(
  ({ providerId }, after) => sql`
    (select shift_id from events
      where provider_id = ${providerId} and status in ('queued', 'dead') and shift_id > ${after} ${first})
    union all (select shift_id from jobs where provider_id = ${providerId} and ${IS_LIVE} and shift_id > ${after} ${first})`,
);

const mapped = ofShifts(
  ({ providerId }, after) => sql`
    select shift_id from jobs join outlets using (provider_id, outlet_id) join roles using (provider_id, role_id)
    where provider_id = ${providerId} and ${IS_LIVE} and shift_id > ${after}
      and (jobs.workplace_id is distinct from outlets.workplace_id
        or jobs.competence_id is distinct from roles.competence_id) ${first}`,
);

/** How long a shift usually lasts at most. A longer one is offered at its periodic reading. */
const LONGEST = sql`interval '1 day'`;

/**
 * Reads the other shifts at the time that has become free whose `booking_overlaps` is open for one of the people: the reading resolves it once its cause is
 * gone.
 */
async function rereadOverlapping(
  trx: Trx,
  deps: Deps,
  people: readonly string[],
  { jobId, from, to }: Freed<Date>,
) {
  const { rows } = await sql<{ providerId: string; key: string }>`
    select distinct jobs.provider_id, jobs.shift_id as key
    from bookings join jobs using (provider_id, job_id) join issues on issues.provider_id = jobs.provider_id
    where bookings.candidate_id = any (${idList(people)}) and jobs.job_id <> ${jobId} and start_time < ${to} and end_time > ${from}
      and code = 'booking_overlaps' and resolved_at is null
      and subject = jsonb_build_object('kind', 'booking', 'shiftId', jobs.shift_id, 'candidateId', bookings.candidate_id)`.execute(
    trx,
  );
  for (const [organisation, group] of grouped(trx, rows))
    await sql`
      update shifts set next_read_at = now() from ${jsonRows(group)} as overlapping ("providerId" uuid, key text)
      where shifts.provider_id = ${providerOf(organisation, "overlapping.providerId")} and shift_id = key`.execute(
      trx,
    );
  markDue(
    trx,
    deps,
    rows.map((row) => ({ ...row, kind: "shift", priority: PRIORITY.event }) as const),
  );
}

/**
 * Selects the open jobs of all organisations at the time that has become free, which need a competence of the people who are free, in the order of
 * their start.
 */
const freed: Batch = async (trx, deps, { providerId, key }, after) => {
  const [jobId = "", start = "", end = ""] = key.slice(FREED.length).split(" ");
  const [from, to] = [new Date(Number(start)), new Date(Number(end))];
  const { rows: people } = await sql<{ id: string; isFree: boolean }>`
    select candidate_id as id, bool_or(not ${HOLDS_SEAT} or jobs.start_time <> ${from} or jobs.end_time <> ${to}) as "isFree"
    from jobs join bookings using (provider_id, job_id)
    where jobs.provider_id = ${providerId} and jobs.job_id = ${jobId} group by candidate_id`.execute(trx);
  if (after === "") {
    const booked = people.map(({ id }) => id);
    await rereadOverlapping(trx, deps, booked, { jobId, from, to });
  }
  const free = people.filter(({ isFree }) => isFree).map(({ id }) => id);
  const { rows: able } = await sql<{ id: string }>`
    select competence_id as id from candidate_competences where candidate_id = any (${idList(free)})
    union select competence_id from membership_competences where candidate_id = any (${idList(free)})`.execute(
    trx,
  );
  const isAtTheTime = sql`start_time > greatest(now(), ${from}::timestamptz - ${LONGEST}) and start_time < ${to} and end_time > ${from}
    and job_id <> ${jobId} and competence_id = any (${idList(able.map(({ id }) => id))})`;
  return markOpenJobs(trx, deps, isAtTheTime, { after, priority: PRIORITY.background });
};

/** Selects open jobs for which a candidate has become available. */
const offered: Batch = (trx, deps, { providerId, key }, after) =>
  markOpenJobs(
    trx,
    deps,
    sql`provider_id = ${providerId} and competence_id = ${key} and start_time > now()`,
    {
      after,
      priority: PRIORITY.event,
    },
  );

/** Makes the shifts of one batch of open jobs due, in the order of their start. */
async function markOpenJobs(
  trx: Trx,
  deps: Deps,
  condition: RawBuilder<unknown>,
  { after, priority }: { after: string; priority: Priority },
): Promise<string | undefined> {
  const [, id = "", start = ""] = /^(\S+) (.*)$/s.exec(after) ?? [];
  const isAfter = after === "" ? sql`true` : sql`(start_time, job_id) > (${start}::timestamptz, ${id}::uuid)`;
  const { rows } = await sql<{ providerId: string; key: string; place: string }>`
    select provider_id, shift_id as key, job_id || ' ' || start_time as place from jobs
    where status = 'open' and ${condition} and ${isAfter}
    order by start_time, job_id limit ${BATCH}::int`.execute(trx);
  const shifts = rows.map(({ providerId, key }) => ({ providerId, kind: "shift" as const, key, priority }));
  markDue(trx, deps, shifts);
  return rows.length === BATCH ? rows.at(-1)?.place : undefined;
}

const missing = ofShifts(
  ({ providerId }, after) => sql`
    update shifts set next_read_at = now() from (
      select provider_id, shift_id from shifts join jobs using (provider_id, shift_id)
      where provider_id = ${providerId} and missing_since is not null and ${IS_LIVE} and shift_id > ${after} ${first}
      for update of shifts) as absent
    where (shifts.provider_id, shifts.shift_id) = (absent.provider_id, absent.shift_id)
    returning shifts.shift_id`,
);

const reread = ofShifts(
  ({ providerId }, after) => sql`
    update shifts set next_read_at = now() from (
      select provider_id, shift_id from jobs
      where provider_id = ${providerId} and ${IS_LIVE} and shift_id > ${after} ${first}) as live
    where (shifts.provider_id, shifts.shift_id) = (live.provider_id, live.shift_id)
    returning shifts.shift_id`,
);

/**
 * Walks the work in the order of its primary key, and makes failed work due; what is claimed now may be about to fail, and gets a hint. `after` is a kind
 * and a key. A batch counts skipped rows too.
 */
const responds: Batch = async (trx, { wakeWorker }, { providerId }, after) => {
  const [kind = "", key = ""] = after.split(/ (.*)/s);
  const { rows } = await sql<{ count: number; last: string }>`
    with passed as (
      select kind, key, now() as at from work
      where provider_id = ${providerId} and kind in ('person', 'shift') and (kind, key) > (${kind}, ${key})
      order by kind, key limit ${BATCH}::int),
    tried as (
      update work set revision = revision + 1, not_before = null,
        due_at = case when claim is null then passed.at else due_at end
      from passed
      where provider_id = ${providerId} and (work.kind, work.key) = (passed.kind, passed.key) and attempts > 0)
    select count(*)::int as count, (array_agg(kind || ' ' || key order by kind, key))[count(*)] as last from passed`.execute(
    trx,
  );
  afterCommit(trx, () => wakeWorker([providerId]));
  return rows[0]?.count === BATCH ? rows[0].last : undefined;
};

const wave: Batch = async (trx, deps, { providerId, key }) => {
  markDue(trx, deps, [
    { providerId, kind: "shift", key: key.slice(WAVE.length), priority: PRIORITY.background },
  ]);
  return undefined;
};

function batchOf({ key }: Claim): Batch {
  if (key.startsWith(FREED)) return freed;
  return key.startsWith(WAVE) ? wave : (BATCHES[key] ?? offered);
}

const BATCHES: Readonly<Record<string, Batch>> = { activated, mapped, missing, reread, responds };
