import { signal, type Trx } from "../transaction.ts";

const PREFIX = "news ";

/** One message of the stream: ids and states, never personal data. */
export interface News {
  type: "job" | "booking" | "event" | "issue" | "notification" | "import" | "integration";
  [idOrState: string]: string | number | boolean | null;
}

/** Publishes a message on the stream of every process once the transaction has committed. 8 kB at most. */
export function publish(trx: Trx, news: News): void {
  signal(trx, PREFIX + JSON.stringify(news));
}

/** The message of a signal; undefined for a signal that only wakes a waiting request. */
export function newsOf(topic: string): News | undefined {
  return topic.startsWith(PREFIX) ? (JSON.parse(topic.slice(PREFIX.length)) as News) : undefined;
}
