import type { Seat } from "../assignment.ts";
import { type Exchange, isPlain, type OperationId, type Probe, type Reply } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { updateOf } from "../shift.ts";
import { personOf } from "../test-candidates.ts";
import { assertUndisturbed } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { wasNotRedirected, wasRefused } from "./wrong-requests.ts";

/** Malformed ids: any refusal is right, and the judge reports a 5xx or a broken connection. */
export const malformedIds: readonly Check[] = [
  { group: "errors", needs: ["shift"], run: readMalformed },
  {
    group: "errors",
    needs: ["shift", "update", "person", "seat", "settled"],
    tries: true,
    run: changeMalformed,
  },
  { group: "errors", needs: ["person", "seat", "settled"], tries: true, run: seatMalformed },
];

/** By what they are called in a finding. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  "a word for an id": "not-a-uuid",
  "a zero byte for an id": "\u0000",
  "an emoji for an id": "\u{1F9D1}\u200D\u{1F373}",
};

/** Only for reading: a provider that these get through to must not lose data by them. */
const READING_ONLY: Readonly<Record<string, string>> = {
  "a quote for an id": "' or 1=1 --",
  "300 characters for an id": "a".repeat(300),
  "a way up for an id": "../..",
};

async function* readMalformed(run: Run): AsyncGenerator<Outcome> {
  const ids = Object.entries({ ...EVERYWHERE, ...READING_ONLY });
  yield* ask(
    run,
    ids.map(([name, shiftId]) => [name, { operation: "getShift", path: { shiftId } }]),
  );
}

/** Each operation that changes something, with the malformed id in place of a shift's. */
async function* changeMalformed(run: Run): AsyncGenerator<Outcome> {
  if (!run.mayChange) return;
  const { shift } = run.known;
  const candidateId = await candidateOf(run);
  yield* ask(
    run,
    Object.entries(EVERYWHERE).flatMap(([name, shiftId]) => [
      ...(shift
        ? [[name, { operation: "updateShift", path: { shiftId }, json: updateOf(shift) }] as Asked]
        : []),
      [name, { operation: "cancelShift", path: { shiftId } }] as Asked,
      ...(candidateId === undefined
        ? []
        : seatProbes(run, { shiftId, candidateId }).map((each): Asked => [name, each])),
    ]),
  );
}

/** In place of a candidate's, at the shift of the fixtures. */
async function* seatMalformed(run: Run): AsyncGenerator<Outcome> {
  const { shiftId } = run.fixtures;
  if (!run.mayChange || shiftId === undefined) return;
  yield* ask(
    run,
    Object.entries(EVERYWHERE).flatMap(([name, candidateId]) =>
      seatProbes(run, { shiftId, candidateId }).map((each): Asked => [name, each]),
    ),
  );
}

/** A request, and what the id in it is called. */
type Asked = readonly [name: string, probe: Probe];

async function candidateOf(run: Run): Promise<string | undefined> {
  return (await personOf(run)).candidateId ?? run.fixtures.knownCandidateId;
}

function seatProbes(run: Run, path: Seat): Probe[] {
  const unassignments = UNASSIGNMENTS.filter((operation) => run.known.offered.has(operation));
  return ["assignCandidate" as const, ...unassignments].map((operation) => ({
    operation,
    path: { ...path },
  }));
}

const UNASSIGNMENTS = ["unassignCandidate", "deleteAssignment"] as const satisfies OperationId[];

async function* ask(run: Run, asked: readonly Asked[]): AsyncGenerator<Outcome> {
  const isJudged = (each: Exchange) => wasRefused(each) && wasNotRedirected(each);
  const exchanges = await Promise.all(asked.map(([, probe]) => run.send(probe, isJudged)));
  for (const [index, exchange] of exchanges.entries()) {
    if (isPlain(exchange)) yield verdictOf(run, asked[index]?.[0] ?? "", exchange);
  }
}

function verdictOf(run: Run, name: string, exchange: Reply): Outcome {
  const { operation } = exchange.probe;
  const { status } = exchange.answer;
  if (status >= 300 || UNASSIGNMENTS.some((each) => each === operation)) {
    return passed(operation, `${name} does no harm`);
  }
  assertUndisturbed(run, exchange);
  return found("malformed_accepted", { exchange, expected: `4xx to ${name}`, actual: `status ${status}` });
}
