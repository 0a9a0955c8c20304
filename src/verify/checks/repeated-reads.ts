import { type Outcome, passed, skipped } from "../finding.ts";
import type { Run } from "../run.ts";
import type { Exchange, OperationId, Probe } from "../target.ts";
import type { Check } from "./check.ts";
import { differing, factsOf, unstable } from "./facts.ts";

/** The same read gives the same answer: a replica or a cache that is wrong now and then shows here. Other checks read as well. */
export const repeatedReads: Check = { group: "answers", run: (run) => readRounds(run, READS, 5) };

/** Once more when everything else was done. What was created since stands in the registry, and the shift may be told anew. */
export const laterReads: Check = {
  group: "cancellation",
  isAside: true,
  run: (run) => readRounds(run, ["listOutlets", "listRoles"], 2),
};

const READS = ["getShift", "listOutlets", "listRoles", "findCandidates", "getCandidateRegistry"] as const;
type Read = (typeof READS)[number];

/** In turns, so that a fault of every second request is not always in the same place. */
async function* readRounds(run: Run, reads: readonly Read[], rounds: number): AsyncGenerator<Outcome> {
  const probes = reads.flatMap((read) => probeOf(run, read) ?? []);
  const exchanges: Exchange[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const probe of probes) exchanges.push(await run.send(probe));
  }
  for (const { operation } of probes) {
    yield judgeRead(
      run,
      operation,
      exchanges.filter(({ probe }) => probe.operation === operation),
    );
  }
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
  const title = "the same read gives the same answer each time";
  const answers = exchanges.flatMap((exchange) => {
    const facts = factsOf(exchange);
    return facts ? [{ exchange, facts }] : [];
  });
  const first = run.known.told.get(operation) ?? answers[0]?.facts;
  if (!first) return skipped("skipped_after_failure", operation, title, "no answer could be read");
  run.known.told.set(operation, first);
  const other = answers.find(({ facts }) => differing(first, facts).length > 0);
  return other ? unstable(other.exchange, first, other.facts) : passed(operation, title);
}
