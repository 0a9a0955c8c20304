/** Whether `parseArgs` refused the flags. */
export const isUsageError = (error: unknown): boolean =>
  error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith("ERR_PARSE_ARGS");

/** The first line of the message: the rest is for developers. */
export const lineOf = (error: unknown): string =>
  (error instanceof Error ? error.message.split("\n")[0] : undefined) ?? String(error);
