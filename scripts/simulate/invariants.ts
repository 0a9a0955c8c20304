import { GONE } from "../../src/platform/shifts/plan/believe.ts";
import type { Call, JobState, Next, ShiftState } from "../../src/platform/shifts/plan/state.ts";
import { type Allowed, AllowedCounts } from "./allowed.ts";
import { ChangeInvariants } from "./change-invariants.ts";
import type { Checked } from "./checked.ts";
import type { Network } from "./network.ts";
import { NoticeInvariants } from "./notice-invariants.ts";
import type { Observations } from "./observations.ts";
import type { NotificationRow } from "./store.ts";

type Parts = Pick<Checked, "store" | "records" | "now" | "log">;

/** The most that passes between a response and what the platform does with it. Milliseconds. */
const ACTS_WITHIN_MS = 10_000;

/** Checks invariants during the simulation, and counts the calls and runs of each shift. */
export class Invariants {
  readonly violations: string[] = [];
  readonly allowed = new AllowedCounts();
  readonly runs = new Map<string, number>();
  readonly calls = new Map<string, number>();
  /** Calls with an effect, since the counts were reset. */
  readonly changes = new Map<string, number>();
  network: Network | undefined;
  observations: Observations | undefined;
  readonly #parts: Parts;
  readonly #changeCalls: ChangeInvariants;
  readonly #notices: NoticeInvariants;

  constructor(parts: Parts) {
    this.#parts = parts;
    const checked: Checked = {
      ...parts,
      network: () => this.network,
      staleMs: () => this.#staleMs,
      fail: (violation) => this.fail(violation),
      failUnless: (...about) => this.failUnless(...about),
    };
    this.#changeCalls = new ChangeInvariants(checked);
    this.#notices = new NoticeInvariants(checked);
  }

  fail(violation: string) {
    this.#parts.log(() => `VIOLATION ${violation}`);
    this.violations.push(violation);
  }

  /** Records a violation unless the allowance applies. */
  failUnless(allowance: Allowed, applies: boolean, violation: string) {
    if (applies) this.allowed.count(allowance);
    else this.fail(violation);
  }

  /** Returns the result, and records a violation if the plan throws. */
  guard<Value>(make: () => Value): Value | undefined {
    try {
      return make();
    } catch (error) {
      this.fail(`the plan threw: ${(error as Error).stack ?? error}`);
      return undefined;
    }
  }

  runStarted(shiftId: string) {
    increase(this.runs, shiftId);
  }

  resetCounts() {
    for (const counts of [this.runs, this.calls, this.changes]) counts.clear();
  }

  called(shiftId: string, { do: what }: Next) {
    increase(this.calls, shiftId);
    if (what === "read" || what === "witness") return;
    increase(this.changes, shiftId);
    this.observations?.called(shiftId);
  }

  intended(shiftId: string, call: Call) {
    const job = this.#parts.store.jobs.get(shiftId);
    const hasStarted = !job || job.startTime <= this.#parts.now();
    if (hasStarted) this.fail(`${call.do} on ${shiftId} after its start`);
    if (call.do === "change") this.#changeCalls.intended(shiftId, call);
  }

  /** How old what the platform acts on may be: as far as a replica has lagged until now. */
  get #staleMs(): number {
    return ACTS_WITHIN_MS + Math.max(0, ...(this.network?.lags.map(({ lagMs }) => lagMs) ?? []));
  }

  hadNoEffect(call: Call) {
    if (call.do === "change") this.#changeCalls.hadNoEffect(call);
  }

  notified(row: NotificationRow) {
    this.#notices.notified(row);
  }

  /** Checks what a transaction made of the job. `before`: the state that it was planned with. */
  committed(shiftId: string, { job: before, shift }: Pick<ShiftState, "job" | "shift">) {
    const { version, missingSince } = shift.belief;
    this.#checkReopened(shiftId, before, version === GONE ? missingSince : null);
    this.#changeCalls.checkReturned(shiftId, before);
  }

  /** A shift that is known to be gone has a job again only if it has reappeared since. */
  #checkReopened(shiftId: string, before: JobState | undefined, goneAt: number | null) {
    const { store, records } = this.#parts;
    const isLive = (job: Pick<JobState, "status"> | undefined) =>
      job !== undefined && job.status !== "cancelled";
    if (goneAt === null || isLive(before) || !isLive(store.jobs.get(shiftId))) return;
    const versions = records.versionsSince(shiftId, goneAt);
    if (versions.every((shift) => shift === undefined || shift.isCancelled))
      this.fail(`${shiftId} has a job again, although it is gone`);
  }

  created(candidateId: string) {
    const { records } = this.#parts;
    if (!records.people.some((person) => person.candidateId === candidateId)) return;
    const isHidden = this.network?.hasHiddenPeople === true;
    this.failUnless("look_up_by_gateway", isHidden, `${candidateId} was created twice at the provider`);
  }
}

const increase = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
