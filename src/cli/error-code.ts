/** Returns the code of a file system's error, such as `ENOENT`. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown reason";
