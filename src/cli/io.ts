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
    stdout: (line) => process.stdout.write(`${line}\n`),
    stderr: (line) => process.stderr.write(`${line}\n`),
    env: process.env,
    ...(process.stdin.isTTY && process.stdout.isTTY && { converse }),
  };
}

/** Plain output when not on a terminal; NO_COLOR (no-color.org) is respected. */
export function isColoured(env: Io["env"]): boolean {
  return process.stdout.isTTY === true && !env.NO_COLOR;
}
