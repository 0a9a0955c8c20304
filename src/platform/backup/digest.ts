import { hash } from "node:crypto";
import type { RunSql } from "../db/engine.ts";
import { columnsOf, quoted, type Table } from "./catalog.ts";

/** What proves that two tables hold the same rows, in whatever order. */
export interface Digest {
  rows: number;
  /** The sum of the first 60 bits of each row's SHA-256. */
  sum: string;
}

const HEX_DIGITS = 15;

/** Computes the digest of rows as they pass. */
export function createDigest(): { add: (row: string) => void; read: () => Digest } {
  let rows = 0;
  let sum = 0n;
  return {
    add: (row) => {
      rows += 1;
      sum += BigInt(`0x${hash("sha256", row, "hex").slice(0, HEX_DIGITS)}`);
    },
    read: () => ({ rows, sum: String(sum) }),
  };
}

/** Computes the digest of a table in the database. The settings AS_TEXT must be in force. */
export async function digestOf(run: RunSql, table: Table): Promise<Digest> {
  const { rows } = await run(`
    select count(*)::int as rows, coalesce(sum(('x' || substr(encode(sha256(convert_to(stored::text, 'UTF8')), 'hex'),
      1, ${HEX_DIGITS}))::bit(${4 * HEX_DIGITS})::bigint), 0)::text as sum
    from (select ${columnsOf(table)} from shiftpact.${quoted(table.name)}) as stored`);
  return rows[0];
}

export const isSame = (one: Digest, other: Digest): boolean =>
  one.rows === other.rows && one.sum === other.sum;
