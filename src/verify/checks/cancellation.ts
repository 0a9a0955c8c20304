import { assign, unassign } from "../assignment.ts";
import { NO_CANCELLABLE, noteCancelled, USED_UP } from "../cancellable-shift.ts";
import { type Exchange, isDenied, isPlain, isReply, statusOf } from "../exchange.ts";
import { found, type Outcome, passed, refused, skipped } from "../finding.ts";
import type { Run } from "../run.ts";
import { isGone, readShiftOf, shiftBodyOf } from "../shift.ts";
import { personOf } from "../test-candidates.ts";
import type { Check } from "./check.ts";
import { confirmed } from "./steady-reads.ts";

/** DELETE /shifts/{id} takes effect permanently (contract 4.2, flow 4), on the cancellable shift of the fixtures. */
export const cancellation: Check = {
  group: "cancellation",
  needs: ["cancellable", "used", "shift", "person", "assign"],
  gives: ["deleted"],
  holds: { cancellable: "changes" },
  run: check,
};

const TITLE = "a shift is cancelled";

async function* check(run: Run): AsyncGenerator<Outcome> {
  if (!run.mayChange) return yield skipped("skipped_read_only", "cancelShift", TITLE, "it would change data");
  const { cancellable } = run.known;
  if (!cancellable || "missing" in cancellable) {
    const reason = cancellable?.missing ?? NO_CANCELLABLE;
    return yield skipped("skipped_not_prepared", "cancelShift", TITLE, reason);
  }
  const { shiftId, isCancelled, isUsedUp } = cancellable;
  if (!isCancelled) return yield* cancel(run, shiftId);
  detectDeleted(run, await readShiftOf(run, shiftId));
  if (!isUsedUp) {
    const reason = "the shift was cancelled by a request that should have been refused";
    return yield skipped("skipped_after_failure", "cancelShift", TITLE, reason);
  }
  await cancelAgain(run, shiftId);
  yield skipped("skipped_not_prepared", "cancelShift", TITLE, USED_UP);
}

/**
 * Cancels the shift of an earlier run again. The provider has the operation if it responds as for a deleted shift. A 404 proves this only
 * if an unknown path gets a different response.
 */
async function cancelAgain(run: Run, shiftId: string): Promise<void> {
  const request = { operation: "cancelShift", path: { shiftId } } as const;
  const [again, elsewhere] = await Promise.all([
    run.send(request),
    run.send({ ...request, rawPath: `/no-such-path/${encodeURIComponent(shiftId)}` }, () => false),
  ]);
  if (!isReply(again)) return;
  const { status, text } = again.answer;
  const isOwn =
    status === 404 && (statusOf(elsewhere) !== 404 || (isReply(elsewhere) && elsewhere.answer.text !== text));
  if (status === 410 || isOwn) run.known.served.add("cancelShift");
}

async function* cancel(run: Run, shiftId: string): AsyncGenerator<Outcome> {
  const deletion = await run.send({ operation: "cancelShift", path: { shiftId } });
  if (!isPlain(deletion)) {
    return yield skipped("skipped_after_failure", "cancelShift", TITLE, "there was no usable response");
  }
  if (deletion.answer.status >= 400) return yield refused(deletion, "204");
  noteCancelled(run, deletion);
  const read = await readShiftOf(run, shiftId);
  detectDeleted(run, read);
  const effect = judgeEffect(deletion, read);
  yield* effect.kind === "found" ? await confirmed(run, shiftId, read, [effect]) : [effect];
  yield* judgeOthers(run, shiftId, deletion);
  if (!isGone(read)) return;
  // Any status below 500 is right here. The judge reports the others.
  await run.send({ operation: "cancelShift", path: { shiftId } });
  yield* assignAfterwards(run, shiftId, read);
}

function detectDeleted(run: Run, read: Exchange): void {
  if (!isPlain(read) || !isGone(read)) return;
  const { status } = read.answer;
  run.forms.deleted = status === 404 ? "404" : status === 410 ? "410" : "cancelled";
}

function judgeEffect(deletion: Exchange, read: Exchange): Outcome {
  if (isGone(read)) return passed("cancelShift", "a cancelled shift is deleted, or has the status cancelled");
  if (!isPlain(read))
    return skipped("skipped_after_failure", "cancelShift", TITLE, "the shift cannot be read");
  const actual = shiftBodyOf(read) ? "the shift, not cancelled" : `status ${read.answer.status}`;
  const expected = "404, 410, or the shift with the status cancelled";
  return found("cancel_without_effect", { exchange: deletion, expected, actual });
}

/** Checks that the other fixture shift still exists. */
async function* judgeOthers(run: Run, shiftId: string, exchange: Exchange): AsyncGenerator<Outcome> {
  const other = run.fixtures.shiftId;
  if (other === undefined || other === shiftId || run.known.shift?.status === "cancelled") return;
  if (!run.known.shift || !isGone(await readShiftOf(run, other))) return;
  const expected = "only that shift cancelled";
  yield found("shift_changed_unasked", { exchange, expected, actual: "another shift is deleted as well" });
}

/** Tries an assignment. With the status `cancelled` it may be accepted: the contract defines no transitions (3). */
async function* assignAfterwards(run: Run, shiftId: string, read: Exchange): AsyncGenerator<Outcome> {
  const { candidateId = run.fixtures.knownCandidateId } = await personOf(run);
  if (candidateId === undefined) return;
  const pair = { shiftId, candidateId };
  const exchange = await assign(run, pair);
  if (!isPlain(exchange) || isDenied(exchange)) return;
  if (exchange.answer.status >= 400) {
    return yield passed("assignCandidate", "no candidate can be assigned to a cancelled shift");
  }
  await unassign(run, pair);
  if (shiftBodyOf(read))
    return yield passed("assignCandidate", "an assignment to a cancelled shift can be undone");
  const expected = "404, 409 or 410 for a deleted shift";
  yield found("cancelled_assigned", { exchange, expected, actual: `status ${exchange.answer.status}` });
}
