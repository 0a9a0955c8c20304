import { plan } from "../../src/platform/shifts/plan.ts";
import { agree } from "./agreement.ts";
import { resume } from "./apply.ts";
import { activate, mapOutlets } from "./commands.ts";
import type { Excuses } from "./excuses.ts";
import type { Planner } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import { perform } from "./steps.ts";
import { BEGIN, World } from "./world.ts";

const HOUR = 3_600_000;
const SWEEP_MS = 10_000;
/** After the last action: this long to agree, then so long in which hardly anything may happen. */
const SETTLE_MS = 3.5 * HOUR;
const QUIET_MS = 2 * HOUR;
/** A shift is read once an hour; a 404 is checked with a second call. */
const QUIET_CALLS = 5;
const SETTLE_CALLS = 60;

export interface Outcome {
  violations: readonly string[];
  excuses: Excuses;
  /** One line for each event and call, with the simulated time. Empty unless asked for. */
  lines: readonly string[];
}

export interface SimulateOptions {
  plan?: Planner;
  isLogged?: boolean;
}

/** Runs one schedule in simulated time, and checks every property. The same schedule always has the same outcome. */
export function simulate(
  schedule: Schedule,
  { plan: planner = plan, isLogged = false }: SimulateOptions = {},
): Outcome {
  const world = new Simulation(schedule, planner, isLogged);
  world.run(schedule);
  return { violations: world.watch.violations, excuses: world.watch.excuses, lines: world.lines };
}

/** Performs the steps of a schedule, and advances the time. */
class Simulation extends World {
  run(schedule: Schedule) {
    this.#prepare(schedule);
    let at = this.now + 1_000;
    for (const { afterMs, step } of schedule.actions) {
      at += afterMs;
      this.timeline.add(at, () => perform(this, step));
    }
    this.#advance(at);
    this.#endFaults();
    this.watch.resetCounts();
    this.#advance(this.now + SETTLE_MS);
    for (const [shiftId, count] of this.watch.calls)
      if (count > SETTLE_CALLS) this.watch.fail(`${count} calls for ${shiftId} after the faults had ended`);
    if (this.watch.violations.length > 0) return;
    agree(this);
    this.watch.resetCounts();
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
      const start = BEGIN + startsInMs;
      const id = `s${index}`;
      const place = { outletId: `o${outlet}`, roleId: "r0" };
      const shift = {
        id,
        start,
        end: start + 4 * HOUR,
        positions,
        ...place,
        isCancelled: false,
        entries: [],
      };
      if (!isKnown) {
        this.unpublished.set(id, shift);
        return;
      }
      this.records.write(id, shift, this.now);
      this.webhooks.send("shift.create", id);
    });
  }

  /** Nothing is wrong any more; the operator has mapped and activated everything. */
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
    for (;;) {
      this.worker.claimDue();
      const next = Math.min(this.timeline.nextAt, this.worker.nextAt(), this.#sweepAt());
      if (next > until) break;
      this.now = Math.max(this.now, next);
      if (this.timeline.nextAt <= this.now) this.timeline.advance();
      else if (this.worker.nextAt() > this.now) this.#sweep();
      if (this.watch.violations.length > 0) return;
    }
    this.now = until;
  }

  /** Events that wait although their shift is not due at all are found by the dispatcher's next round. */
  #left(): string[] {
    return this.store.events.flatMap(({ status, shiftId }) => {
      const row = this.store.work.get(`shift ${shiftId}`);
      const isDue = row && (row.dueAt <= this.now || row.priority < 2);
      return status === "queued" && !isDue ? [shiftId] : [];
    });
  }

  #sweepAt(): number {
    if (this.#left().length === 0) return Number.POSITIVE_INFINITY;
    return BEGIN + Math.ceil((this.now + 1 - BEGIN) / SWEEP_MS) * SWEEP_MS;
  }

  #sweep() {
    for (const shiftId of this.#left()) this.store.markDue("shift", shiftId, 1, this.now);
  }

  #checkQuiet() {
    for (const [shiftId, count] of this.watch.calls)
      if (count > QUIET_CALLS) this.watch.fail(`${count} calls for ${shiftId} within two hours of rest`);
    for (const [shiftId, count] of this.watch.runs)
      if (count > QUIET_CALLS) this.watch.fail(`${count} runs for ${shiftId} within two hours of rest`);
    for (const [shiftId, count] of this.watch.changes)
      this.watch.fail(`${count} calls that change ${shiftId} within two hours of rest`);
  }
}
