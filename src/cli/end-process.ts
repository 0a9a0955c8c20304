/**
 * An error that nobody caught leaves the process in a state that nobody knows: it is told of and the process ends with code 1. What
 * was acknowledged is stored. Answers how to take that back.
 */
export function endOnUnexpected(tell: (error: unknown) => void): () => void {
  const end = (error: unknown) => {
    try {
      tell(error);
    } finally {
      process.exit(1);
    }
  };
  // Rejections that nobody handles come here too.
  process.on("uncaughtException", end);
  return () => void process.off("uncaughtException", end);
}

/** Ends the process if anything still keeps it alive by then; with code 1 unless its command has ended. */
export function endAfter(ms: number, tell: () => void): void {
  const end = () => {
    if (process.exitCode === undefined) tell();
    process.exit(process.exitCode ?? 1);
  };
  setTimeout(end, ms).unref();
}
