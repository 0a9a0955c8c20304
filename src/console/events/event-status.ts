import type { Event, EventStatus } from "../../../generated/operations/types.ts";
import { entryOf } from "../../contract/operator-text.ts";
import type { Tone } from "../parts/badge.tsx";

/** In the order in which an operator looks for them. */
const TONES = {
  queued: "busy",
  failed: "bad",
  dead: "bad",
  processed: "good",
  skipped_echo: "plain",
  ignored: "plain",
} satisfies Record<EventStatus, Tone>;

export const EVENT_STATUSES = Object.keys(TONES) as EventStatus[];

/** The tone of an event's badge. A queued event with attempts is being retried. */
export function toneOf({ status, attempts }: Pick<Event, "status" | "attempts">): Tone {
  if (status === "queued" && attempts > 0) return "warn";
  return entryOf<Tone>(TONES, status) ?? "plain";
}

/** From receipt to the end of processing; undefined while the event waits. Milliseconds. */
export function tookMs({ receivedAt, processedAt }: Pick<Event, "receivedAt" | "processedAt">) {
  if (processedAt === undefined) return undefined;
  return Math.max(0, Date.parse(processedAt) - Date.parse(receivedAt));
}
