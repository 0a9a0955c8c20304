import type { ProviderClient } from "../../clients/provider/client.ts";
import type { Shift } from "../../contract/shift.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { type Claim, renew, settle } from "../work/claims.ts";
import { restAfter } from "../work/retry.ts";
import type { Run } from "../work/worker.ts";
import { act, intentOf } from "./act.ts";
import {
  countVanished,
  glimpseShift,
  type LoadedShift,
  loadShift,
  lookAround,
  type ShiftKey,
} from "./load.ts";
import { firstReading, plan } from "./plan.ts";
import { record } from "./record.ts";
import type { Next, Rules, RunSoFar } from "./state.ts";

/** No shift needs so many steps: an endless run would hold its place for ever. */
const MOST_STEPS = 100;

/**
 * Brings both sides of one shift together, whatever asked for it: observes, plans, acts, and records, until nothing is left to do. An intent is
 * committed before its call is sent, and the outcome before anything else is done.
 */
export const reconcileShift =
  (deps: Deps): Run =>
  async (claim, signal, spare) => {
    const key = { providerId: claim.providerId, shiftId: claim.key };
    const traceId = deps.newTraceId();
    let run: RunSoFar = { isFirst: true, failed: new Set(), attempts: claim.attempts, traceId };
    let asked: Date | undefined;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const decided = (await glance(deps, key, run)) ?? (await decide(deps, key, claim, run, asked));
      if (!decided) return;
      const { next, client, waiting, spelling } = decided;
      asked = decided.version;
      run = await act(next, run, { client, waiting, signal, shiftId: spelling });
      const { failure, retryAfterMs = 0 } = run.unavailable ?? {};
      if (failure === "circuit_open") spare(retryAfterMs);
    }
    throw new Error(`shift ${key.shiftId} was not reconciled within ${MOST_STEPS} steps`);
  };

interface Decided {
  next: Exclude<Next, { do: "rest" }>;
  client: ProviderClient;
  /** When the integration was last changed: its token may be another since. */
  version: Date;
  /** Ids of the events that wait. */
  waiting: string[];
  /** The shift's id as the provider spells it. */
  spelling: string;
}

export const rulesOf = ({ timing, retries }: Deps): Rules => ({
  absenceRetriesMs: timing.absenceRetriesMs,
  recheckMs: timing.recheckMs,
  reconcileMs: timing.reconcileMs,
  answerWithinMs: timing.answerWithinMs,
  tries: retries.tries,
});

/** Most runs begin by reading the shift, for which nothing has to be written. */
async function glance(deps: Deps, key: ShiftKey, run: RunSoFar): Promise<Decided | undefined> {
  if (!run.isFirst) return undefined;
  const seen = await glimpseShift(deps.database.kysely, key, deps.now());
  const next = seen && firstReading(seen.state, run, deps.now().getTime(), rulesOf(deps));
  return next && { next, ...clientOf(deps, seen.integration), ...whatWaits(seen) };
}

const clientOf = (deps: Deps, integration: Integration) => ({
  client: deps.clientFor(integration),
  version: integration.updated_at,
});

const whatWaits = ({ state, spelling }: LoadedShift) => ({
  waiting: state.events.map(({ eventId }) => eventId),
  spelling,
});

/** Plans and records in one transaction, under the lock of the job; undefined when the run has ended. */
async function decide(
  deps: Deps,
  key: ShiftKey,
  claim: Claim,
  run: RunSoFar,
  asked: Date | undefined,
): Promise<Decided | undefined> {
  const wake: { inMs?: number } = {};
  const decided = await transact(deps, async (trx) => {
    await lockJobOfShift(trx, key);
    const now = deps.now();
    const loaded = await loadAll(trx, key, now, run);
    if (!loaded) {
      await settle(trx, claim, { attempts: 0, priority: claim.priority });
      return undefined;
    }
    const { state, integration } = loaded;
    const planned = plan(state, run, now.getTime(), rulesOf(deps));
    // A response to the token of before says nothing of the one that was given since.
    const isOutdated = asked !== undefined && asked < integration.updated_at;
    const writes = planned.writes.filter(({ write }) => write !== "pause" || !isOutdated);
    const { next } = planned;
    const isCall = next.do !== "rest" && next.do !== "read" && next.do !== "witness";
    await record(trx, deps, state, isCall ? [...writes, intentOf(next, now.getTime())] : writes);
    if (next.do === "rest") {
      const rest = restOf(deps, claim, next);
      await settle(trx, claim, rest);
      if (rest.afterMs !== undefined) wake.inMs = rest.afterMs;
      return undefined;
    }
    await renew(trx, claim);
    return { next, ...clientOf(deps, integration), ...whatWaits(loaded) };
  });
  if (wake.inMs !== undefined) deps.wakeWorkerIn(wake.inMs);
  return decided;
}

async function lockJobOfShift(trx: Trx, { providerId, shiftId }: ShiftKey): Promise<void> {
  await trx
    .selectFrom("jobs")
    .select("job_id")
    .where("provider_id", "=", providerId)
    .where("shift_id", "=", shiftId)
    .forUpdate()
    .execute();
}

/** The shift that a response holds. */
const shiftIn = ({ reading, made }: RunSoFar): Shift | undefined => {
  const outcome = reading?.outcome ?? made?.outcome;
  return outcome?.kind === "shift" ? outcome.shift : undefined;
};

export async function loadAll(trx: Trx, key: ShiftKey, now: Date, run: RunSoFar) {
  const read = shiftIn(run);
  const loaded = await loadShift(trx, key, now, read);
  if (!loaded) return undefined;
  const { state } = loaded;
  if (read && !read.cancelled) state.around = await lookAround(trx, state, read);
  const { absence_accepted_until: accepted } = loaded.integration;
  // An operator has said that the shifts are gone.
  const isAccepted = accepted !== null && new Date(accepted) > now;
  if (run.reading?.outcome.kind === "absent" && !isAccepted)
    state.around.vanished = await countVanished(trx, key, now);
  return loaded;
}

function restOf(deps: Deps, claim: Claim, { afterMs, priority, failed }: Extract<Next, { do: "rest" }>) {
  if (!failed) return { afterMs, priority, attempts: 0 };
  const rest = restAfter(deps, claim.attempts, failed);
  return { ...rest, priority, afterMs: Math.min(rest.afterMs, afterMs ?? rest.afterMs) };
}
