import type { Request, Response } from "./operations.ts";
import { bodyOf } from "./provider.ts";
import type { Store } from "./store.ts";

/** What was observed about a shift, except its versions. */
interface Observed {
  /** Notices on their way. */
  underway: number;
  lostAt: number;
  noticedAt: number;
  /** When the dispatcher processes the last notice. */
  dispatchedAt: number;
  ownCallAt: number;
  /** When a reading did not find it. */
  missingAt: number;
  /** The end of the last failure that concerns the shift. */
  failedUntil: number;
  /** Readings that contradicted the job, since the last notice or own call. */
  disagreements: number[];
}

/** The arrival of a notice. `isFirst`: the notice was still underway. `isNew`: it is processed, which a duplicate is not. */
interface Stored {
  isFirst: boolean;
  isNew: boolean;
  dispatchedAt: number;
}

export const NEVER = Number.NEGATIVE_INFINITY;

interface Parts {
  store: Store;
  now: () => number;
  /** Called when a notice was stored. */
  onStored: (shiftId: string) => void;
}

/** What the platform and the provider have said to each other, seen from outside. */
export class Observations {
  readonly #parts: Parts;
  readonly #shifts = new Map<string, Observed>();
  readonly #confirmed = new Set<string>();
  /** The last time that the integration was paused, suspended, or held. */
  heldAt = NEVER;
  /** The end of the last failure that concerns the provider as a whole. */
  failedUntil = NEVER;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  of(shiftId: string): Observed {
    const known = this.#shifts.get(shiftId);
    if (known) return known;
    const observed = {
      underway: 0,
      lostAt: NEVER,
      noticedAt: NEVER,
      dispatchedAt: NEVER,
      ownCallAt: NEVER,
      missingAt: NEVER,
      failedUntil: NEVER,
      disagreements: [],
    };
    this.#shifts.set(shiftId, observed);
    return observed;
  }

  /** Called when the provider sends a notice. */
  sent(shiftId: string, isLost: boolean) {
    const observed = this.of(shiftId);
    if (isLost) observed.lostAt = this.#parts.now();
    else observed.underway += 1;
  }

  stored(shiftId: string, { isFirst, isNew, dispatchedAt }: Stored) {
    const observed = this.of(shiftId);
    if (isFirst) observed.underway -= 1;
    if (isNew) Object.assign(observed, { noticedAt: this.#parts.now(), dispatchedAt, disagreements: [] });
    this.#parts.onStored(shiftId);
  }

  /** Called when the platform sends a call that changes something. */
  called(shiftId: string) {
    Object.assign(this.of(shiftId), { ownCallAt: this.#parts.now(), disagreements: [] });
  }

  /** Called with a call that fails. `until`: when the platform learns of it. */
  failed(request: Request, until: number) {
    if (request.do === "read" || request.do === "call") this.of(request.shiftId).failedUntil = until;
    else if (request.do === "outlets") this.failedUntil = until;
  }

  /** Called before the platform applies a response. */
  responded(request: Request, response: Response) {
    if (request.do === "call") return this.called(request.shiftId);
    if (request.do !== "read") return;
    const { shiftId } = request;
    const observed = this.of(shiftId);
    if (response.kind === "absent") observed.missingAt = this.#parts.now();
    if (response.kind !== "shift") return;
    const { startTime, endTime, positions, outletId, roleId, cancelled } = response.shift;
    const [start, end] = [Date.parse(startTime), Date.parse(endTime)];
    const shown = bodyOf({ id: shiftId, start, end, positions, outletId, roleId, isCancelled: cancelled });
    if (shown !== this.belief(shiftId)) observed.disagreements.push(this.#parts.now());
  }

  /** Called at each step of the simulation. */
  observe() {
    const { integration } = this.#parts.store;
    const isHeld = integration.heldSince !== null || integration.pausedSince !== null;
    if (isHeld || integration.state !== "active") this.heldAt = this.#parts.now();
    // What the platform confirms as its own change counts as its call, also if a restart came before the call.
    for (const { changeId, shiftId, status } of this.#parts.store.changes) {
      if (status !== "confirmed" || this.#confirmed.has(changeId)) continue;
      this.#confirmed.add(changeId);
      this.called(shiftId);
    }
  }

  /** Returns what the job shows, in the form of `bodyOf`. */
  belief(shiftId: string): string {
    const job = this.#parts.store.jobs.get(shiftId);
    if (!job) return "nothing";
    const { startTime: start, endTime: end, positions, outletId, roleId, status } = job;
    return bodyOf({
      id: shiftId,
      start,
      end,
      positions,
      outletId,
      roleId,
      isCancelled: status === "cancelled",
    });
  }
}
