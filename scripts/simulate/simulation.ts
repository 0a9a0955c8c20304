import { HOUR_MS, SECOND_MS } from "../../src/contract/timestamp.ts";
import { plan } from "../../src/platform/shifts/plan/plan.ts";
import { checkAgreement } from "./agreement.ts";
import type { AllowedCounts } from "./allowed.ts";
import { activate, mapOutlets } from "./commands.ts";
import { durationOf } from "./edits.ts";
import { resume } from "./integration.ts";
import { type RunRecord, recordOf } from "./record.ts";
import type { Watcher } from "./runs.ts";
import type { Schedule } from "./schedules.ts";
import { performStep } from "./steps.ts";
import { SimulatedSystem, START } from "./system.ts";
import type { Judged } from "./timeliness.ts";
import { SWEEP_MS } from "./webhooks.ts";

/** After the last action: the time to reach agreement, and then the time with hardly any calls. */
const SETTLE_MS = 3.5 * HOUR_MS;
const QUIET_MS = 2 * HOUR_MS;
/** A shift is read once an hour; a 404 is checked with a second call. */
const QUIET_CALLS = 6;
/** Each webhook that is still under way asks for up to four readings, and each of these, without the shift, for a witness. */
const SETTLE_CALLS = 80;
/** Of events and runs at one moment: far fewer are due when work comes to rest. */
const MOST_TURNS = 10_000;

export interface Outcome {
  violations: readonly string[];
  allowed: AllowedCounts;
  /** How many changes were judged by their time, and how many were left out for each reason. */
  judged: ReadonlyMap<Judged, number>;
  record: RunRecord | undefined;
  /** One line for each event and call, with the simulated time. Empty unless `isLogged`. */
  lines: readonly string[];
}

export interface SimulateOptions {
  plan?: Watcher;
  isLogged?: boolean;
  isRecorded?: boolean;
}

/** Runs one schedule in simulated time, and checks every property. A schedule always has the same outcome. */
export function simulate(
  schedule: Schedule,
  { plan: planner = plan, isLogged = false, isRecorded = false }: SimulateOptions = {},
): Outcome {
  const system = new Simulation(schedule, planner, isLogged);
  system.run(schedule);
  return {
    violations: system.invariants.violations,
    allowed: system.invariants.allowed,
    judged: system.timeliness.counts,
    record: isRecorded ? recordOf(system) : undefined,
    lines: system.lines,
  };
}

/** Performs the steps of a schedule, and advances the time. */
class Simulation extends SimulatedSystem {
  #sweptAt = START;

  run(schedule: Schedule) {
    this.#prepare(schedule);
    let at = this.now + 1_000;
    let endsAt = at;
    for (const { afterMs, step } of schedule.actions) {
      at += afterMs;
      endsAt = Math.max(endsAt, at + durationOf(step));
      this.timeline.add(at, () => performStep(this, step));
    }
    this.#advance(endsAt);
    this.#endFaults();
    this.invariants.resetCounts();
    this.#advance(this.now + SETTLE_MS);
    this.timeliness.end();
    for (const [shiftId, count] of this.invariants.calls)
      if (count > SETTLE_CALLS)
        this.invariants.fail(`${count} calls for ${shiftId} after the faults had ended`);
    if (this.invariants.violations.length > 0) return;
    checkAgreement(this);
    this.invariants.resetCounts();
    this.#advance(this.now + QUIET_MS);
    this.#checkQuiet();
  }

  #prepare({ shifts, candidates, known, isSecondOutletMapped }: Schedule) {
    this.store.outlets.set("o0", "w-o0");
    if (isSecondOutletMapped) this.store.outlets.set("o1", "w-o1");
    for (let index = 0; index < candidates; index += 1) {
      const candidateId = `c${index}`;
      this.store.competences.set(candidateId, new Set(index === 0 ? ["k0"] : ["k0", "k1"]));
      if (index < known) this.records.addPerson({ candidateId, by: "provider", key: undefined });
    }
    for (let index = 0; index < 2; index += 1)
      this.records.addPerson({ candidateId: undefined, by: "provider", key: undefined });
    shifts.forEach(({ startsInMs, positions, outlet, isKnown }, index) => {
      const start = START + startsInMs;
      const id = `s${index}`;
      const place = { outletId: `o${outlet}`, roleId: "r0" };
      const shift = {
        id,
        start,
        end: start + 4 * HOUR_MS,
        positions,
        ...place,
        isCancelled: false,
        entries: [],
      };
      if (!isKnown) {
        this.unpublished.set(id, shift);
        return;
      }
      // It is older than any replica lags.
      this.records.write(id, shift, this.now - HOUR_MS);
      this.webhooks.send("shift.create", id);
    });
  }

  /** Ends all faults, and maps and activates everything as an operator would. */
  #endFaults() {
    this.log(() => "— the faults end —");
    this.network.endFaults();
    this.webhooks.endFaults();
    this.worker.crashLater(undefined);
    this.store.outlets.set("o1", this.store.outlets.get("o1") ?? null);
    mapOutlets(this.store, this.now);
    activate(this.store, this.now);
    resume(this.store, this.now);
  }

  #advance(until: number) {
    let turns = 0;
    for (;;) {
      this.worker.claimDue();
      this.timeliness.observations.observe();
      const next = Math.min(this.timeline.nextAt, this.worker.nextAt(), this.#sweepAt());
      if (next > until) break;
      turns = next > this.now ? 0 : turns + 1;
      if (turns > MOST_TURNS)
        return this.invariants.fail("work is due again and again without any time passing");
      // A clock shows whole milliseconds.
      this.now = Math.max(this.now, Math.ceil(next));
      if (this.timeline.nextAt <= this.now) this.timeline.advance();
      else if (this.worker.nextAt() > this.now) this.#sweep();
      if (this.invariants.violations.length > 0) return;
    }
    this.now = until;
  }

  /** Returns shifts with waiting events that are not due: the dispatcher's next sweep finds them. */
  #missed(): string[] {
    return this.store.events.flatMap(({ status, shiftId, isRead }) => {
      const row = this.store.work.get(`shift ${shiftId}`);
      const isDue = row && (row.dueAt <= this.now + SECOND_MS || row.claim !== null || row.attempts > 0);
      return status === "queued" && !isRead && !isDue ? [shiftId] : [];
    });
  }

  #sweepAt(): number {
    if (this.#missed().length === 0) return Number.POSITIVE_INFINITY;
    const from = Math.max(this.now, this.#sweptAt + 1);
    return START + Math.ceil((from - START) / SWEEP_MS) * SWEEP_MS;
  }

  #sweep() {
    this.#sweptAt = this.now;
    for (const shiftId of this.#missed()) this.store.markDue("shift", shiftId, 1, this.now);
  }

  #checkQuiet() {
    for (const [shiftId, count] of this.invariants.calls)
      if (count > QUIET_CALLS) this.invariants.fail(`${count} calls for ${shiftId} within two quiet hours`);
    for (const [shiftId, count] of this.invariants.runs)
      if (count > QUIET_CALLS) this.invariants.fail(`${count} runs for ${shiftId} within two quiet hours`);
    for (const [shiftId, count] of this.invariants.changes)
      this.invariants.fail(`${count} calls that change ${shiftId} within two quiet hours`);
  }
}
