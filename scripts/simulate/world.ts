import { plan } from "../../src/platform/shifts/plan.ts";
import { agree } from "./agreement.ts";
import { resume } from "./apply.ts";
import { activate, mapOutlets } from "./commands.ts";
import type { Excuses } from "./excuses.ts";
import { happen } from "./happenings.ts";
import { Network } from "./network.ts";
import { PersonRuns } from "./people.ts";
import { ProviderRecords, type ProviderShift } from "./provider.ts";
import { randomFrom } from "./random.ts";
import { type Planner, Worker } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import { Store } from "./store.ts";
import { Timeline } from "./timeline.ts";
import { Watch } from "./watch.ts";
import { Webhooks } from "./webhooks.ts";

export const BEGIN = Date.UTC(2026, 0, 5, 6);
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
  const world = new World(schedule, planner, isLogged);
  world.run(schedule);
  return { violations: world.watch.violations, excuses: world.watch.excuses, lines: world.lines };
}

/** Both sides, and what is between them. */
export class World {
  now = BEGIN;
  readonly lines: string[] = [];
  readonly timeline = new Timeline();
  readonly store = new Store();
  readonly records: ProviderRecords;
  readonly network: Network;
  readonly webhooks: Webhooks;
  readonly watch: Watch;
  readonly worker: Worker;
  /** Shifts that the provider has not published yet. */
  readonly unpublished = new Map<string, ProviderShift>();
  readonly #isLogged: boolean;

  constructor(schedule: Schedule, planner: Planner, isLogged: boolean) {
    this.#isLogged = isLogged;
    this.records = new ProviderRecords(schedule.dialect);
    const { store, records, timeline } = this;
    const common = { now: () => this.now, random: randomFrom(schedule.seed), log: this.log };
    this.watch = new Watch({ store, records, ...common });
    this.webhooks = new Webhooks({ store, timeline, ...common });
    const effects = {
      changed: (shiftId: string, event: "shift.update" | "shift.delete") => {
        if (schedule.dialect.echoes) this.webhooks.send(event, shiftId);
      },
      created: (candidateId: string) => this.watch.created(candidateId),
    };
    this.network = new Network({ timeline, records, effects, ...common });
    this.watch.network = this.network;
    const parts = { store, network: this.network, watch: this.watch, plan: planner, ...common };
    this.worker = new Worker(parts, (worker) => new PersonRuns(worker));
  }

  readonly log = (line: () => string): void => {
    if (this.#isLogged) this.lines.push(`${new Date(this.now).toISOString().slice(8, 23)}  ${line()}`);
  };

  run(schedule: Schedule) {
    this.#prepare(schedule);
    let at = this.now + 1_000;
    for (const { afterMs, happening } of schedule.actions) {
      at += afterMs;
      this.timeline.add(at, () => happen(this, happening));
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
