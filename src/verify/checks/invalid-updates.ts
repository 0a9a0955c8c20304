import { isPlain, type Reply } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { type Exercise, ifServed, updating } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { sendAll } from "./wrong-requests.ts";

/** Updates that say what cannot be. The contract does not show the body of an update: a success is no error here. */
export const invalidUpdates: Check = {
  ...{ group: "errors", needs: ["update", "settled"], tries: true, run: update },
};

async function* update(run: Run): AsyncGenerator<Outcome> {
  const exercise = await updating(run);
  yield* ifServed("an update that cannot be is refused", exercise, (served) => sendUpdates(run, served));
}

async function* sendUpdates(run: Run, exercise: Exercise): AsyncGenerator<Outcome> {
  const updates = updatesOf(exercise);
  const [wrong, partial] = [
    updates.filter(({ isPartial }) => !isPartial),
    updates.filter(({ isPartial }) => isPartial),
  ];
  const probeOf = ({ json }: NamedUpdate) => ({ ...exercise.probe, json });
  const { hasEffect: _, ...harmless } = exercise;
  const answered = [
    ...(await sendAll(run, exercise, wrong, probeOf)),
    ...(await sendAll(run, harmless, partial, probeOf)),
  ];
  for (const [{ name, isPartial }, exchange] of answered) {
    if (isPlain(exchange)) yield verdictOf(name, exchange, isPartial);
  }
}

interface NamedUpdate {
  name: string;
  json: object;
  /** Nothing says that a part may not be missing: then only the judge has a say. */
  isPartial: boolean;
}

function updatesOf({ unchanged }: Exercise): NamedUpdate[] {
  if (!unchanged) return [];
  const right = unchanged;
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
