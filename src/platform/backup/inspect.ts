import { createDigest } from "./digest.ts";
import { BackupError, controlOf, type Header, rowOf } from "./format.ts";

export interface Inspected {
  header: Header;
  rows: number;
}

/** Reads a backup to its end and compares its rows with its checksums. Rejects with BackupError. */
export async function inspect(lines: AsyncIterable<string>): Promise<Inspected> {
  let header: Header | undefined;
  let digest = createDigest();
  let rows = 0;
  for await (const line of lines) {
    if (line.startsWith("(")) {
      digest.add(rowOf(line));
      continue;
    }
    const control = controlOf(line);
    if ("shiftpact" in control) header = control;
    else if ("table" in control) digest = createDigest();
    else if ("end" in control) {
      const read = digest.read();
      if (read.rows !== control.rows || read.sum !== control.sum)
        throw new BackupError(`the backup is damaged: the checksum of table ${control.end} differs`);
      rows += read.rows;
    } else if (header && control.complete && control.rows === rows) return { header, rows };
  }
  throw new BackupError("the backup is incomplete: its last line is missing");
}
