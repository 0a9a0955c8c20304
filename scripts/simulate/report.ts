import type { Counterexample } from "./check.ts";

interface Options {
  isColoured: boolean;
  /** The command that repeats the run. */
  command: string;
  /** The number of schedules until then. */
  schedules: number;
}

/** Returns the smallest counterexample as text: the provider's dialect, one line for each event and call, and the violations. */
export function reportOf(
  { schedule, violations, lines }: Counterexample,
  { isColoured, command, schedules }: Options,
): string {
  const red = (text: string) => (isColoured ? `\u001b[31m${text}\u001b[0m` : text);
  const dialect = Object.entries(schedule.dialect).map(([name, value]) => `${name} ${value}`);
  return [
    red(`Schedule ${schedules} violates a property. The smallest schedule that does:`),
    "",
    `dialect: ${dialect.join(", ")}`,
    `candidates: ${schedule.candidates}, of whom the provider knows ${schedule.known}`,
    "",
    ...lines.map((line) => (line.includes("VIOLATION") ? red(line) : line)),
    "",
    ...violations.map((violation) => red(`violated: ${violation}`)),
    `repeat with: ${command}`,
  ].join("\n");
}

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
