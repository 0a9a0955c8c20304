import type { Counterexample } from "./check.ts";

interface Options {
  isColoured: boolean;
  /** Repeats it. */
  command: string;
  /** How many were run until then. */
  schedules: number;
}

/** The smallest counterexample as text: the provider's dialect, then one line for each event and call, then what is wrong. */
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
