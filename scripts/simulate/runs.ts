import type { Unavailable } from "../../src/clients/provider/answer.ts";
import { PROVIDER_RETRIES, type RetryPolicy, TIMING } from "../../src/clients/retry-policy.ts";
import { continued, intentOf } from "../../src/platform/shifts/act.ts";
import { hadNoEffect } from "../../src/platform/shifts/plan/call-outcome.ts";
import type { Plan } from "../../src/platform/shifts/plan/plan.ts";
import type {
  Call,
  Made,
  Next,
  Reading,
  Rules,
  RunSoFar,
  ShiftState,
} from "../../src/platform/shifts/plan/state.ts";
import { retryAfterFailure } from "../../src/platform/work/retry.ts";
import { apply } from "./apply.ts";
import type { Invariants } from "./invariants.ts";
import { loadState } from "./load-state.ts";
import type { Network } from "./network.ts";
import type { Request, Response } from "./operations.ts";
import type { Draw } from "./random.ts";
import type { Rest, Store, WorkRow } from "./store.ts";

const RULES: Rules = { ...TIMING, tries: PROVIDER_RETRIES.tries };
const LEASE_MS = 15_000;
const SLOTS = 5;
const MOST_STEPS = 100;

export type Planner = (state: ShiftState, run: RunSoFar, now: number, rules: Rules) => Plan;
/** Sees the store, too. */
export type Watcher = (...given: [...Parameters<Planner>, Store]) => Plan;

export interface Parts {
  store: Store;
  network: Network;
  invariants: Invariants;
  plan: Watcher;
  now: () => number;
  draw: Draw;
  log: (line: () => string) => void;
}

/** Claimed work. */
export interface Claim {
  row: WorkRow;
  id: number;
  attempts: number;
  revision: number;
  isAbandoned: boolean;
}

/** The process ends with its first commit from then on. */
interface Crash {
  at: number;
  call: "sent" | "unsent";
  lease: boolean;
}

/** Runs the work that is not about a shift. */
interface OtherRuns {
  run(claim: Claim): void;
  probe(claim: Claim): void;
}

/** The platform's worker: claims due work, and moves each run from commit to commit. */
export class Worker {
  readonly parts: Parts;
  readonly #people: OtherRuns;
  readonly #claimed = new Map<WorkRow, Claim>();
  #claims = 0;
  #crash: Crash | undefined;
  restartedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts, people: (worker: Worker) => OtherRuns) {
    this.parts = parts;
    this.#people = people(this);
  }

  crashLater(crash: Crash | undefined) {
    this.#crash = crash;
  }

  /** Restarts the process: its claimed work is due again immediately, or when its lease ends. */
  restart(lease: boolean) {
    const now = this.parts.now();
    this.restartedAt = now;
    this.parts.log(() => `platform  restarts${lease ? "; its leases have to end" : ""}`);
    for (const [row, claim] of this.#claimed) {
      claim.isAbandoned = true;
      row.dueAt = lease ? now + LEASE_MS : now;
      if (!lease) row.claim = null;
    }
    this.#claimed.clear();
  }

  /** Returns when the next claimable work is due. */
  nextAt(): number {
    let at = Number.POSITIVE_INFINITY;
    if (this.#claimed.size >= SLOTS) return at;
    for (const row of this.parts.store.work.values())
      if (!this.#claimed.has(row) && this.#mayBeClaimed(row)) at = Math.min(at, row.dueAt);
    return Math.max(at, this.parts.now());
  }

  #mayBeClaimed({ kind, priority }: WorkRow): boolean {
    const { state, pausedSince } = this.parts.store.integration;
    if (kind === "probe") return true;
    return pausedSince === null && (priority === 0 || state === "active");
  }

  /** Claims all due work, the most urgent first. */
  claimDue() {
    const now = this.parts.now();
    const due = [...this.parts.store.work.values()]
      .filter((row) => row.dueAt <= now && !this.#claimed.has(row) && this.#mayBeClaimed(row))
      .sort((one, other) => one.priority - other.priority || one.dueAt - other.dueAt);
    for (const row of due) {
      if (this.#claimed.size >= SLOTS) return;
      this.#start(row);
    }
  }

  #start(row: WorkRow) {
    this.#claims += 1;
    row.attempts += 1;
    row.claim = this.#claims;
    const { attempts, revision } = row;
    const claim = { row, id: this.#claims, attempts, revision, isAbandoned: false };
    this.#claimed.set(row, claim);
    if (row.kind === "person") return this.#people.run(claim);
    if (row.kind === "probe") return this.#people.probe(claim);
    this.parts.invariants.runStarted(row.key);
    this.#step(claim, { isFirst: true, failed: new Set(), attempts, traceId: "trace of a run" }, 0);
  }

  /** Called after a commit, where the process may end. Returns whether it has. */
  committed(sendsCall: (() => void) | undefined): boolean {
    const crash = this.#crash;
    if (!crash || crash.at > this.parts.now()) return false;
    this.#crash = undefined;
    if (crash.call === "sent") sendsCall?.();
    this.restart(crash.lease);
    return true;
  }

  settle({ row, id, revision, isAbandoned }: Claim, rest: Rest) {
    const { store, now } = this.parts;
    if (isAbandoned || row.claim !== id) return;
    this.#claimed.delete(row);
    store.endClaim(row, revision, rest, now());
  }

  #step(claim: Claim, run: RunSoFar, steps: number) {
    const { store, invariants, now, plan } = this.parts;
    const shiftId = claim.row.key;
    if (claim.isAbandoned) return;
    if (steps > MOST_STEPS)
      return invariants.fail(`${shiftId} was not reconciled within ${MOST_STEPS} steps`);
    const state = frozen(loadState(store, shiftId, now(), run));
    const planned = invariants.guard(() => plan(state, run, now(), RULES, store));
    if (!planned) return;
    const { writes, next } = planned;
    const isCall = isChange(next);
    apply(store, state, isCall ? [...writes, intentOf(next, now())] : writes, now(), invariants);
    invariants.committed(shiftId, state);
    if (isCall) invariants.intended(shiftId, next);
    if (next.do === "rest") {
      this.settle(claim, this.#restOf(claim, next));
      this.committed(undefined);
      return;
    }
    const waiting = state.events.map(({ eventId }) => eventId);
    const send = () => this.#act(claim, next, run, waiting, steps);
    if (!this.committed(send)) send();
  }

  /** Works as `act` of act.ts. */
  #act(claim: Claim, next: Exclude<Next, { do: "rest" }>, run: RunSoFar, covers: string[], steps: number) {
    const { reading } = run;
    const before = continued(run, next);
    const { network, invariants } = this.parts;
    const shiftId = claim.row.key;
    invariants.called(shiftId, next);
    network.ask(requestOf(shiftId, next), (response) => {
      if (claim.isAbandoned) return;
      if (isChange(next) && hadNoEffect(response as Made["outcome"])) invariants.hadNoEffect(next);
      this.#step(claim, { ...before, ...resultOf(next, response, { run, reading, covers }) }, steps + 1);
    });
  }

  #restOf(claim: Claim, { afterMs, priority, failed }: Extract<Next, { do: "rest" }>): Rest {
    if (!failed) return { afterMs, priority, attempts: 0 };
    const rest = this.retryAfterFailure(claim, failed);
    return { ...rest, priority, afterMs: Math.min(rest.afterMs, afterMs ?? rest.afterMs) };
  }

  retryAfterFailure({ attempts, row }: Claim, failure: Pick<Unavailable, "retryAfterMs" | "notAsked">) {
    const random = () => this.parts.draw("jitter", `${row.kind} ${row.key}`);
    const retries: RetryPolicy = { ...PROVIDER_RETRIES, random };
    return retryAfterFailure({ retries, timing: TIMING }, attempts, failure);
  }
}

const isChange = (next: Next): next is Call =>
  next.do !== "rest" && next.do !== "read" && next.do !== "witness";

function requestOf(shiftId: string, next: Exclude<Next, { do: "rest" }>): Request {
  if (next.do === "read") return { do: "read", shiftId };
  if (next.do === "witness") return { do: "outlets" };
  return { do: "call", shiftId, call: next };
}

interface Context {
  run: RunSoFar;
  reading: Reading | undefined;
  covers: string[];
}

function resultOf(
  next: Exclude<Next, { do: "rest" }>,
  response: Response,
  { run, reading, covers }: Context,
): Partial<RunSoFar> {
  if (next.do === "witness") {
    const witness = response.kind === "list" ? "good" : "bad";
    return { ...(reading && { reading: { ...reading, witness } }) };
  }
  if (next.do === "read") {
    const outcome = response as Reading["outcome"];
    const unavailable = outcome.kind === "unavailable" ? { unavailable: outcome } : {};
    const hasRead = outcome.kind === "shift" && { hasRead: true };
    return { reading: { outcome, covers, durationMs: 1 }, ...hasRead, ...unavailable };
  }
  const outcome = response as Made["outcome"];
  const done: Made = { call: next, outcome, durationMs: 1 };
  if (outcome.kind !== "unavailable") return { made: done };
  return { made: done, failed: new Set([...run.failed, idOf(next)]), unavailable: outcome };
}

const idOf = (call: Call): string =>
  call.do === "cancel" ? call.operationId : call.do === "change" ? call.changeId : call.bookingId;

/** A plan that changes its state throws. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
