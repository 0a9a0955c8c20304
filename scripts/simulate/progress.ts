interface Terminal {
  isTTY?: boolean;
  write(text: string): unknown;
}

const EVERY_MS = 250;
/** A log grows by a line. */
const EVERY_IN_A_LOG_MS = 10_000;

/** Shows how far a long run has come: in place in a terminal, now and then as a line anywhere else. */
export function createProgress(terminal: Terminal, total: number) {
  const isTerminal = terminal.isTTY === true;
  const everyMs = isTerminal ? EVERY_MS : EVERY_IN_A_LOG_MS;
  let shownAt = performance.now();
  return {
    show: (done: number): void => {
      if (performance.now() - shownAt < everyMs) return;
      shownAt = performance.now();
      const text = `${done} of ${total} schedules`;
      terminal.write(isTerminal ? `\r${text}` : `${text}\n`);
    },
    end: (): void => {
      if (isTerminal) terminal.write("\r\u001b[K");
    },
  };
}
