import type { ShiftUpdate } from "../../../generated/provider/types.ts";
import { isPlain, type Reply } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { readShiftOf } from "../shift.ts";
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
  const { unchanged, undo, hasEffect: _, ...harmless } = request;
  if (!unchanged) return;
  // A stored value of another type is in every later read: the judge reports it before it is undone.
  const readAndUndo = async () => {
    await readShiftOf(run, request.probe.path?.shiftId ?? "");
    return undo();
  };
  const send = (how: Omit<ValidRequest, "probe">, updates: NamedUpdates) =>
    sendAll(run, how, Object.entries(updates), ([, json]) => ({ ...request.probe, json }));
  const judged = [
    ...(await send({ ...request, undo: readAndUndo }, mistypedUpdates(unchanged))),
    ...(await send(request, impossibleUpdates(unchanged))),
  ];
  for (const [[name], exchange] of judged) if (isPlain(exchange)) yield verdictOf(name, exchange);
  for (const [[name], exchange] of await send({ ...harmless, undo }, partialUpdates(unchanged))) {
    if (isPlain(exchange)) yield passed("updateShift", `${name} is handled correctly`);
  }
}

/** Bodies by what is wrong with them. */
type NamedUpdates = Readonly<Record<string, object>>;

/** Returns an update for each member and each wrong type. */
function mistypedUpdates(right: ShiftUpdate): NamedUpdates {
  return {
    ...each("a start that is", WRONG_TIMES, (value) => ({ ...right, startTime: value })),
    ...each("an end that is", WRONG_TIMES, (value) => ({ ...right, endTime: value })),
    ...each("positions that are", WRONG_COUNTS, (value) => {
      return { ...right, slots: value, numberOfPositions: value };
    }),
  };
}

function impossibleUpdates(right: ShiftUpdate): NamedUpdates {
  const { startTime, endTime } = right;
  return {
    ...leapDays(right),
    "an end before the start": { ...right, startTime: endTime, endTime: startTime },
    "an end that equals the start": { ...right, endTime: startTime },
  };
}

/** Returns updates that the contract does not forbid: only the judge checks their responses. */
function partialUpdates(right: ShiftUpdate): NamedUpdates {
  const { slots } = right;
  return {
    "an update without members": {},
    "an update of the positions only": { slots },
    "an update with two numbers of positions": { ...right, numberOfPositions: slots + 1 },
  };
}

/** JSON of each kind that is no text. Null may mean "not given". */
const WRONG_KINDS = { "a number": 1_893_456_000, "a list": ["1"], "an object": { value: "1" } };
const WRONG_TIMES = { ...WRONG_KINDS, true: true, "an empty text": "", "a word": "yesterday" };
const { "a number": _, ...NO_NUMBERS } = WRONG_KINDS;
const WRONG_COUNTS = { ...NO_NUMBERS, true: true, "a word": "two", "a fraction": 1.5, "below zero": -1 };

function each(what: string, values: object, updateWith: (value: unknown) => object): NamedUpdates {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${what} ${name}`, updateWith(value)]),
  );
}

/** Returns updates with 30 February, which are a possible shift where that date rolls over to March. */
function leapDays(right: ShiftUpdate): NamedUpdates {
  const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
  let year = new Date(right.endTime).getUTCFullYear() + 1;
  while (isLeap(year)) year += 1;
  const [february, march] = [`${year}-02-30T08:00:00Z`, `${year}-03-02`];
  return {
    "a start on 30 February": { ...right, startTime: february, endTime: `${march}T16:00:00Z` },
    "an end on 30 February": { ...right, startTime: `${march}T00:00:00Z`, endTime: february },
  };
}

function verdictOf(name: string, exchange: Reply): Outcome {
  const { status } = exchange.answer;
  if (status >= 400) return passed("updateShift", `${name} is refused`);
  const details = { exchange, expected: `4xx for ${name}`, actual: `status ${status}` };
  // A provider without a check of times accepts every one: one finding for each member.
  return found("invalid_tolerated", { ...details, cause: name.split(" ").slice(0, 2).join(" ") });
}
