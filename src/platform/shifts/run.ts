import { sql } from "kysely";
import type { ProviderClient } from "../../clients/provider/client.ts";
import { createPlaces } from "../../clients/provider/places.ts";
import type { Shift } from "../../contract/shift.ts";
import { gather } from "../db/gather.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { afterCommit, type Trx, transact } from "../transaction.ts";
import { type Claim, endClaim, renewClaim } from "../work/claims.ts";
import { PRIORITY } from "../work/due.ts";
import { retryAfterFailure } from "../work/retry.ts";
import type { Run } from "../work/worker.ts";
import { act, intentOf } from "./act.ts";
import {
  countVanished,
  glimpseShifts,
  type LoadedShift,
  loadShift,
  loadShifts,
  loadSurroundings,
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
export function reconcileShift(deps: Deps): Run {
  const glimpse = gather(
    (keys: readonly ShiftKey[]) => glimpseShifts(deps.database.kysely, keys, deps.now()),
    deps.pace,
  );
  const decide = decideTogether(deps);
  return async (claim, signal, spare) => {
    const key = { providerId: claim.providerId, shiftId: claim.key };
    const traceId = deps.newTraceId();
    let run: RunSoFar = { isFirst: true, failed: new Set(), attempts: claim.attempts, traceId };
    let asked: Date | undefined;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const decided =
        (await glance(deps, glimpse, { key, claim, run, asked })) ??
        (await decide({ key, claim, run, asked }, signal));
      if (!decided) return;
      const { next, client, waiting, spelling } = decided;
      asked = decided.version;
      run = await act(next, run, { client, waiting, signal, shiftId: spelling });
      const { failure, retryAfterMs = 0 } = run.unavailable ?? {};
      if (failure === "circuit_open") spare(retryAfterMs);
    }
    throw new Error(`shift ${key.shiftId} was not reconciled within ${MOST_STEPS} steps`);
  };
}

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

export const rulesOf = ({ timing, retries }: Deps): Rules => ({ ...timing, tries: retries.tries });

/** Most runs begin by reading the shift, for which nothing has to be written. */
async function glance(
  deps: Deps,
  glimpse: (key: ShiftKey) => Promise<LoadedShift | undefined>,
  { key, claim, run }: Decision,
): Promise<Decided | undefined> {
  if (!run.isFirst) return undefined;
  const seen = await glimpse(key);
  const next = seen && firstReading(seen.state, run, deps.now().getTime(), rulesOf(deps));
  return next && { next, ...clientOf(deps, seen.integration, claim), ...whatWaits(seen) };
}

const clientOf = (deps: Deps, integration: Integration, { priority }: Claim) => ({
  client: deps.clientFor(integration, priority === PRIORITY.interactive),
  version: integration.updated_at,
});

const whatWaits = ({ state, spelling }: LoadedShift) => ({
  waiting: state.events.map(({ eventId }) => eventId),
  spelling,
});

/** A run, and what it has to decide about. */
interface Decision {
  key: ShiftKey;
  claim: Claim;
  run: RunSoFar;
  /** When the integration was last changed, as the last call knew it. */
  asked: Date | undefined;
}

/** Transactions of single runs at once: webhooks that are to be stored need connections too. */
const ALONE = 10;

/** What most runs come to concerns no one else: together they need one transaction. If one of them fails, each has its own. */
function decideTogether(deps: Deps) {
  const together = gather((decisions: readonly Decision[]) => decide(deps, decisions), deps.pace);
  const places = createPlaces({ atOnce: () => ALONE, waiting: Number.POSITIVE_INFINITY });
  const alone = (decision: Decision, signal: AbortSignal) =>
    places.hold(
      async () => (await decide(deps, [decision]))[0],
      signal,
      decision.claim.priority === PRIORITY.interactive,
    );
  return (decision: Decision, signal: AbortSignal): Promise<Decided | undefined> =>
    isPlain(decision) ? together(decision).catch(() => alone(decision, signal)) : alone(decision, signal);
}

/** No one waits for it, and it has made no call but the reading of a shift that is there. */
const isPlain = ({ claim, run }: Decision): boolean =>
  claim.priority !== PRIORITY.interactive &&
  !run.made &&
  (!run.reading || run.reading.outcome.kind === "shift");

/** Plans and records in one transaction, under the locks of the jobs; undefined for a run that has ended. */
function decide(deps: Deps, decisions: readonly Decision[]): Promise<(Decided | undefined)[]> {
  return transact(deps, async (trx) => {
    await lockJobsOf(trx, decisions);
    const asked = decisions.map(({ key, run }) => ({ key, read: shiftIn(run) }));
    const loaded = await loadShifts(trx, asked, deps.now());
    const decided: (Decided | undefined)[] = [];
    for (const [nth, decision] of decisions.entries())
      decided.push(await decideOne(trx, deps, decision, loaded[nth]));
    return decided;
  });
}

async function decideOne(
  trx: Trx,
  deps: Deps,
  { key, claim, run, asked }: Decision,
  loaded: LoadedShift | undefined,
): Promise<Decided | undefined> {
  if (!loaded) return void (await endClaim(trx, claim, { attempts: 0, priority: claim.priority }));
  await addSurroundings(trx, deps, key, run, loaded);
  const now = deps.now().getTime();
  const { state, integration } = loaded;
  const planned = plan(state, run, now, rulesOf(deps));
  // A response to the token of before says nothing of the one that was given since.
  const isOutdated = asked !== undefined && asked < integration.updated_at;
  const writes = planned.writes.filter(({ write }) => write !== "pause" || !isOutdated);
  const { next } = planned;
  const isCall = next.do !== "rest" && next.do !== "read" && next.do !== "witness";
  await record(trx, deps, state, isCall ? [...writes, intentOf(next, now)] : writes);
  if (next.do === "rest") {
    const rest = restOf(deps, claim, next);
    await endClaim(trx, claim, rest);
    const { afterMs } = rest;
    if (afterMs !== undefined) afterCommit(trx, () => deps.wakeWorkerIn(afterMs));
    return undefined;
  }
  renewClaim(trx, claim);
  return { next, ...clientOf(deps, integration, claim), ...whatWaits(loaded) };
}

/** In one order everywhere: two processes never wait for each other in a circle. */
async function lockJobsOf(trx: Trx, decisions: readonly Decision[]): Promise<void> {
  const keys = JSON.stringify(decisions.map(({ key }) => key));
  await sql`
    select job_id from jobs
    where (provider_id, shift_id) in (select "providerId", "shiftId"
      from json_to_recordset(${keys}::text::json) as asked ("providerId" uuid, "shiftId" text))
    order by provider_id, shift_id for update`.execute(trx);
}

/** The shift that a response holds. */
const shiftIn = ({ reading, made }: RunSoFar): Shift | undefined => {
  const outcome = reading?.outcome ?? made?.outcome;
  return outcome?.kind === "shift" ? outcome.shift : undefined;
};

type Around = Pick<Deps, "numbers" | "now">;

/** With what the database knows of the shift as it was read. */
export async function loadWithSurroundings(trx: Trx, deps: Around, key: ShiftKey, run: RunSoFar) {
  const loaded = await loadShift(trx, key, deps.now(), shiftIn(run));
  if (loaded) await addSurroundings(trx, deps, key, run, loaded);
  return loaded;
}

async function addSurroundings(
  trx: Trx,
  { numbers, now }: Around,
  key: ShiftKey,
  run: RunSoFar,
  { state, integration }: LoadedShift,
): Promise<void> {
  const read = shiftIn(run);
  if (read && !read.cancelled) state.surroundings = await loadSurroundings(trx, numbers, state, read);
  const { absence_accepted_until: accepted } = integration;
  // An operator has said that the shifts are gone.
  const isAccepted = accepted !== null && new Date(accepted) > now();
  if (run.reading?.outcome.kind === "absent" && !isAccepted)
    state.surroundings.vanished = await countVanished(trx, key, now());
}

function restOf(deps: Deps, claim: Claim, { afterMs, priority, failed }: Extract<Next, { do: "rest" }>) {
  if (!failed) return { afterMs, priority, attempts: 0 };
  const rest = retryAfterFailure(deps, claim.attempts, failed);
  return { ...rest, priority, afterMs: Math.min(rest.afterMs, afterMs ?? rest.afterMs) };
}
