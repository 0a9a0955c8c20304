interface Terminal {
  isTTY?: boolean;
  write(text: string): unknown;
}

const EVERY_MS = 250;
/** In a log each report is another line. */
const EVERY_IN_A_LOG_MS = 10_000;

/** Reports the progress of a long run: in place on a terminal, otherwise as occasional lines. */
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
