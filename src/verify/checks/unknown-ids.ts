import type { Code } from "../codes/codes.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import { idUnlike } from "../ids.ts";
import { personOf } from "../person.ts";
import type { Run } from "../run.ts";
import { type Seat, unassign } from "../seat.ts";
import { updateOf } from "../shift.ts";
import { isPlain, type OperationId, type Probe, type Reply } from "../target.ts";
import type { Check } from "./check.ts";
import { wasRefused } from "./wrong-requests.ts";

/** Well-formed ids that nobody has: 404 is what the platform takes for gone (DESIGN section 7). */
export const unknownIds: Check = { group: "errors", run: askForUnknown };

/** Which answers raise no eyebrow, and what a success is. */
interface Rule {
  /** Any 4xx unless given. */
  usual?: readonly number[];
  /** Undefined: a success is as right. */
  served?: Code;
}

const GONE: Rule = { usual: [404, 410], served: "unknown_id_accepted" };
const REFUSED: Rule = { served: "unknown_id_accepted" };
const TOLERATED: Rule = { served: "unknown_id_tolerated" };

async function* askForUnknown(run: Run): AsyncGenerator<Outcome> {
  const shiftId = idUnlike(run.fixtures.shiftId ?? run.madeUp("form"), run, "unknown shift");
  yield* ask(run, { operation: "getShift", path: { shiftId } }, GONE);
  if (!run.mayChange) return;
  const { shift } = run.known;
  if (shift) yield* ask(run, { operation: "updateShift", path: { shiftId }, json: updateOf(shift) }, GONE);
  yield* ask(run, { operation: "cancelShift", path: { shiftId } }, GONE);
  yield* askForSeats(run, shiftId);
}

const UNASSIGNMENTS = ["unassignCandidate", "deleteAssignment"] as const satisfies OperationId[];

async function* askForSeats(run: Run, unknownShift: string): AsyncGenerator<Outcome> {
  const { candidateId = run.fixtures.knownCandidateId } = await personOf(run);
  if (candidateId === undefined) {
    const reason = "creating a candidate failed";
    return yield skipped("skipped_after_failure", "assignCandidate", "an unknown shift is refused", reason);
  }
  const offered = UNASSIGNMENTS.filter((each) => run.known.offered.has(each));
  const atUnknown = { shiftId: unknownShift, candidateId };
  yield* ask(run, { operation: "assignCandidate", path: atUnknown }, REFUSED);
  for (const operation of offered) yield* ask(run, { operation, path: atUnknown }, TOLERATED);
  const { shiftId } = run.fixtures;
  if (shiftId === undefined) return;
  const ofUnknown = { shiftId, candidateId: idUnlike(candidateId, run, "unknown candidate") };
  yield* assignUnknown(run, ofUnknown);
  for (const operation of offered) yield* ask(run, { operation, path: ofUnknown }, {});
}

async function* assignUnknown(run: Run, seat: Seat): AsyncGenerator<Outcome> {
  for await (const outcome of ask(run, { operation: "assignCandidate", path: { ...seat } }, REFUSED)) {
    if (outcome.kind === "found") await unassign(run, seat);
    yield outcome;
  }
}

async function* ask(run: Run, probe: Probe, rule: Rule): AsyncGenerator<Outcome> {
  const exchange = await run.send(probe, (each) => rule.served === undefined || wasRefused(each));
  if (isPlain(exchange)) yield verdictOf(exchange, rule);
}

function verdictOf(exchange: Reply, { usual, served }: Rule): Outcome {
  const { status } = exchange.answer;
  const name = "an id that nobody has";
  const expected = `${usual?.join(" or ") ?? "4xx"} to ${name}`;
  const actual = `status ${status}`;
  if (status < 300 && served) return found(served, { exchange, expected, actual });
  if (status >= 400 && usual && !usual.includes(status)) {
    return found("unknown_id_status", { exchange, expected, actual });
  }
  return passed(exchange.probe.operation, `${name} is answered as it should be`);
}
