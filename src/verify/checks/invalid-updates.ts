import type { ShiftUpdate } from "../../../generated/provider/types.ts";
import { isPlain } from "../exchange.ts";
import { type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { readShiftOf } from "../shift.ts";
import type { ValidRequest } from "../valid-requests.ts";
import { checkUpdates } from "./each-operation.ts";
import { everyOne, refusalOf, sendAll } from "./wrong-requests.ts";

/** Invalid updates. The contract does not define the body of an update, so a success is only a warning. */
export const invalidUpdates = checkUpdates("errors", "an invalid update is refused", sendUpdates);

async function* sendUpdates(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  const { unchanged, undo, hasEffect: _, ...harmless } = request;
  if (!unchanged) return;
  // A stored value of another type is in every later read: the judge reports it before it is undone.
  const readAndUndo = async () => {
    await readShiftOf(run, request.probe.path?.shiftId ?? "");
    return undo();
  };
  const send = (how: Omit<ValidRequest, "probe">, updates: readonly OddUpdate[]) =>
    sendAll(run, how, updates, ({ json }) => ({ ...request.probe, json }));
  const [mistyped = [], impossible = [], partial = []] = await everyOne(run, [
    () => send({ ...request, undo: readAndUndo }, mistypedUpdates(unchanged)),
    () => send(request, impossibleUpdates(unchanged)),
    () => send({ ...harmless, undo }, partialUpdates(unchanged)),
  ]);
  for (const [odd, exchange] of [...mistyped, ...impossible]) {
    if (isPlain(exchange)) yield refusalOf(exchange, odd.name, "invalid_tolerated", odd.cause);
  }
  for (const [{ name }, exchange] of partial) {
    if (isPlain(exchange)) yield passed("updateShift", `${name} is handled correctly`);
  }
}

interface OddUpdate {
  /** What is odd about it, for reports. */
  name: string;
  json: object;
  /** A provider that does not check a member accepts each wrong type: one finding for each member. */
  cause?: string;
}

function mistypedUpdates(right: ShiftUpdate): OddUpdate[] {
  return [
    ...each("a start that is", WRONG_TIMES, (value) => ({ ...right, startTime: value })),
    ...each("an end that is", WRONG_TIMES, (value) => ({ ...right, endTime: value })),
    ...each("positions that are", WRONG_COUNTS, (value) => {
      return { ...right, slots: value, numberOfPositions: value };
    }),
  ];
}

function impossibleUpdates(right: ShiftUpdate): OddUpdate[] {
  const { startTime, endTime } = right;
  return [
    ...leapDays(right),
    { name: "an end before the start", json: { ...right, startTime: endTime, endTime: startTime } },
    { name: "an end that equals the start", json: { ...right, endTime: startTime } },
  ];
}

/** Returns updates that the contract does not forbid: only the judge checks their responses. */
function partialUpdates(right: ShiftUpdate): OddUpdate[] {
  const { slots } = right;
  return [
    { name: "an update without members", json: {} },
    { name: "an update of the positions only", json: { slots } },
    { name: "an update with two numbers of positions", json: { ...right, numberOfPositions: slots + 1 } },
  ];
}

/** JSON of each kind that is no text. Null may mean "not given". */
const WRONG_KINDS = { "a number": 1_893_456_000, "a list": ["1"], "an object": { value: "1" } };
const WRONG_TIMES = { ...WRONG_KINDS, true: true, "an empty text": "", "a word": "yesterday" };
const { "a number": _, ...NO_NUMBERS } = WRONG_KINDS;
const WRONG_COUNTS = { ...NO_NUMBERS, true: true, "a word": "two", "a fraction": 1.5, "below zero": -1 };

function each(cause: string, values: object, updateWith: (value: unknown) => object): OddUpdate[] {
  return Object.entries(values).map(([kind, value]) => {
    return { name: `${cause} ${kind}`, json: updateWith(value), cause };
  });
}

/** Returns updates with 30 February, which are a possible shift where that date rolls over to March. */
function leapDays(right: ShiftUpdate): OddUpdate[] {
  const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
  let year = new Date(right.endTime).getUTCFullYear() + 1;
  while (isLeap(year)) year += 1;
  const [february, march] = [`${year}-02-30T08:00:00Z`, `${year}-03-02`];
  const start = { ...right, startTime: february, endTime: `${march}T16:00:00Z` };
  const end = { ...right, startTime: `${march}T00:00:00Z`, endTime: february };
  return [
    { name: "a start on 30 February", json: start },
    { name: "an end on 30 February", json: end },
  ];
}
