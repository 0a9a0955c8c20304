import { styleText } from "node:util";

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Plain text unless coloured. */
export function painter(isColoured: boolean): Paint {
  return (format, text) => (isColoured ? styleText(format, text, { validateStream: false }) : text);
}
