import type { Dialect } from "../../src/contract/dialect.ts";
import { type FaultName, faultNames } from "../../src/sandbox/faults/switchboard.ts";
import { coveringDialects } from "../../test/verify/covering-dialects.ts";
import { dialectsFor } from "../../test/verify/fault-row.ts";
import { faultRows } from "../../test/verify/fault-rows.ts";

/** A provider that is wrong in one way, on every operation where it can be. */
export interface Planted {
  fault: FaultName;
  dialect: Dialect;
}

/** Each fault of the sandbox that makes a provider wrong, once, in a dialect in which it shows; the dialects take turns. */
export function plantedFaults(): Planted[] {
  return faultNames.flatMap((fault, turn) => {
    const row = faultRows.find((each) => each.fault === fault);
    if (!row) return [];
    const [fitting, covering] = [dialectsFor(row, row.each?.[0]), new Set(coveringDialects.map(nameOf))];
    const taking = fitting.filter((dialect) => covering.has(nameOf(dialect)));
    const dialect = taking[turn % taking.length] ?? fitting[0];
    return dialect ? [{ fault, dialect }] : [];
  });
}

export const nameOf = (dialect: Dialect): string => Object.values(dialect).join(" ");
