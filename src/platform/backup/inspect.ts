import { type Header, readHeader, reading, requireEnd, rowsOf } from "./format.ts";

export interface Inspected {
  header: Header;
  rows: number;
}

/** Reads a backup to its end. Rejects with BackupError. */
export const inspect = (file: AsyncIterable<string>): Promise<Inspected> =>
  reading(file, async (lines) => {
    const header = await readHeader(lines);
    let rows = 0;
    for (const table of header.tables) for await (const _ of rowsOf(lines, table)) rows += 1;
    await requireEnd(lines);
    return { header, rows };
  });
