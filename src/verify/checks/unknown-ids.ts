import { unassign, unassignmentsOf } from "../assignment.ts";
import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain, type Probe, type Reply } from "../exchange.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import { idUnlike } from "../made-up-ids.ts";
import type { Run } from "../run.ts";
import { updateOf } from "../shift.ts";
import { personOf } from "../test-candidates.ts";
import { assertUndisturbed } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { wasRefused } from "./wrong-requests.ts";

/** Well-formed unknown ids: the platform treats 404 as deleted. */
export const unknownIds: readonly Check[] = [
  {
    group: "errors",
    needs: ["shift", "update", "person", "assign", "settled"],
    rejection: true,
    run: askForUnknown,
  },
  { group: "errors", needs: ["person", "assign", "settled"], rejection: true, run: assignUnknown },
];

/** The expected statuses, and the finding for a success. */
interface Rule {
  /** Any 4xx by default. */
  usual?: readonly number[];
  /** Undefined: a success is right as well. */
  served?: Code;
}

const GONE: Rule = { usual: [404, 410], served: "unknown_id_accepted" };
const REFUSED: Rule = { served: "unknown_id_accepted" };
const TOLERATED: Rule = { served: "unknown_id_tolerated" };

async function* askForUnknown(run: Run): AsyncGenerator<Outcome> {
  const shiftId = idUnlike(run.fixtures.shiftId ?? run.madeUp("form"), run, "unknown shift");
  const { shift } = run.known;
  const path = { shiftId };
  const read: Probe = { operation: "getShift", path };
  if (!run.mayChange) return yield* ask(run, [read], GONE);
  const update: Probe[] = shift ? [{ operation: "updateShift", path, json: updateOf(shift) }] : [];
  yield* ask(run, [read, ...update, { operation: "cancelShift", path }], GONE);
  const { candidateId = run.fixtures.knownCandidateId } = await personOf(run);
  if (candidateId === undefined) {
    const reason = "creating a candidate failed";
    return yield skipped("skipped_after_failure", "assignCandidate", "an unknown shift is refused", reason);
  }
  const pair = { shiftId, candidateId };
  yield* ask(run, [{ operation: "assignCandidate", path: pair }], REFUSED);
  yield* ask(run, unassignmentsOf(run, pair), TOLERATED);
}

async function* assignUnknown(run: Run): AsyncGenerator<Outcome> {
  const { shiftId, knownCandidateId } = run.fixtures;
  if (!run.mayChange || shiftId === undefined) return;
  const { candidateId = knownCandidateId } = await personOf(run);
  if (candidateId === undefined) return;
  const pair = { shiftId, candidateId: idUnlike(candidateId, run, "unknown candidate") };
  for await (const outcome of ask(run, [{ operation: "assignCandidate", path: pair }], REFUSED)) {
    if (outcome.kind === "found") await unassign(run, pair);
    yield outcome;
  }
  yield* ask(run, unassignmentsOf(run, pair), {});
}

async function* ask(run: Run, probes: readonly Probe[], rule: Rule): AsyncGenerator<Outcome> {
  const isJudged = (each: Exchange) => rule.served === undefined || wasRefused(each);
  for (const exchange of await Promise.all(probes.map((probe) => run.send(probe, isJudged)))) {
    if (rule.served === "unknown_id_accepted") assertUndisturbed(run, exchange);
    if (isPlain(exchange)) yield verdictOf(exchange, rule);
  }
}

function verdictOf(exchange: Reply, { usual, served }: Rule): Outcome {
  const { status } = exchange.answer;
  const name = "an unknown id";
  const expected = `${usual?.join(" or ") ?? "4xx"} for ${name}`;
  const actual = `status ${status}`;
  if (status < 300 && served) return found(served, { exchange, expected, actual });
  if (status >= 400 && usual && !usual.includes(status)) {
    return found("unknown_id_status", { exchange, expected, actual });
  }
  return passed(exchange.probe.operation, `${name} is handled correctly`);
}
