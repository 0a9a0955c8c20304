import { sql } from "kysely";
import type { ProviderClient } from "../../clients/provider/client.ts";
import { createSemaphore } from "../../clients/provider/rate.ts";
import type { Shift } from "../../contract/shift.ts";
import { jsonRows } from "../db/fragments.ts";
import { inBatches } from "../db/in-batches.ts";
import { isOf, type Organisation } from "../db/organisation.ts";
import type { Integration } from "../db/schema.ts";
import { atOneTime, type Deps } from "../deps.ts";
import { afterCommit, type Trx, transact } from "../transaction.ts";
import { retryAfterFailure } from "../work/retry.ts";
import { type Claim, endClaim, PRIORITY, type Run, renewClaim } from "../work/rows.ts";
import { act, intentOf } from "./act.ts";
import { type LoadedShift, loadShifts, peekShifts, type ShiftKey } from "./observe/load.ts";
import {
  countRemoved,
  countVanished,
  findArrived,
  findMoved,
  loadSurroundings,
} from "./observe/surroundings.ts";
import { holdsSeat } from "./plan/draft.ts";
import { unlisted } from "./plan/list.ts";
import { firstReading, plan } from "./plan/plan.ts";
import type { Next, Rules, RunSoFar, ShiftState } from "./plan/state.ts";
import { record } from "./record/record.ts";

/** A shift needs far fewer steps. The limit ends a run that would otherwise never stop. */
const MAX_STEPS = 100;

/**
 * Reconciles one shift, whatever triggered the run: observes, plans, acts, and records until nothing is left to do. The intent is committed
 * before a call is sent, and the outcome before the next step.
 */
export function reconcileShift(deps: Deps): Run {
  const { database } = deps;
  const peek = inBatches(
    (keys: readonly ShiftKey[]) =>
      peekShifts(database.kysely, keys, deps.now(), database.isDistributed ? keys[0]?.providerId : undefined),
    deps.throttle,
    database.isDistributed ? ({ providerId }) => providerId : undefined,
  );
  const decide = decideTogether(deps);
  return async (claim, signal, exclude) => {
    const key = { providerId: claim.providerId, shiftId: claim.key };
    const traceId = deps.newTraceId();
    let run: RunSoFar = { isFirst: true, failed: new Set(), attempts: claim.attempts, traceId };
    let asked: Date | undefined;
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const decided =
        (await planFirstReading(deps, peek, { key, claim, run, asked })) ??
        (await decide({ key, claim, run, asked }, signal));
      if (!decided) return;
      const { next, client, waiting, spelling } = decided;
      asked = decided.version;
      run = await act(next, run, { client, waiting, signal, shiftId: spelling });
      const { failure, retryAfterMs = 0 } = run.unavailable ?? {};
      if (failure === "circuit_open") exclude(retryAfterMs);
    }
    throw new Error(`shift ${key.shiftId} was not reconciled within ${MAX_STEPS} steps`);
  };
}

interface Decided {
  next: Exclude<Next, { do: "rest" }>;
  client: ProviderClient;
  /** When the integration was last changed. Its token may have been replaced since. */
  version: Date;
  /** The ids of the waiting events. */
  waiting: string[];
  /** The shift's id as the provider spells it. */
  spelling: string;
}

export const rulesOf = ({ timing, retries }: Deps): Rules => ({ ...timing, tries: retries.tries });

/** Returns the first reading of a run that needs no write before it, which is true of most runs. */
async function planFirstReading(
  deps: Deps,
  peek: (key: ShiftKey) => Promise<LoadedShift | undefined>,
  { key, claim, run }: Decision,
): Promise<Decided | undefined> {
  if (!run.isFirst) return undefined;
  const loaded = await peek(key);
  const next = loaded && firstReading(loaded.state, run, deps.now().getTime(), rulesOf(deps));
  return next && { next, ...clientOf(deps, loaded.integration, claim), ...eventsOf(loaded) };
}

const clientOf = (deps: Deps, integration: Integration, { priority }: Claim) => ({
  client: deps.clientFor(integration, priority === PRIORITY.interactive),
  version: integration.updatedAt,
});

const eventsOf = ({ state, spelling }: LoadedShift) => ({
  waiting: state.events.map(({ eventId }) => eventId),
  spelling,
});

/** A run, and what it has done so far. */
interface Decision {
  key: ShiftKey;
  claim: Claim;
  run: RunSoFar;
  /** The version of the integration that the last call used. */
  asked: Date | undefined;
}

/** How many single-run transactions may be open at the same time. Storing webhooks needs connections too. */
const SINGLE_RUNS = 10;

/** Decides most runs together in one transaction. If that fails, each run gets its own. */
function decideTogether(deps: Deps) {
  const together = inBatches(
    (decisions: readonly Decision[]) => decide(deps, decisions),
    deps.throttle,
    deps.database.isDistributed ? ({ key }) => key.providerId : undefined,
  );
  const semaphore = createSemaphore({ atOnce: () => SINGLE_RUNS, waiting: Number.POSITIVE_INFINITY });
  const alone = (decision: Decision, signal: AbortSignal) =>
    semaphore.hold(
      async () => (await decide(deps, [decision]))[0],
      signal,
      decision.claim.priority === PRIORITY.interactive,
    );
  return (decision: Decision, signal: AbortSignal): Promise<Decided | undefined> =>
    isPlain(decision) ? together(decision).catch(() => alone(decision, signal)) : alone(decision, signal);
}

/** Whether no request waits for the run, and its only call has read a shift that exists. */
const isPlain = ({ claim, run }: Decision): boolean =>
  claim.priority !== PRIORITY.interactive &&
  !run.made &&
  (!run.reading || run.reading.outcome.kind === "shift");

/** Plans and records in one transaction that locks the jobs. Returns undefined for each run that has ended. */
function decide(running: Deps, decisions: readonly Decision[]): Promise<(Decided | undefined)[]> {
  const deps = atOneTime(running);
  // Runs that are decided together are of one organisation there.
  const organisation = deps.database.isDistributed ? decisions[0]?.key.providerId : undefined;
  return transact(deps, async (trx) => {
    await lockJobsOf(trx, decisions, organisation);
    const asked = decisions.map(({ key, run }) => ({ key, read: shiftIn(run) }));
    const loaded = await loadShifts(trx, asked, deps.now(), organisation);
    const rests: (() => Promise<void>)[] = [];
    const decided: (Decided | undefined)[] = [];
    for (const [nth, decision] of decisions.entries())
      decided.push(await decideOne(trx, deps, decision, loaded[nth], rests, decisions.length === 1));
    for (const rest of rests) await rest();
    return decided;
  });
}

async function decideOne(
  trx: Trx,
  deps: Deps,
  { key, claim, run, asked }: Decision,
  loaded: LoadedShift | undefined,
  rests: (() => Promise<void>)[],
  isAlone: boolean,
): Promise<Decided | undefined> {
  if (!loaded) return void endClaim(trx, claim, { attempts: 0, priority: claim.priority });
  await addSurroundings(trx, deps, key, run, loaded);
  // A move writes two shifts: the plan of the other one must not be made from an earlier state in the same transaction.
  if (!isAlone && loaded.state.surroundings.moved?.length) throw new Error("a move is decided alone");
  const now = deps.now().getTime();
  const { state, integration } = loaded;
  const planned = plan(state, run, now, rulesOf(deps));
  // A response to a previous token proves nothing about the current one.
  const isOutdated = asked !== undefined && asked < integration.updatedAt;
  const writes = planned.writes.filter(({ write }) => write !== "pause" || !isOutdated);
  const { next } = planned;
  const isCall = next.do !== "rest" && next.do !== "read" && next.do !== "witness";
  rests.push(await record(trx, deps, state, isCall ? [...writes, intentOf(next, now)] : writes));
  if (next.do === "rest") {
    const rest = restOf(deps, claim, next);
    endClaim(trx, claim, rest);
    const { afterMs } = rest;
    if (afterMs !== undefined) afterCommit(trx, () => deps.wakeWorkerIn(afterMs));
    return undefined;
  }
  renewClaim(trx, claim);
  return { next, ...clientOf(deps, integration, claim), ...eventsOf(loaded) };
}

/** Locks in one order everywhere, so that two processes cannot deadlock. */
async function lockJobsOf(
  trx: Trx,
  decisions: readonly Decision[],
  organisation: Organisation,
): Promise<void> {
  const keys = decisions.map(({ key }) => key);
  await sql`
    select job_id from jobs
    where ${isOf(organisation)} (provider_id, shift_id) in (select "providerId", "shiftId"
      from ${jsonRows(keys)} as asked ("providerId" uuid, "shiftId" text))
    order by provider_id, shift_id for update`.execute(trx);
}

/** Returns the shift that a response contains. */
export const shiftIn = ({ reading, made }: RunSoFar): Shift | undefined => {
  const outcome = reading?.outcome ?? made?.outcome;
  return outcome?.kind === "shift" ? outcome.shift : undefined;
};

type LoadDeps = Pick<Deps, "numbers" | "now">;

export async function addSurroundings(
  trx: Trx,
  { numbers, now }: LoadDeps,
  key: ShiftKey,
  run: RunSoFar,
  { state, integration }: LoadedShift,
): Promise<void> {
  const read = shiftIn(run);
  if (read && !read.cancelled) {
    state.surroundings = await loadSurroundings(trx, numbers, state, read);
    state.surroundings.arrived = await findArrived(trx, state, state.surroundings, read);
  }
  state.surroundings.moved = await findMoved(trx, state, missingFrom(state, run), now());
  const { absenceAcceptedUntil: accepted } = integration;
  // An operator has confirmed that the shifts are gone, or the people removed.
  const isAccepted = accepted !== null && new Date(accepted) > now();
  if (read && !read.cancelled && !isAccepted && unlisted(state).length > 0)
    state.surroundings.removed = await countRemoved(trx, key, now());
  if (run.reading?.outcome.kind === "absent" && !isAccepted)
    state.surroundings.vanished = await countVanished(trx, key, now());
}

/** The people booked whom the shift as it was read lacks: all of them if it is gone. */
function missingFrom(state: ShiftState, run: RunSoFar): string[] {
  const read = shiftIn(run);
  const isGone = read?.cancelled || run.reading?.outcome.kind === "absent";
  const people = isGone ? state.bookings.filter(holdsSeat) : read ? unlisted(state) : [];
  return people.map(({ candidateId }) => candidateId);
}

function restOf(deps: Deps, claim: Claim, { afterMs, priority, failed }: Extract<Next, { do: "rest" }>) {
  if (!failed) return { afterMs, priority, attempts: 0 };
  const rest = retryAfterFailure(deps, claim.attempts, failed);
  return { ...rest, priority, afterMs: Math.min(rest.afterMs, afterMs ?? rest.afterMs) };
}
