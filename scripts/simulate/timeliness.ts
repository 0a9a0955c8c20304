import { MINUTE_MS, SECOND_MS } from "../../src/contract/timestamp.ts";
import type { Invariants } from "./invariants.ts";
import type { Network } from "./network.ts";
import { NEVER, Observations } from "./observations.ts";
import { bodyOf, type ProviderRecords, type ProviderShift } from "./provider.ts";
import type { Worker } from "./runs.ts";
import { isLive, type Store } from "./store.ts";
import type { Timeline } from "./timeline.ts";

/** The most that a replica may lag, and that a response may be older than the platform's own call. */
const LAG_MS = 2 * MINUTE_MS;
/** After the newest notice, own call or disagreement, the platform reads at these times. */
const RUNGS_MS = [1, 5, 30, 120].map((seconds) => seconds * SECOND_MS);
/** The time of one run: its reading, and the calls that precede it. */
const RUN_MS = SECOND_MS;
const LEASE_MS = 15 * SECOND_MS;

/** Why a change is not judged. */
export const LEFT_OUT = {
  changed_again: "the provider changed the shift again before the deadline",
  lost_notice: "a notice was lost, or never sent: the hourly reading shows it",
  gone: "the shift was missing at the provider within two minutes before, or the platform believed that it was",
  started: "the shift had started",
  cancelled_by_platform: "the employer had cancelled the job",
  paused: "the integration was paused, suspended, or held",
  failing: "a call about the shift failed",
  restarted: "the platform restarted",
  ended: "the schedule ended",
} as const;

export const JUDGED = {
  judged: "visible at once",
  judged_lagging: "not visible at once, because the replica lagged",
  judged_disputed: "while several replicas showed different states",
  judged_after_own_call: "within two minutes of the platform's own call",
} as const;

type Reason = keyof typeof LEFT_OUT;
export type Judged = Reason | keyof typeof JUDGED;

/** What the checker observes of the simulated system. */
interface Observed {
  readonly now: number;
  readonly seed: number;
  readonly store: Store;
  readonly records: ProviderRecords;
  readonly timeline: Timeline;
  readonly network: Network;
  readonly invariants: Invariants;
  readonly worker: Pick<Worker, "restartedAt">;
}

/** A change at the provider that the platform has to show. */
interface Change {
  shiftId: string;
  at: number;
  /** The notice before it, within two minutes: it may have been taken for the echo of an own call. */
  since: number;
  before: string;
  body: string;
  isDecided: boolean;
  /** An earlier change, whose notice was lost, was not shown yet: a reading that shows it looks like the news that this one's notice announces. */
  isAfterLost: boolean;
}

/**
 * Checks how soon the platform shows what the provider has changed: by the first rung at which all replicas show the change.
 * It judges by notices, calls and the job, and knows nothing of the plan's memories.
 */
export class Timeliness {
  readonly counts = new Map<Judged, number>();
  readonly #system: Observed;
  readonly #changes = new Map<string, Change>();
  readonly observations: Observations;

  constructor(system: Observed) {
    this.#system = system;
    const { store } = system;
    const onStored = (shiftId: string) => {
      const change = this.#changes.get(shiftId);
      if (change) this.#await(change);
    };
    this.observations = new Observations({ store, now: () => system.now, onStored });
  }

  /** Called after each version of a shift at the provider. */
  written(shiftId: string, before: ProviderShift | undefined, shift: ProviderShift | undefined) {
    const [former, body] = [textOf(before), textOf(shift)];
    if (former === body) return;
    this.#decide(this.#changes.get(shiftId), "changed_again");
    const { now: at } = this.#system;
    const { lostAt, noticedAt } = this.observations.of(shiftId);
    const isAfterLost = lostAt > NEVER && this.#isUnshown(shiftId, former);
    const change = {
      shiftId,
      at,
      since: noticedAt > at - LAG_MS ? noticedAt : at,
      before: former,
      body,
      isDecided: false,
      isAfterLost,
    };
    this.#changes.set(shiftId, change);
    this.#await(change);
  }

  #isUnshown(shiftId: string, body: string): boolean {
    const last = this.#changes.get(shiftId);
    const isUnannounced = this.observations.of(shiftId).noticedAt < (last?.at ?? NEVER);
    return (isUnannounced || last?.isAfterLost === true) && this.observations.belief(shiftId) !== body;
  }

  /** Counts the changes without a deadline. */
  end() {
    for (const change of this.#changes.values())
      this.#decide(
        change,
        this.#leftOut(change) ?? (this.#deadline(change) === undefined ? "lost_notice" : "ended"),
      );
  }

  /** Judges the change at its deadline, which later notices, calls and replicas may postpone. */
  #await(change: Change) {
    const at = this.#deadline(change);
    if (at !== undefined)
      this.#system.timeline.add(Math.max(at, this.#system.now), () => this.#judge(change));
  }

  #judge(change: Change) {
    if (change.isDecided) return;
    const { now } = this.#system;
    const deadline = this.#deadline(change);
    if (deadline === undefined) return;
    if (deadline > now) return this.#await(change);
    const reason = this.#leftOut(change);
    if (reason) return this.#decide(change, reason);
    const isAfterOwn = this.observations.of(change.shiftId).ownCallAt > change.since - LAG_MS;
    const isLagging = this.#visibleAt(change) > change.at;
    const kind = this.#isDisputed(change) ? "judged_disputed" : isLagging ? "judged_lagging" : "judged";
    this.#decide(change, isAfterOwn ? "judged_after_own_call" : kind);
    this.#check(change, deadline);
  }

  #check(change: Change, deadline: number) {
    const { invariants, seed } = this.#system;
    const { shiftId, before, body } = change;
    const belief = this.observations.belief(shiftId);
    if (belief === body || (belief === "nothing" && body === "cancelled")) return;
    const visibleAt = this.#visibleAt(change);
    const { noticedAt } = this.observations.of(shiftId);
    invariants.fail(
      `seed ${seed}: ${shiftId} changed at ${clock(change.at)} from ${legible(before)} to ${legible(body)}, was visible everywhere at ${clock(visibleAt)}, ` +
        `the last notice came at ${clock(noticedAt)}, and at ${clock(deadline)}, the deadline, the job shows ${legible(belief)}`,
    );
  }

  #decide(change: Change | undefined, as: Judged) {
    if (!change || change.isDecided) return;
    change.isDecided = true;
    this.counts.set(as, (this.counts.get(as) ?? 0) + 1);
  }

  /** Returns when every reading shows the change. */
  #visibleAt({ at }: Change): number {
    const hides = this.#system.network.lags.flatMap(({ from, until, lagMs }) => {
      const end = Math.min(until, at + lagMs);
      return Math.max(from, at) < end ? [end] : [];
    });
    return Math.max(at, ...hides);
  }

  /** Whether replicas with different lags responded since shortly before the change. */
  #isDisputed({ at }: Change): boolean {
    const { network, now } = this.#system;
    return network.lags.some(
      ({ replicas, from, until }) => replicas > 1 && from <= now && until > at - LAG_MS,
    );
  }

  /** Returns when the platform must show the change; undefined while no notice of it has come. */
  #deadline(change: Change): number | undefined {
    const { underway, noticedAt, ownCallAt, dispatchedAt, disagreements } = this.observations.of(
      change.shiftId,
    );
    const isAfterOwn = ownCallAt > change.since - LAG_MS;
    if (underway > 0 || (noticedAt < change.at && ownCallAt <= change.at - LAG_MS)) return undefined;
    const visibleAt = this.#visibleAt(change);
    // Several replicas may show each state again and again: what the last rung shows is believed.
    const isDisputed = this.#isDisputed(change);
    const bases = [Math.max(noticedAt, ownCallAt), dispatchedAt, ...disagreements];
    const rungs = bases.map((basis) =>
      isDisputed ? Math.max(basis + LAG_MS, visibleAt) : nextRung(basis, visibleAt),
    );
    const afterOwn = isAfterOwn ? Math.max(visibleAt, ownCallAt, noticedAt) + LAG_MS : NEVER;
    return Math.max(...rungs, afterOwn) + RUN_MS;
  }

  #leftOut({ shiftId, at, body, isAfterLost }: Change): Reason | undefined {
    const { records, store, now, worker } = this.#system;
    const job = store.jobs.get(shiftId);
    const { lostAt, missingAt, failedUntil } = this.observations.of(shiftId);
    const known = records.versionsSince(shiftId, at - LAG_MS);
    if (body === "nothing" || known.includes(undefined) || missingAt > at - LAG_MS) return "gone";
    if (known.some((shift) => shift !== undefined && shift.start <= now)) return "started";
    if (job && (isLive(job) || job.status === "expired") && job.startTime <= now) return "started";
    if (job?.cancelledBy === "employer" || store.isBeingCancelled(shiftId)) return "cancelled_by_platform";
    if (lostAt > at - LAG_MS || isAfterLost) return "lost_notice";
    if (this.observations.heldAt >= at) return "paused";
    const work = store.work.get(`shift ${shiftId}`);
    // The first attempt of a run counts from its claim.
    const isRetried = work !== undefined && work.attempts > (work.claim === null ? 0 : 1);
    if (isRetried || Math.max(failedUntil, this.observations.failedUntil) >= at) return "failing";
    if (worker.restartedAt >= at - LEASE_MS) return "restarted";
    return undefined;
  }
}

const textOf = (shift: ProviderShift | undefined): string => (shift ? bodyOf(shift) : "nothing");

/** Returns the first rung at or after that time. */
function nextRung(basis: number, from: number): number {
  const rung = RUNGS_MS.find((ms) => basis + ms >= from);
  return rung === undefined ? from : basis + rung;
}

const clock = (time: number): string =>
  Number.isFinite(time) ? new Date(time).toISOString().slice(8, 23) : "no time";

/** Returns a body with times that a person can read. */
const legible = (body: string): string =>
  body.replace(/\d{10,}/g, (time) => new Date(Number(time)).toISOString().slice(5, 23));
