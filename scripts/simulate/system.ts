import { Invariants } from "./invariants.ts";
import { Network } from "./network.ts";
import { PersonRuns } from "./person-runs.ts";
import { ProviderRecords, type ProviderShift } from "./provider.ts";
import { randomFrom } from "./random.ts";
import { type Planner, Worker } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import { Store } from "./store.ts";
import { Timeline } from "./timeline.ts";
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
  readonly #isLogged: boolean;

  constructor(schedule: Schedule, planner: Planner, isLogged: boolean) {
    this.#isLogged = isLogged;
    this.records = new ProviderRecords(schedule.dialect);
    const { store, records, timeline } = this;
    const common = { now: () => this.now, random: randomFrom(schedule.seed), log: this.log };
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
  }

  readonly log = (line: () => string): void => {
    if (this.#isLogged) this.lines.push(`${new Date(this.now).toISOString().slice(8, 23)}  ${line()}`);
  };
}
