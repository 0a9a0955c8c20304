/**
 * Resolves at SIGINT or SIGTERM, when the reader of the output has closed it, or when `enough` aborts, and removes its listeners.
 * Returns the signal, if it was one.
 */
export function untilStopped(enough?: AbortSignal): Promise<NodeJS.Signals | undefined> {
  return new Promise((resolve) => {
    const stop = (signal?: unknown) => {
      process.stdout.off("error", stop);
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      enough?.removeEventListener("abort", stop);
      resolve(signal === "SIGINT" || signal === "SIGTERM" ? signal : undefined);
    };
    process.stdout.on("error", stop);
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
    enough?.addEventListener("abort", stop);
  });
}
