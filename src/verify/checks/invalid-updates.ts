import { isPlain, type Reply } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { ifServed, updateRequest, type ValidRequest } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { sendAll } from "./wrong-requests.ts";

/** Invalid updates. The contract does not define the body of an update, so a success is only a warning. */
export const invalidUpdates: Check = {
  group: "errors",
  needs: ["update", "settled"],
  rejection: true,
  run: update,
};

async function* update(run: Run): AsyncGenerator<Outcome> {
  const request = await updateRequest(run);
  yield* ifServed("an invalid update is refused", request, (served) => sendUpdates(run, served));
}

async function* sendUpdates(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  const updates = updatesOf(request);
  const [wrong, partial] = [
    updates.filter(({ isPartial }) => !isPartial),
    updates.filter(({ isPartial }) => isPartial),
  ];
  const probeOf = ({ json }: NamedUpdate) => ({ ...request.probe, json });
  const { hasEffect: _, ...harmless } = request;
  const answered = [
    ...(await sendAll(run, request, wrong, probeOf)),
    ...(await sendAll(run, harmless, partial, probeOf)),
  ];
  for (const [{ name, isPartial }, exchange] of answered) {
    if (isPlain(exchange)) yield verdictOf(name, exchange, isPartial);
  }
}

interface NamedUpdate {
  name: string;
  json: object;
  /** The contract does not require all members: only the judge checks the response. */
  isPartial: boolean;
}

function updatesOf({ unchanged }: ValidRequest): NamedUpdate[] {
  if (!unchanged) return [];
  const right = unchanged;
  const { startTime, endTime, slots } = right;
  const wrong = {
    "a start that is not a time": { ...right, startTime: "yesterday" },
    "an end before the start": { ...right, startTime: endTime, endTime: startTime },
    "positions that are not a number": { ...right, slots: "two", numberOfPositions: "two" },
    "positions below zero": { ...right, slots: -1, numberOfPositions: -1 },
  };
  const partial = { "an update without members": {}, "an update of the positions only": { slots } };
  const named = (updates: Readonly<Record<string, object>>, isPartial: boolean) =>
    Object.entries(updates).map(([name, json]) => ({ name, json, isPartial }));
  return [...named(wrong, false), ...named(partial, true)];
}

function verdictOf(name: string, exchange: Reply, isPartial: boolean): Outcome {
  const { status } = exchange.answer;
  if (status >= 400 || isPartial) return passed("updateShift", `${name} is handled correctly`);
  return found("invalid_tolerated", { exchange, expected: `4xx for ${name}`, actual: `status ${status}` });
}
