/**
 * Reports an uncaught error and ends the process with code 1, because its state is undefined. What was acknowledged is stored.
 * Returns a function that removes the handlers.
 */
export function endOnUnexpected(report: (error: unknown) => void): () => void {
  const end = (error: unknown) => {
    try {
      report(error);
    } finally {
      process.exit(1);
    }
  };
  // Unhandled rejections arrive here too.
  process.on("uncaughtException", end);
  return () => void process.off("uncaughtException", end);
}

/** Ends the process if it is still alive after `ms`; with code 1 unless its command has ended. */
export function endAfter(ms: number, report: () => void): void {
  const end = () => {
    if (process.exitCode === undefined) report();
    process.exit(process.exitCode ?? 1);
  };
  setTimeout(end, ms).unref();
}
