import { styleText } from "node:util";
import { visible } from "../../contract/storable-text.ts";

export type Format = Parameters<typeof styleText>[0];

/** Lays out a report, line by line, within the width of a terminal. */
export interface Terminal {
  /** Columns. */
  readonly width: number;
  write(line: string): void;
  /** Writes a title in bold, after an empty line. */
  heading(text: string): void;
  readonly paint: Paint;
  /** Wraps at words; further lines start below `text`. */
  labelled(label: string, text: string): void;
  /** Wraps at words, with a mark before the first line. */
  marked(mark: string, text: string, format: Format): void;
  /** Wraps at words, with each line indented. */
  paragraph(text: string, indent: number, format?: Format): void;
}

export type Paint = (format: Format, text: string) => string;

/** Returns what escapes text, so that text of the provider cannot move the cursor, and colours it unless colours are off. */
export function painter(isColoured: boolean): Paint {
  return (format, text) =>
    isColoured && format !== "reset"
      ? styleText(format, visible(text), { validateStream: false })
      : visible(text);
}

const LABEL_INDENT = 4;
const LABEL_WIDTH = 10;
/** Narrower terminals break the lines themselves. */
const LEAST_WIDTH = 40;

export function createTerminal(
  write: (line: string) => void,
  columns: number,
  isColoured: boolean,
): Terminal {
  const width = Math.max(columns, LEAST_WIDTH);
  const paint = painter(isColoured);
  return {
    width,
    write,
    paint,
    heading: (text) => {
      write("");
      write(paint("bold", text));
    },
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

export function together(text: string): string {
  return text.replaceAll(" ", NO_BREAK);
}

/** Breaks at spaces only: a word longer than the width, such as a URL, stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/[ \t\n]+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines.map((line) => line.replaceAll(NO_BREAK, " "));
}
