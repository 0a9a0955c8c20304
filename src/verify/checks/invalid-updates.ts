import type { Shift } from "../../../generated/provider/types.ts";
import { type Exercise, ifServed, updating } from "../exercises.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { updateOf } from "../shift.ts";
import { isPlain, type Reply } from "../target.ts";
import type { Check } from "./check.ts";
import { wasRefused } from "./wrong-requests.ts";

/** Updates that say what cannot be. The contract does not show the body of an update: a success is no error here. */
export const invalidUpdates: Check = { group: "errors", run: update };

async function* update(run: Run): AsyncGenerator<Outcome> {
  const exercise = await updating(run);
  yield* ifServed("an update that cannot be is refused", exercise, (served) => sendUpdates(run, served));
}

async function* sendUpdates(run: Run, { probe, undo }: Exercise): AsyncGenerator<Outcome> {
  const { shift } = run.known;
  if (!shift) return;
  for (const { name, json, isPartial } of updatesOf(shift)) {
    const exchange = await run.send({ ...probe, json }, wasRefused);
    if (!isPlain(exchange)) continue;
    if (exchange.answer.status < 300) await undo();
    yield verdictOf(name, exchange, isPartial);
  }
}

interface NamedUpdate {
  name: string;
  json: object;
  /** Nothing says that a part may not be missing: then only the judge has a say. */
  isPartial: boolean;
}

function updatesOf(shift: Shift): NamedUpdate[] {
  const right = updateOf(shift);
  const { startTime, endTime, slots } = right;
  const wrong = {
    "a start that is no time": { ...right, startTime: "yesterday" },
    "an end before the start": { ...right, startTime: endTime, endTime: startTime },
    "positions that are no number": { ...right, slots: "two", numberOfPositions: "two" },
    "positions below zero": { ...right, slots: -1, numberOfPositions: -1 },
  };
  const partial = { "an update of nothing": {}, "an update of the positions alone": { slots } };
  const named = (updates: Readonly<Record<string, object>>, isPartial: boolean) =>
    Object.entries(updates).map(([name, json]) => ({ name, json, isPartial }));
  return [...named(wrong, false), ...named(partial, true)];
}

function verdictOf(name: string, exchange: Reply, isPartial: boolean): Outcome {
  const { status } = exchange.answer;
  if (status >= 400 || isPartial) return passed("updateShift", `${name} does no harm`);
  return found("invalid_tolerated", { exchange, expected: `4xx to ${name}`, actual: `status ${status}` });
}
