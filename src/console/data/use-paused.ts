import { useEffect, useState } from "preact/hooks";

/** After the last key. Milliseconds. */
const PAUSE_MS = 150;

/** The value, once it has not changed for a moment. */
export function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
