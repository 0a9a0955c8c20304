import { visible } from "../../contract/visible-text.ts";
import { painter } from "../../verify/reporters/terminal.ts";

/** Prints the demo on the terminal, line by line, as it happens. */
export interface Printer {
  title(text: string, facts: readonly [string, string][]): void;
  heading(number: number | undefined, text: string): void;
  /** One step that succeeded, with what was observed. */
  done(step: string, seen: string, ms: number): void;
  failed(step: string, reason: string): void;
  line(text: string): void;
}

/** Prints plain text unless the output is a terminal and NO_COLOR is unset. */
export function createPrinter(write: (line: string) => void, isColoured: boolean): Printer {
  const paint = painter(isColoured);
  return {
    title: (text, facts) => {
      write("");
      write(paint("bold", text));
      for (const [name, value] of facts) write(`  ${paint("dim", name.padEnd(10))} ${visible(value)}`);
    },
    heading: (number, text) => {
      write("");
      write(`${number === undefined ? "   " : paint("cyan", ` ${number} `)}${paint("bold", text)}`);
    },
    done: (step, seen, ms) => {
      const took = paint("dim", `${Math.max(1, Math.round(ms))} ms`.padStart(7));
      write(`   ${paint("green", "✓")} ${step.padEnd(46)} ${took}   ${paint("dim", seen)}`.trimEnd());
    },
    failed: (step, reason) => {
      write(`   ${paint("red", "✗")} ${step}`);
      write(`     ${paint("red", reason)}`);
    },
    line: (text) => write(visible(text)),
  };
}
