import type { ShiftUpdate } from "../../../generated/provider/types.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import { bookableId } from "../person.ts";
import type { Run } from "../run.ts";
import { assign, isAssigned, type Seat, seatOf, takeOff } from "../seat.ts";
import { readShiftOf, shiftBodyOf, shiftOf, updateOf } from "../shift.ts";
import { isPlain } from "../target.ts";
import type { Check } from "./check.ts";
import { confirmed, steadyRead } from "./confirm.ts";
import { fixtureShift } from "./fixture-shift.ts";
import { judgeTogether } from "./two-candidates.ts";
import { assignedTo, judgeUnasked, TIMES_AND_POSITIONS } from "./unasked.ts";

/** Two candidates on one shift, first without a position for the second, then with one. */
export const fullShift: Check = { group: "meaning", run: check };

const TITLE = "one candidate more than a shift has positions";

async function* check(run: Run): AsyncGenerator<Outcome> {
  const fixture = await fixtureShift(run, "assignCandidate", TITLE);
  if ("kind" in fixture) return yield fixture;
  const seat = await seatOf(run);
  const secondId = await someoneElse(run, assignedTo(fixture.shift));
  if ("missing" in seat || secondId === undefined) {
    const reason = "missing" in seat ? seat.missing : "there are not two candidates for it";
    return yield skipped("skipped_not_prepared", "assignCandidate", TITLE, reason);
  }
  const second = { shiftId: fixture.shiftId, candidateId: secondId };
  try {
    await assign(run, seat);
    yield* resize(run, seat, 0, () => oneMore(run, second));
    await takeOff(run, second);
    // The second may have come in the first one's place.
    await assign(run, seat);
    yield* resize(run, seat, 1, () => judgeTogether(run, seat, second));
  } finally {
    for (const each of [second, seat]) await takeOff(run, each);
    await putBack(run, fixture.shiftId, updateOf(fixture.body));
  }
}

/** Not one of those who are on the shift: they must stay there. */
async function someoneElse(run: Run, assigned: readonly string[]): Promise<string | undefined> {
  const candidateId = await bookableId(run);
  const others = [run.known.hiredId, run.fixtures.knownCandidateId];
  return others.find((id) => id !== undefined && id !== candidateId && !assigned.includes(id));
}

/**
 * Gives the shift so many positions more than there are candidates on it, and goes on when it has them: a provider may refuse
 * the update, which is judged elsewhere. It must leave those who are on the shift where they are.
 */
async function* resize(
  run: Run,
  { shiftId, candidateId }: Seat,
  free: number,
  goOn: () => Promise<readonly Outcome[]>,
): AsyncGenerator<Outcome> {
  const first = await steadyRead(run, shiftId);
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
  if (now.positions === now.assigned.length + free) yield* await goOn();
  else yield after;
}

/** Both answers are right: the platform counts too. */
async function oneMore(run: Run, second: Seat): Promise<Outcome[]> {
  const exchange = await assign(run, second);
  if (!isPlain(exchange))
    return [skipped("skipped_after_failure", "assignCandidate", TITLE, "it was not answered")];
  const isRefused = exchange.answer.status >= 400;
  if (!isRefused) run.forms.full = "accepted";
  else if (exchange.answer.status === 409) run.forms.full = "refused";
  if (!isRefused) return [passed("assignCandidate", `${TITLE}: accepted, the platform counts`)];
  if ((await isAssigned(run, second)) !== true) return [passed("assignCandidate", `${TITLE}: refused`)];
  const expected = "nobody assigned by a refused assignment";
  const actual = "the refused candidate is in the shift";
  return [found("shift_changed_unasked", { exchange, expected, actual })];
}

async function putBack(run: Run, shiftId: string, was: ShiftUpdate): Promise<void> {
  const now = shiftBodyOf(await readShiftOf(run, shiftId));
  if (now && JSON.stringify(updateOf(now)) === JSON.stringify(was)) return;
  await run.send({ operation: "updateShift", path: { shiftId }, json: was });
}
