import type { Io } from "./io.ts";

/**
 * SIGINT and SIGTERM abort the signal, and the run restores what it changed; a second one ends the process with 2 at once.
 * `off` removes the listeners.
 */
export function stopOnSignal({ stderr }: Pick<Io, "stderr">): { signal: AbortSignal; off: () => void } {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) {
      stderr("shiftpact verify: stopped immediately: changed data may remain at the provider");
      process.exit(2);
    }
    stderr("shiftpact verify: stopping and restoring changed data; press Ctrl-C again to stop immediately");
    controller.abort();
  };
  const names = ["SIGINT", "SIGTERM"] as const;
  for (const name of names) process.on(name, stop);
  const off = () => {
    for (const name of names) process.off(name, stop);
  };
  return { signal: controller.signal, off };
}
