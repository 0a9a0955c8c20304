import type { Shift } from "../../contract/shift.ts";
import { assign, isAssigned, type Seat, seatOf, someoneElse, takeOff } from "../assignment.ts";
import { type Exchange, isPlain } from "../exchange.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import { restore } from "../restore.ts";
import type { Run } from "../run.ts";
import { assignedIds, readShiftOf, shiftBodyOf, shiftOf, updateOf } from "../shift.ts";
import type { Check } from "./check.ts";
import { fixtureShift } from "./fixture-shift.ts";
import { confirmed, steadyRead } from "./steady-reads.ts";
import { judgeTogether } from "./two-candidates.ts";
import { assignedTo, judgeUnasked, TIMES_AND_POSITIONS } from "./unexpected-changes.ts";

/** Two candidates on one shift, first without a position for the second, then with one. */
export const fullShift: Check = {
  ...{ group: "meaning", needs: ["shift", "update", "person", "second", "seat"], gives: ["full", "settled"] },
  ...{ holds: { shift: "changes" }, run: check },
};

const TITLE = "one candidate more than a shift has positions";

async function* check(run: Run): AsyncGenerator<Outcome> {
  const free = await seatOf(run);
  const fixture = "missing" in free ? await fixtureShift(run, "assignCandidate", TITLE) : undefined;
  if (fixture && "kind" in fixture) return yield fixture;
  const secondId = "missing" in free ? undefined : await someoneElse(run, assignedTo(free.shift));
  if ("missing" in free || secondId === undefined) {
    const reason = "missing" in free ? free.missing : "there are not two candidates for it";
    return yield skipped("skipped_not_prepared", "assignCandidate", TITLE, reason);
  }
  const { seat, body } = free;
  const { shiftId } = seat;
  const second = { shiftId, candidateId: secondId };
  try {
    await assign(run, seat);
    yield* resize(run, seat, 0, () => oneMore(run, second));
    yield* resize(run, seat, 1, (now) => judgeTogether(run, now, seat, second));
  } finally {
    await restore(run, { shiftId, before: run.known.shift ?? body });
  }
}

/**
 * Gives the shift so many positions more than there are candidates on it, and goes on when it has them: a provider may refuse
 * the update, which is judged elsewhere. It must leave those who are on the shift where they are.
 */
async function* resize(
  run: Run,
  { shiftId, candidateId }: Seat,
  free: number,
  goOn: (now: Shift) => Promise<readonly Outcome[]>,
): AsyncGenerator<Outcome> {
  const first = await readWith(run, { shiftId, candidateId });
  const [body, before] = [shiftBodyOf(first), shiftOf(first)];
  const after = skipped(
    "skipped_after_failure",
    "assignCandidate",
    TITLE,
    "the positions could not be set for it",
  );
  if (!body || !before || !assignedTo(before).includes(candidateId)) return yield after;
  const json = updateOf(body, { slots: before.assigned.length + free });
  const update = await run.send({ operation: "updateShift", path: { shiftId }, json });
  const read = await readShiftOf(run, shiftId);
  const now = shiftOf(read);
  if (!now || !isPlain(update) || update.answer.status >= 300) return yield after;
  const unasked = judgeUnasked(update, before, now, { fields: TIMES_AND_POSITIONS });
  yield* await confirmed(run, shiftId, read, unasked);
  if (now.positions === now.assigned.length + free) yield* await goOn(now);
  else yield after;
}

/** The second candidate may have replaced the first. */
async function readWith(run: Run, seat: Seat): Promise<Exchange> {
  const read = await steadyRead(run, seat.shiftId);
  if (assignedIds(read)?.includes(seat.candidateId) !== false) return read;
  await assign(run, seat);
  return steadyRead(run, seat.shiftId);
}

/** Both responses are right, because the platform counts as well. */
async function oneMore(run: Run, second: Seat): Promise<Outcome[]> {
  const exchange = await assign(run, second);
  if (!isPlain(exchange))
    return [skipped("skipped_after_failure", "assignCandidate", TITLE, "there was no usable response")];
  const isRefused = exchange.answer.status >= 400;
  if (!isRefused) run.forms.full = "accepted";
  else if (exchange.answer.status === 409) run.forms.full = "refused";
  if (!isRefused) {
    const overbooked = await oneMoreStill(run, second);
    await takeOff(run, second);
    return [overbooked ?? passed("assignCandidate", `${TITLE}: accepted, the platform counts`)];
  }
  if ((await isAssigned(run, second)) !== true) return [passed("assignCandidate", `${TITLE}: refused`)];
  await takeOff(run, second);
  const expected = "no candidate assigned by a refused assignment";
  const actual = "the refused candidate is in the shift";
  return [found("shift_changed_unasked", { exchange, expected, actual })];
}

/** A provider that counts refuses the first one who is too many: one that refuses only the next one counts wrongly. */
async function oneMoreStill(run: Run, { shiftId, candidateId }: Seat): Promise<Outcome | undefined> {
  const third = { shiftId, candidateId: run.fixtures.knownCandidateId ?? candidateId };
  if (third.candidateId === candidateId || (await isAssigned(run, third)) !== false) return undefined;
  const exchange = await assign(run, third);
  await takeOff(run, third);
  if (!isPlain(exchange) || exchange.answer.status !== 409) return undefined;
  const expected = "409 for the first candidate without a position, or for none";
  return found("overbooked", {
    exchange,
    expected,
    actual: "the first one is assigned, and the second one refused",
  });
}
