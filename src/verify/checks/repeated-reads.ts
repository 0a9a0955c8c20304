import type { Exchange, OperationId, Probe } from "../exchange.ts";
import { type Outcome, passed, skipped } from "../finding.ts";
import { type Run, sendOnce } from "../run.ts";
import type { Check } from "./check.ts";
import { differing, factsOf, unstable } from "./response-facts.ts";

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
