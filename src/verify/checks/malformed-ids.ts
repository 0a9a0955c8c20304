import { type Pair, unassignmentsOf } from "../assignment.ts";
import { UNASSIGNMENTS } from "../check-operations.ts";
import type { Probe, Reply } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { updateOf } from "../shift.ts";
import { personOf } from "../test-candidates.ts";
import { assertUndisturbed } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { answersTo } from "./each-operation.ts";
import { wasRefusedHere } from "./wrong-requests.ts";

/** Malformed ids. Any refusal is right, and the judge reports a 5xx or a broken connection. */
export const malformedIds: readonly Check[] = [
  { group: "errors", needs: ["shift"], run: readMalformed },
  {
    group: "errors",
    needs: ["shift", "update", "person", "assign", "settled"],
    rejection: true,
    run: changeMalformed,
  },
  { group: "errors", needs: ["person", "assign", "settled"], rejection: true, run: assignMalformed },
];

/** By their name in findings. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  "a word as an id": "not-a-uuid",
  "a zero byte as an id": "\u0000",
  "an emoji as an id": "\u{1F9D1}\u200D\u{1F373}",
};

/** For reads only: a provider that processes these ids must not lose data. */
const READING_ONLY: Readonly<Record<string, string>> = {
  "a quote as an id": "' or 1=1 --",
  "300 characters as an id": "a".repeat(300),
  "a relative path as an id": "../..",
};

async function* readMalformed(run: Run): AsyncGenerator<Outcome> {
  const ids = Object.entries({ ...EVERYWHERE, ...READING_ONLY });
  yield* ask(
    run,
    ids.map(([name, shiftId]) => [name, { operation: "getShift", path: { shiftId } }]),
  );
}

async function* changeMalformed(run: Run): AsyncGenerator<Outcome> {
  if (!run.mayChange) return;
  const { shift } = run.known;
  const { candidateId = run.fixtures.knownCandidateId } = await personOf(run);
  yield* ask(
    run,
    Object.entries(EVERYWHERE).flatMap(([name, shiftId]) => {
      const path = { shiftId };
      const probes: Probe[] = [
        ...(shift ? [{ operation: "updateShift", path, json: updateOf(shift) } as const] : []),
        { operation: "cancelShift", path },
        ...(candidateId === undefined ? [] : assignmentProbes(run, { shiftId, candidateId })),
      ];
      return probes.map((each): Asked => [name, each]);
    }),
  );
}

async function* assignMalformed(run: Run): AsyncGenerator<Outcome> {
  const { shiftId } = run.fixtures;
  if (!run.mayChange || shiftId === undefined) return;
  yield* ask(
    run,
    Object.entries(EVERYWHERE).flatMap(([name, candidateId]) =>
      assignmentProbes(run, { shiftId, candidateId }).map((each): Asked => [name, each]),
    ),
  );
}

type Asked = readonly [name: string, probe: Probe];

const assignmentProbes = (run: Run, pair: Pair): Probe[] => [
  { operation: "assignCandidate", path: { ...pair } },
  ...unassignmentsOf(run, pair),
];

async function* ask(run: Run, asked: readonly Asked[]): AsyncGenerator<Outcome> {
  for (const [name, reply] of await answersTo(run, asked, wasRefusedHere)) yield verdictOf(run, name, reply);
}

function verdictOf(run: Run, name: string, exchange: Reply): Outcome {
  const { operation } = exchange.probe;
  const { status } = exchange.answer;
  if (status >= 300 || UNASSIGNMENTS.some((each) => each === operation)) {
    return passed(operation, `${name} is handled correctly`);
  }
  assertUndisturbed(run, exchange);
  return found("malformed_accepted", { exchange, expected: `4xx for ${name}`, actual: `status ${status}` });
}
