interface Kept<T> {
  reading: Promise<T>;
  until: number;
}

/** A reading that takes long is kept for longer: readings use at most a twentieth of the time. */
const SHARE = 20;

/** Reads on demand, and each key at most once in `keptForMs` milliseconds. `now`: milliseconds. */
export function shareReading<T>(
  read: (key: string) => Promise<T>,
  keptForMs: number,
  now: () => number = () => performance.now(),
): (key?: string) => Promise<T> {
  const kept = new Map<string, Kept<T>>();
  return (key = "") => {
    for (const [each, { until }] of kept) if (until <= now()) kept.delete(each);
    const known = kept.get(key);
    if (known) return known.reading;
    const startedAt = now();
    const latest = { reading: read(key), until: Number.POSITIVE_INFINITY };
    kept.set(key, latest);
    latest.reading.then(
      () => {
        latest.until = Math.max(startedAt + keptForMs, now() + (now() - startedAt) * SHARE);
      },
      // A failure is not kept: the database may have recovered.
      () => kept.delete(key),
    );
    return latest.reading;
  };
}
