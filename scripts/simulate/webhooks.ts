import type { WebhookFault } from "./schedule.ts";
import type { Store } from "./store.ts";
import type { Timeline } from "./timeline.ts";

type EventName = "shift.create" | "shift.update" | "shift.delete";

interface Parts {
  store: Store;
  timeline: Timeline;
  now: () => number;
  random: () => number;
  log: (line: () => string) => void;
}

/** Delivers the provider's webhooks to the platform's inbox: late, twice, in any order, or never. */
export class Webhooks {
  readonly #parts: Parts;
  #faults: WebhookFault[] = [];
  #sent = 0;
  /** When the last event of each shift was stored. */
  readonly announcedAt = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  queueFaults(faults: readonly WebhookFault[]) {
    this.#faults.push(...faults);
  }

  endFaults() {
    this.#faults = [];
  }

  send(event: EventName, shiftId: string) {
    const { timeline, now, random, log } = this.#parts;
    this.#sent += 1;
    const traceId = `t${this.#sent}`;
    const fault = this.#faults.shift();
    log(() => `provider  sends ${event} of ${shiftId} (${traceId})${fault ? `: ${fault.kind}` : ""}`);
    if (fault?.kind === "lost") return;
    const delayMs = fault?.kind === "delayed" ? fault.delayMs : 30 + Math.floor(random() * 150);
    const arrive = () => this.#arrive(event, shiftId, traceId, fault?.kind !== "undispatched");
    timeline.add(now() + delayMs, arrive);
    if (fault?.kind === "duplicated") timeline.add(now() + delayMs + 3_000, arrive);
  }

  /** Stores an event as the inbox does: a repetition is processed only if the first attempt failed permanently. */
  #arrive(event: EventName, shiftId: string, traceId: string, isDispatched: boolean) {
    const { store, now, log } = this.#parts;
    log(() => `platform  stores ${event} of ${shiftId} (${traceId})`);
    this.announcedAt.set(shiftId, now());
    const known = store.events.find((row) => row.traceId === traceId);
    if (known && known.status !== "failed" && known.status !== "dead") return;
    const fresh = { status: "queued", isUnread: true, receivedAt: now() } as const;
    if (known) Object.assign(known, fresh);
    else
      store.events.push({ eventId: store.newId("e"), shiftId, event, traceId, ...fresh, isReplayed: false });
    if (isDispatched) store.markDue("shift", shiftId, 1, now());
  }
}
