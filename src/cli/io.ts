import { visible } from "../contract/storable-text.ts";

/** Where a command writes, one line at a time, and the environment that it reads. Text of others cannot control the terminal. */
export interface Io {
  stdout: (line: string) => void;
  stderr: (line: string) => void;
  /** Writes to stdout with colours; the caller escapes text of others. Undefined: stdout is no terminal, or NO_COLOR (no-color.org) is set. */
  styled?: (line: string) => void;
  env: Readonly<Record<string, string | undefined>>;
}

interface Streams extends Pick<Io, "env"> {
  readonly stdout: NodeJS.WritableStream & { isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
}

/** Returns the input and output of a process. */
export function ioOf({ stdout, stderr, env }: Streams): Io {
  const [styled, error] = [lineWriter(stdout), lineWriter(stderr)];
  return {
    stdout: (line) => styled(visible(line)),
    stderr: (line) => error(visible(line)),
    env,
    ...(stdout.isTTY === true && !env.NO_COLOR && { styled }),
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

/** Returns how reports are written: with colours where they can be seen. */
export const reportOutput = ({ styled, stdout }: Io) => ({
  write: styled ?? stdout,
  isInteractive: styled !== undefined,
});

/** Returns the code of a file system's error, such as `ENOENT`. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown reason";
