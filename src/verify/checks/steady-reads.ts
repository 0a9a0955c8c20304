import type { Exchange } from "../exchange.ts";
import type { Found } from "../finding.ts";
import type { Run } from "../run.ts";
import { readShiftOf } from "../shift.ts";
import { differing, factsOf, unstable } from "./response-facts.ts";

/** Confirms findings from one read of the shift with a second read. Reports an unstable read if the two differ. */
export async function confirmed(
  run: Run,
  shiftId: string,
  read: Exchange,
  findings: readonly Found[],
): Promise<readonly Found[]> {
  const facts = factsOf(read);
  if (findings.length === 0 || !facts) return findings;
  const again = await readShiftOf(run, shiftId);
  const factsAgain = factsOf(again);
  if (!factsAgain) return [];
  return differing(facts, factsAgain).length === 0 ? findings : [unstable(again, facts, factsAgain)];
}

const MOST_READS = 4;

/** Returns a read of the shift that a second read confirms. */
export async function steadyRead(run: Run, shiftId: string): Promise<Exchange> {
  const reads = await steadyReads(run, shiftId);
  return reads.at(-1) ?? readShiftOf(run, shiftId);
}

/** Returns all reads; the last one is confirmed. */
export async function steadyReads(run: Run, shiftId: string): Promise<Exchange[]> {
  const reads: Exchange[] = [];
  while (reads.length < MOST_READS) {
    const pair = await Promise.all([readShiftOf(run, shiftId), readShiftOf(run, shiftId)]);
    reads.push(...pair);
    const [facts, factsAgain] = pair.map(factsOf);
    if (facts && factsAgain && differing(facts, factsAgain).length === 0) break;
  }
  return reads;
}
