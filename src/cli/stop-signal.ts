/** Resolves at SIGINT or SIGTERM, when the reader of the output has gone, or when `enough` aborts, and leaves no listener behind. */
export function untilStopped(enough?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.stdout.off("error", stop);
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      enough?.removeEventListener("abort", stop);
      resolve();
    };
    process.stdout.on("error", stop);
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
    enough?.addEventListener("abort", stop);
  });
}
