import type { Event, EventStatus } from "../../../generated/operations/types.ts";
import type { Tone } from "../parts/badge.tsx";

interface Words {
  name: string;
  tone: Tone;
  /** What the status means for whoever looks at it. */
  means: string;
}

/** In the order in which an operator asks for them. */
export const STATUS_WORDS: Readonly<Record<EventStatus, Words>> = {
  queued: {
    name: "Queued",
    tone: "busy",
    means: "It waits to be processed. Events of one shift are processed one after the other.",
  },
  failed: {
    name: "Failed",
    tone: "bad",
    means:
      "The provider's answer is of no use, and asking again would not change that. Mend the cause first.",
  },
  dead: {
    name: "Given up",
    tone: "bad",
    means: "Every try failed. Replay it once the provider is well again.",
  },
  processed: { name: "Processed", tone: "good", means: "It was processed, and the job is up to date." },
  skipped_echo: {
    name: "Skipped: echo of ours",
    tone: "plain",
    means: "The provider tells of a deletion that the platform itself asked for.",
  },
  ignored: { name: "Ignored", tone: "plain", means: "It was stored, and nothing was done." },
};

const TRIED: Words = {
  name: "Will be tried again",
  tone: "warn",
  means: "The last try failed. The next one comes by itself, with growing pauses.",
};

export function wordsOf({ status, attempts }: Pick<Event, "status" | "attempts">): Words {
  return status === "queued" && attempts > 0 ? TRIED : STATUS_WORDS[status];
}

/** From its arrival to its end; undefined while it waits. Milliseconds. */
export function tookMs({ receivedAt, processedAt }: Pick<Event, "receivedAt" | "processedAt">) {
  if (processedAt === undefined) return undefined;
  return Math.max(0, Date.parse(processedAt) - Date.parse(receivedAt));
}
