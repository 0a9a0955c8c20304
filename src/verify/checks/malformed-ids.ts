import { found, type Outcome, passed } from "../finding.ts";
import { personOf } from "../person.ts";
import type { Run } from "../run.ts";
import { updateOf } from "../shift.ts";
import { isPlain, type Probe } from "../target.ts";
import type { Check } from "./check.ts";
import { wasNotRedirected, wasRefused } from "./wrong-requests.ts";

/** Ids that are none (DESIGN section 7): any refusal is right, and the judge sees a 5xx and a broken connection. */
export const malformedIds: Check = { group: "errors", run: askForMalformed };

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

async function* askForMalformed(run: Run): AsyncGenerator<Outcome> {
  for (const [name, shiftId] of Object.entries({ ...EVERYWHERE, ...READING_ONLY })) {
    yield* ask(run, name, { operation: "getShift", path: { shiftId } });
  }
  if (!run.mayChange) return;
  const { candidateId = run.fixtures.knownCandidateId } = await personOf(run);
  for (const [name, id] of Object.entries(EVERYWHERE)) {
    for (const probe of changes(run, id, candidateId)) yield* ask(run, name, probe);
  }
}

/** Each operation that changes something, with the malformed id in place of one that it has. */
function changes(run: Run, id: string, candidateId: string | undefined): Probe[] {
  const { shiftId } = run.fixtures;
  const { shift } = run.known;
  const seats = [
    ...(candidateId === undefined ? [] : [{ shiftId: id, candidateId }]),
    ...(shiftId === undefined ? [] : [{ shiftId, candidateId: id }]),
  ];
  const unassignments = ["unassignCandidate", "deleteAssignment"] as const;
  return [
    ...(shift ? [{ operation: "updateShift" as const, path: { shiftId: id }, json: updateOf(shift) }] : []),
    { operation: "cancelShift", path: { shiftId: id } },
    ...seats.map((path) => ({ operation: "assignCandidate" as const, path })),
    ...unassignments
      .filter((operation) => run.known.offered.has(operation))
      .flatMap((operation) => seats.map((path) => ({ operation, path }))),
  ];
}

async function* ask(run: Run, name: string, probe: Probe): AsyncGenerator<Outcome> {
  const exchange = await run.send(probe, (each) => wasRefused(each) && wasNotRedirected(each));
  if (!isPlain(exchange)) return;
  const { operation } = probe;
  const isUnassignment = operation === "unassignCandidate" || operation === "deleteAssignment";
  const { status } = exchange.answer;
  if (status >= 300 || isUnassignment) return yield passed(operation, `${name} does no harm`);
  const details = { exchange, expected: `4xx to ${name}`, actual: `status ${status}` };
  yield found("malformed_accepted", details);
}
