import type { Event, EventStatus, TraceStep } from "../../../generated/operations/types.ts";
import { entryOf, eventStatusText } from "../../contract/operator-text.ts";
import { Badge, type Tone } from "../components/cells.tsx";
import { addressWith, anyText, type Filter, oneOf } from "../components/filters.tsx";

export function EventBadge(event: Pick<Event, "status" | "attempts">) {
  return <Badge tone={toneOf(event)}>{eventStatusText(event).name}</Badge>;
}

/** In the order in which an operator checks them. */
const TONES = {
  queued: "busy",
  failed: "bad",
  dead: "bad",
  processed: "good",
  skipped_echo: "plain",
  ignored: "plain",
} satisfies Record<EventStatus, Tone>;

export const EVENT_STATUSES = Object.keys(TONES) as EventStatus[];

export const EVENT_FILTER = {
  providerId: anyText,
  status: oneOf(EVENT_STATUSES),
  shiftId: anyText,
  traceId: anyText,
};
export type EventFilter = Filter<typeof EVENT_FILTER>;

/** The address of the events page with a filter. */
export const eventsAddress = (filter: EventFilter): string => addressWith("/console/events", filter);

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

export interface TimedStep {
  step: TraceStep;
  /** Since the first step of the trace. Milliseconds. */
  afterMs: number;
}

/** The steps of a trace, each with its distance from the first. */
export function timedSteps(steps: readonly TraceStep[]): TimedStep[] {
  const start = Date.parse(steps[0]?.at ?? "");
  return steps.map((step) => ({ step, afterMs: Math.max(0, Date.parse(step.at) - start) }));
}
