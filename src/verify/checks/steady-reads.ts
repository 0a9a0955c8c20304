import type { Shift } from "../../contract/shift.ts";
import { type Exchange, isDenied, isPlain, type OperationId, type Probe, type Reply } from "../exchange.ts";
import { type Found, type Outcome, passed, refused, skipped } from "../finding.ts";
import { type Run, sendOnce } from "../run.ts";
import { readShiftOf, shiftOf } from "../shift.ts";
import type { Check } from "./check.ts";
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

/** What is wrong after a call, or else the shift; neither if a prerequisite failed, which the judge reports. */
export interface Effect {
  found: readonly Found[];
  now?: Shift;
}

/** Judges a call by a confirmed read of the shift. */
export async function effectOf(
  run: Run,
  shiftId: string,
  exchange: Exchange,
  judge: (exchange: Reply, now: Shift, read: Exchange) => Found[],
  refusal = (reply: Reply) => refused(reply, "200 or 204"),
): Promise<Effect> {
  if (!isPlain(exchange)) return { found: [] };
  if (exchange.answer.status >= 400) return { found: [refusal(exchange)] };
  const read = isDenied(exchange) ? undefined : await readShiftOf(run, shiftId);
  const now = read && shiftOf(read);
  if (!now) return { found: [] };
  const found = await confirmed(run, shiftId, read, judge(exchange, now, read));
  return found.length > 0 ? { found } : { found, now };
}

export function outcomesOf(
  { found, now }: Effect,
  operation: OperationId,
  title: string,
): readonly Outcome[] {
  if (now) return [passed(operation, title)];
  return found.length > 0 ? found : [afterFailure(operation, title)];
}

export const afterFailure = (operation: OperationId, title: string) =>
  skipped("skipped_after_failure", operation, title, "a prerequisite failed");

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

/** Repeats each read, to detect an occasionally wrong replica or cache. */
export const repeatedReads: readonly Check[] = [
  { group: "answers", needs: ["settled"], rejection: true, run: (run) => readAgain(run, "getShift") },
  { group: "answers", needs: [], gives: ["firstReads"], run: (run) => readAgain(run, "listOutlets") },
  { group: "answers", needs: [], gives: ["firstReads"], run: (run) => readAgain(run, "listRoles") },
  { group: "answers", needs: ["unknownCandidate", "known"], run: (run) => readAgain(run, "findCandidates") },
  {
    group: "answers",
    needs: ["registry"],
    holds: { people: "reads" },
    run: (run) => readAgain(run, "getCandidateRegistry"),
  },
];

/** Repeats the reads after all other checks, except those whose data may have changed. */
export const laterReads: readonly Check[] = (["listOutlets", "listRoles"] as const).map((operation) => ({
  group: "cancellation",
  isAside: true,
  needs: ["firstReads", "settled", "deleted"],
  run: (run) => readAgain(run, operation, true),
}));

type Read = "getShift" | "listOutlets" | "listRoles" | "findCandidates" | "getCandidateRegistry";

async function* readAgain(run: Run, operation: Read, isLater = false): AsyncGenerator<Outcome> {
  const probe = probeOf(run, operation);
  if (!probe) return;
  // Other checks may have changed what these show since their first read.
  const isFresh = isLater || operation === "getShift" || operation === "getCandidateRegistry";
  const first = isFresh ? run.send(probe) : sendOnce(run, probe);
  const more = Array.from({ length: run.isPolite || isLater ? 1 : 4 }, () => run.send(probe));
  yield judgeRead(run, operation, await Promise.all([first, ...more]));
}

function probeOf({ fixtures, known, forms }: Run, operation: Read): Probe | undefined {
  const { shiftId, knownPersonalNumber } = fixtures;
  const personalNumber = known.number ?? knownPersonalNumber;
  if (operation === "getShift") return shiftId === undefined ? undefined : { operation, path: { shiftId } };
  if (operation === "getCandidateRegistry") return forms.registry === "offered" ? { operation } : undefined;
  if (operation !== "findCandidates") return { operation };
  return personalNumber === undefined ? undefined : { operation, query: { personalNumber } };
}

function judgeRead(run: Run, operation: OperationId, exchanges: readonly Exchange[]): Outcome {
  const title = "repeated reads return the same result";
  const answers = exchanges.flatMap((exchange) => {
    const facts = factsOf(exchange);
    return facts ? [{ exchange, facts }] : [];
  });
  // Other checks may have changed the shift.
  const isKept = operation !== "getShift";
  const first = (isKept ? run.known.firstReads.get(operation) : undefined) ?? answers[0]?.facts;
  if (!first) return skipped("skipped_after_failure", operation, title, "no response could be read");
  if (isKept) run.known.firstReads.set(operation, first);
  const other = answers.find(({ facts }) => differing(first, facts).length > 0);
  return other ? unstable(other.exchange, first, other.facts) : passed(operation, title);
}
