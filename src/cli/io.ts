import { type Conversation, converse } from "./converse.ts";

/** Where a command writes, one line at a time, and what it reads beside its arguments. */
export interface Io {
  stdout: (line: string) => void;
  stderr: (line: string) => void;
  env: Readonly<Record<string, string | undefined>>;
  /** Asks the user at the terminal. Undefined: there is no terminal. */
  converse?: () => Conversation;
}

export function processIo(): Io {
  return {
    stdout: lineWriter(process.stdout),
    stderr: lineWriter(process.stderr),
    env: process.env,
    ...(process.stdin.isTTY && process.stdout.isTTY && { converse }),
  };
}

/**
 * Drops the output once its reader has closed it (`shiftpact verify ... | head -1`). The command still runs to its end, because it must
 * restore what it changed at a provider.
 */
export function lineWriter(stream: NodeJS.WritableStream): (line: string) => void {
  let isOpen = true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    isOpen = false;
  });
  return (line) => {
    if (isOpen) stream.write(`${line}\n`);
  };
}

/** Returns plain text when not on a terminal; NO_COLOR (no-color.org) is respected. */
export function isColoured(env: Io["env"]): boolean {
  return process.stdout.isTTY === true && !env.NO_COLOR;
}

/** Returns the code of a file system's error, such as `ENOENT`. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown reason";
