import { randomUUID } from "node:crypto";
import { isUuid } from "../contract/uuid.ts";

export interface IdSources {
  /** Milliseconds since 1970. */
  now: () => number;
  /** A UUIDv4. */
  random: () => string;
}

/**
 * Returns a generator of UUIDv7 (RFC 9562). Every id is greater than the one before it, also within one millisecond and when the clock is set back,
 * because events are processed in the order of their ids.
 */
export function createIdGenerator(sources: Partial<IdSources> = {}): () => string {
  const { now = Date.now, random = randomUUID } = sources;
  let lastMs = 0;
  let counter = 0;
  return () => {
    const uuid = random();
    const ms = now();
    if (ms > lastMs) {
      lastMs = ms;
      // In the lower half of the 12 bits, so that a burst within one millisecond rarely borrows from the next.
      counter = Number.parseInt(uuid.slice(0, 3), 16) >> 1;
    } else if (counter < 0xfff) {
      counter += 1;
    } else {
      counter = 0;
      lastMs += 1;
    }
    const time = lastMs.toString(16).padStart(12, "0");
    const sequence = counter.toString(16).padStart(3, "0");
    // The rest, the variant and 62 random bits, has the same layout in UUIDv4 and UUIDv7.
    return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${uuid.slice(19)}`;
  };
}

/** The process-wide generator: ids of one process are in the order of their creation. */
export const newId: () => string = createIdGenerator();

/** The least id of a millisecond: every id that was generated before is less. */
export const firstIdAt = (at: Date): string =>
  createIdGenerator({ now: () => at.getTime(), random: () => "00000000-0000-4000-8000-000000000000" })();

/** Returns a UUID in lower case, because UUIDs ignore case (RFC 9562), and any other text unchanged. */
export const lowerUuid = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);
