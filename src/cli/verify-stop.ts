import type { Io } from "./io.ts";

/**
 * SIGINT and SIGTERM abort the signal, so that the run puts back what it changed; the second one ends the process with 2 at once.
 * `off` leaves no listener behind.
 */
export function stopOnSignal({ stderr }: Pick<Io, "stderr">): { signal: AbortSignal; off: () => void } {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) {
      stderr("shiftpact verify: ended at once: data at the provider may be left changed");
      process.exit(2);
    }
    stderr("shiftpact verify: stopping, and putting back what was changed; Ctrl-C again ends at once");
    controller.abort();
  };
  const names = ["SIGINT", "SIGTERM"] as const;
  for (const name of names) process.on(name, stop);
  const off = () => {
    for (const name of names) process.off(name, stop);
  };
  return { signal: controller.signal, off };
}
