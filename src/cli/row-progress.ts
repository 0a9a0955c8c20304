import type { Io } from "./io.ts";

const EVERY = 100_000;

/** Returns what counts rows, and prints a line on the standard error for each 100,000: the work may take minutes. */
export function rowProgress({ stderr }: Pick<Io, "stderr">, verb: string): (rows: number) => void {
  let total = 0;
  return (rows) => {
    const before = Math.floor(total / EVERY);
    total += rows;
    if (Math.floor(total / EVERY) > before) stderr(`${verb} ${Math.floor(total / EVERY) * EVERY} rows`);
  };
}
