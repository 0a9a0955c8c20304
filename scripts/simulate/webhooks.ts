import type { Observations } from "./observations.ts";
import { type Draw, Slots } from "./random.ts";
import type { WebhookFault } from "./schedules.ts";
import type { Store } from "./store.ts";
import type { Timeline } from "./timeline.ts";

/** Between two sweeps of the dispatcher. */
export const SWEEP_MS = 10_000;

type EventName = "shift.create" | "shift.update" | "shift.delete";

interface Parts {
  store: Store;
  timeline: Timeline;
  now: () => number;
  draw: Draw;
  log: (line: () => string) => void;
}

/** An arrival of an event. `isFirst`: not of a duplicate, nor of a second event about the same change. */
interface Arrival {
  event: EventName;
  shiftId: string;
  traceId: string;
  isDispatched: boolean;
  isFirst: boolean;
}

/** Delivers the provider's webhooks to the platform's inbox: late, twice, in any order, or never. */
export class Webhooks {
  readonly #parts: Parts;
  readonly #faults = new Slots<WebhookFault>();
  #sent = 0;
  observations: Observations | undefined;
  /** When the last event of each shift was stored. */
  readonly announcedAt = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  addFaults(faults: readonly WebhookFault[], eachMs: number) {
    this.#faults.add(faults, this.#parts.now(), eachMs);
  }

  endFaults() {
    this.#faults.clear();
  }

  send(event: EventName, shiftId: string) {
    const { timeline, now, draw, log } = this.#parts;
    this.#sent += 1;
    const traceId = `t${this.#sent}`;
    const fault = this.#faults.at(now());
    log(() => `provider  sends ${event} of ${shiftId} (${traceId})${fault ? `: ${fault.kind}` : ""}`);
    this.observations?.sent(shiftId, fault?.kind === "lost");
    if (fault?.kind === "lost") return;
    const delayMs =
      fault?.kind === "delayed" ? fault.delayMs : 30 + Math.floor(draw("delay", `${event} ${shiftId}`) * 150);
    const isDispatched = fault?.kind !== "undispatched";
    const arrive = (isFirst: boolean) => () =>
      this.#arrive({ event, shiftId, traceId, isDispatched, isFirst });
    timeline.add(now() + delayMs, arrive(true));
    if (fault?.kind === "duplicated") {
      const laterMs = 200 + Math.floor(draw("duplicate", `${event} ${shiftId}`) * 60_000);
      timeline.add(now() + delayMs + laterMs, arrive(false));
    }
    if (fault?.kind === "sent_twice") this.#sendAgain(event, shiftId);
  }

  /** Announces one change with two events. */
  #sendAgain(event: EventName, shiftId: string) {
    const { timeline, now, draw } = this.#parts;
    this.#sent += 1;
    const traceId = `t${this.#sent}`;
    const laterMs = 50 + Math.floor(draw("again", `${event} ${shiftId}`) ** 3 * 40_000);
    const arrival = { event, shiftId, traceId, isDispatched: true, isFirst: false };
    timeline.add(now() + laterMs, () => this.#arrive(arrival));
  }

  /** Stores an event as the inbox does: a repetition is processed only if the first attempt failed permanently. */
  #arrive({ event, shiftId, traceId, isDispatched, isFirst }: Arrival) {
    const { store, now, log } = this.#parts;
    log(() => `platform  stores ${event} of ${shiftId} (${traceId})`);
    this.announcedAt.set(shiftId, now());
    const known = store.events.find((row) => row.traceId === traceId);
    const isNew = !known || known.status === "failed" || known.status === "dead";
    const dispatchedAt = isDispatched ? now() : Math.ceil((now() + 1) / SWEEP_MS) * SWEEP_MS;
    this.observations?.stored(shiftId, { isFirst, isNew, dispatchedAt });
    if (!isNew) return;
    const fresh = { status: "queued", isRead: false, receivedAt: now() } as const;
    if (known) Object.assign(known, fresh);
    else
      store.events.push({ eventId: store.newId("e"), shiftId, event, traceId, ...fresh, isReplayed: false });
    if (isDispatched) store.markDue("shift", shiftId, 1, now());
  }
}
