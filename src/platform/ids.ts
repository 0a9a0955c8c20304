import { getRandomValues } from "node:crypto";

export interface IdSources {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Fills the array with random bytes. */
  random: (bytes: Uint8Array) => Uint8Array;
}

/**
 * A generator of UUIDv7 (RFC 9562) in which every id is greater than the one before it, also within one
 * millisecond and when the clock is set back: the queue orders the tasks of one insert by their ids.
 */
export function createIdGenerator(sources: Partial<IdSources> = {}): () => string {
  const { now = Date.now, random = (bytes) => getRandomValues(bytes) } = sources;
  const bytes = new Uint8Array(10);
  let lastMs = 0;
  let counter = 0;
  return () => {
    random(bytes);
    const ms = now();
    if (ms > lastMs) {
      lastMs = ms;
      // Half of the 12 bits are left free, so that a burst within one millisecond rarely borrows from the next.
      counter = ((bytes[0] ?? 0) << 3) | ((bytes[1] ?? 0) & 0x7);
    } else {
      counter += 1;
      if (counter > 0xfff) {
        counter = 0;
        lastMs += 1;
      }
    }
    return layout(lastMs, counter, bytes);
  };
}

function layout(ms: number, counter: number, bytes: Uint8Array): string {
  const time = ms.toString(16).padStart(12, "0");
  const sequence = counter.toString(16).padStart(3, "0");
  const tail = Buffer.from(bytes.subarray(2));
  tail[0] = ((tail[0] ?? 0) & 0x3f) | 0x80;
  const rest = tail.toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${rest.slice(0, 4)}-${rest.slice(4)}`;
}

/** The process-wide generator: ids made anywhere in one process are in order of their making. */
export const newId: () => string = createIdGenerator({ random: pooledRandom() });

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A UUID is the same in either case (RFC 9562): ours are in lower case. Any other text is left as it is. */
export const lowerUuid = (text: string): string => (UUID.test(text) ? text.toLowerCase() : text);

/** One call for the random bytes of many ids costs as much as one for the bytes of one. */
function pooledRandom(): IdSources["random"] {
  const pool = new Uint8Array(4_096);
  let used = pool.length;
  return (bytes) => {
    if (used + bytes.length > pool.length) {
      getRandomValues(pool);
      used = 0;
    }
    bytes.set(pool.subarray(used, used + bytes.length));
    used += bytes.length;
    return bytes;
  };
}
