import { type Conversation, converse } from "./converse.ts";

/** Where a command writes, a line at a time, and what it reads beside its arguments. */
export interface Io {
  stdout: (line: string) => void;
  stderr: (line: string) => void;
  env: Readonly<Record<string, string | undefined>>;
  /** Asks the person at the terminal. Undefined: there is no terminal. */
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
 * Once the reader has gone (`shiftpact verify ... | head -1`), nothing more is written. The command goes on to its end: what it has
 * changed at a provider must be put back.
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

/** Plain output when not on a terminal; NO_COLOR (no-color.org) is respected. */
export function isColoured(env: Io["env"]): boolean {
  return process.stdout.isTTY === true && !env.NO_COLOR;
}
