import { Invariants } from "./invariants.ts";
import { Network } from "./network.ts";
import { PersonRuns } from "./person-runs.ts";
import { ProviderRecords, type ProviderShift } from "./provider.ts";
import { drawsFrom } from "./random.ts";
import { type Watcher, Worker } from "./runs.ts";
import type { Schedule } from "./schedules.ts";
import { Store } from "./store.ts";
import { Timeline } from "./timeline.ts";
import { Timeliness } from "./timeliness.ts";
import { Webhooks } from "./webhooks.ts";

export const START = Date.UTC(2026, 0, 5, 6);

/** Both sides and the network between them. */
export class SimulatedSystem {
  now = START;
  readonly lines: string[] = [];
  readonly timeline = new Timeline();
  readonly store = new Store();
  readonly records: ProviderRecords;
  readonly network: Network;
  readonly webhooks: Webhooks;
  readonly invariants: Invariants;
  readonly worker: Worker;
  /** Shifts that the provider has not published yet. */
  readonly unpublished = new Map<string, ProviderShift>();
  readonly seed: number;
  readonly timeliness: Timeliness;
  readonly #isLogged: boolean;

  constructor(schedule: Schedule, planner: Watcher, isLogged: boolean) {
    this.#isLogged = isLogged;
    this.seed = schedule.seed;
    this.records = new ProviderRecords(schedule.dialect);
    const { store, records, timeline } = this;
    const now = () => this.now;
    const common = { now, draw: drawsFrom(schedule.seed, now), log: this.log };
    this.invariants = new Invariants({ store, records, ...common });
    this.webhooks = new Webhooks({ store, timeline, ...common });
    const effects = {
      changed: (shiftId: string, event: "shift.update" | "shift.delete") => {
        if (schedule.dialect.echoes) this.webhooks.send(event, shiftId);
      },
      created: (candidateId: string) => this.invariants.created(candidateId),
    };
    this.network = new Network({ timeline, records, effects, ...common });
    this.invariants.network = this.network;
    const parts = { store, network: this.network, invariants: this.invariants, plan: planner, ...common };
    this.worker = new Worker(parts, (worker) => new PersonRuns(worker));
    const timeliness = new Timeliness(this);
    this.timeliness = timeliness;
    this.records.written = (...version) => timeliness.written(...version);
    this.webhooks.observations = timeliness.observations;
    this.network.observations = timeliness.observations;
    this.invariants.observations = timeliness.observations;
  }

  readonly log = (line: () => string): void => {
    if (this.#isLogged) this.lines.push(`${new Date(this.now).toISOString().slice(8, 23)}  ${line()}`);
  };
}
