import { type Dialect, dialectName } from "../../src/contract/dialect.ts";
import { type FaultName, faultNames } from "../../src/sandbox/faults/switchboard.ts";
import { coveringDialects } from "./covering-dialects.ts";
import { dialectsFor } from "./fault-row.ts";
import { faultRows } from "./fault-rows.ts";

/** A provider with one fault, on every operation that supports it. */
export interface Planted {
  fault: FaultName;
  dialect: Dialect;
}

/** Returns each fault of the sandbox that makes a provider incorrect, in a dialect that shows it; the dialects take turns. */
export function plantedFaults(): Planted[] {
  return faultNames.flatMap((fault, turn) => {
    const row = faultRows.find((each) => each.fault === fault);
    if (!row) return [];
    const [fitting, covering] = [dialectsFor(row.each?.[0]), new Set(coveringDialects.map(dialectName))];
    const taking = fitting.filter((dialect) => covering.has(dialectName(dialect)));
    const dialect = taking[turn % taking.length] ?? fitting[0];
    return dialect ? [{ fault, dialect }] : [];
  });
}
