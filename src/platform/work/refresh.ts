import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { createSemaphore } from "../../clients/provider/semaphore.ts";
import { IS_LIVE } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import { afterCommit, type Trx, transact } from "../transaction.ts";
import { markDue, PRIORITY } from "./due.ts";
import { type Claim, endClaim, renewClaim } from "./rows.ts";
import type { Run } from "./worker.ts";

/** Makes many shifts of a provider due: for a reason, or because a competence has a new candidate. */
export interface Refresh {
  providerId: string;
  /**
   * `activated`: everything that waited; `mapped`: jobs whose mapping changed; `missing`: absent shifts; `reread`: every shift that may still
   * change; `responds`: work that failed before.
   */
  key: "activated" | "mapped" | "missing" | "reread" | "responds" | { competenceId: string };
}

/** Rows of one transaction: few enough that others wait no longer for it than for a run. */
const BATCH = 200;

/** Requests refreshes. The worker makes the shifts due in batches, because there may be thousands. */
export function markRefreshDue(
  trx: Trx,
  deps: Pick<Deps, "wakeWorker">,
  refreshes: readonly Refresh[],
): void {
  const due = refreshes.map(({ providerId, key }) => ({
    providerId,
    kind: "refresh" as const,
    priority: PRIORITY.interactive,
    key: typeof key === "string" ? key : key.competenceId,
  }));
  markDue(trx, deps, due);
}

/** Makes shifts due, one batch at a time across all providers, so that storing webhooks goes first. After a crash it starts again from the beginning. */
export function refresh(deps: Deps): Run {
  const semaphore = createSemaphore({ atOnce: () => 1, waiting: Number.POSITIVE_INFINITY });
  const next = async (claim: Claim, after: string) => {
    const begun = performance.now();
    const last = await transact(deps, async (trx) => {
      const reached = await (BATCHES[claim.key] ?? offered)(trx, deps, claim, after);
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

/** Selects open jobs for which a candidate has become available. */
const offered = ofShifts(
  ({ providerId, key }, after) => sql`
    select shift_id from jobs where provider_id = ${providerId} and competence_id = ${key} and status = 'open'
      and start_time > now() and shift_id > ${after} ${first}`,
);

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

/** Walks the work in the order of its primary key, and makes failed work due. `after` is a kind and a key. A batch counts skipped rows too. */
const responds: Batch = async (trx, { wakeWorker }, { providerId }, after) => {
  const [kind = "", key = ""] = after.split(/ (.*)/s);
  const { rows } = await sql<{ count: number; last: string }>`
    with passed as (
      select kind, key from work
      where provider_id = ${providerId} and kind in ('person', 'shift') and (kind, key) > (${kind}, ${key})
      order by kind, key limit ${BATCH}::int),
    tried as (
      update work set due_at = now(), not_before = null from passed
      where provider_id = ${providerId} and (work.kind, work.key) = (passed.kind, passed.key)
        and attempts > 0 and claim is null)
    select count(*)::int as count, (array_agg(kind || ' ' || key order by kind, key))[count(*)] as last from passed`.execute(
    trx,
  );
  afterCommit(trx, wakeWorker);
  return rows[0]?.count === BATCH ? rows[0].last : undefined;
};

const BATCHES: Readonly<Record<string, Batch>> = { activated, mapped, missing, reread, responds };
