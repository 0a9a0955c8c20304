import { styleText } from "node:util";

export type Format = Parameters<typeof styleText>[0];

/** Where a report is written, a line at a time, and how wide it may be. */
export interface Page {
  /** Columns. */
  readonly width: number;
  write(line: string): void;
  paint(format: Format, text: string): string;
  /** Wrapped at words; further lines begin below `text`. */
  labelled(label: string, text: string): void;
  /** Wrapped at words, with a mark before the first line. */
  marked(mark: string, text: string, format: Format): void;
  /** Wrapped at words, each line indented. */
  paragraph(text: string, indent: number, format?: Format): void;
}

const LABEL_INDENT = 4;
const LABEL_WIDTH = 10;
/** Below this a narrow terminal breaks lines by itself. */
const LEAST_WIDTH = 40;

export function createPage(write: (line: string) => void, columns: number, isColoured: boolean): Page {
  const width = Math.max(columns, LEAST_WIDTH);
  const paint = (format: Format, text: string) =>
    isColoured && format !== "reset" ? styleText(format, text, { validateStream: false }) : text;
  return {
    width,
    write,
    paint,
    labelled: (label, text) => {
      const lines = wrap(visible(text), width - LABEL_INDENT - LABEL_WIDTH);
      for (const [index, line] of lines.entries()) {
        const name = (index === 0 ? label : "").padEnd(LABEL_WIDTH);
        write(`${" ".repeat(LABEL_INDENT)}${paint("dim", name)}${line}`);
      }
    },
    marked: (mark, text, format) => {
      for (const [index, line] of wrap(visible(text), width - LABEL_INDENT).entries()) {
        write(`  ${index === 0 ? mark : " "} ${paint(format, line)}`);
      }
    },
    paragraph: (text, indent, format = "reset") => {
      for (const line of wrap(visible(text), width - indent)) write(" ".repeat(indent) + paint(format, line));
    },
  };
}

const NO_BREAK = "\u00a0";

/** Words that stay on one line. */
export function together(text: string): string {
  return text.replaceAll(" ", NO_BREAK);
}

/** A word that is longer than the width stands on a line of its own: addresses stay whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/[ \t\n]+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines.map((line) => line.replaceAll(NO_BREAK, " "));
}

/** A provider's words must not move the cursor or change colours. */
export function visible(text: string): string {
  return text.replaceAll(
    /[^\P{Cc}\n]/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
