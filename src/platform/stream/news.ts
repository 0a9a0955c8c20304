import type { Signals } from "../db/signals.ts";
import type { Trx } from "../queue/task.ts";

/** Migration 002 names it too: its triggers tell of jobs, bookings, events, issues and notifications. */
const PREFIX = "news ";

/** One message of the stream: ids and states, never personal data. */
export interface News {
  type: "job" | "booking" | "event" | "issue" | "notification" | "import";
  [idOrState: string]: string | number | boolean | null;
}

/** Tells every process's stream of something that no table's trigger tells. Sent when the transaction commits; 8 kB at most. */
export function tellNews(trx: Trx, signals: Pick<Signals, "emit">, news: News): Promise<void> {
  return signals.emit(trx, PREFIX + JSON.stringify(news));
}

/** Undefined for the other signals, which only wake somebody. */
export function newsOf(topic: string): News | undefined {
  return topic.startsWith(PREFIX) ? (JSON.parse(topic.slice(PREFIX.length)) as News) : undefined;
}
