import type { CandidateCreate, ShiftUpdate } from "../../../generated/provider/types.ts";
import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import { isObject } from "../json-object.ts";
import { kindOf } from "../judge/field-faults.ts";
import { noteThere, type Run } from "../run.ts";
import { readShiftOf } from "../shift.ts";
import { HIRE_DETAILS, invalidNumberOf, isOwn, lookUp, numberText, payloadOf } from "../test-candidates.ts";
import type { ValidRequest } from "../valid-requests.ts";
import { checkCreations, checkUpdates } from "./each-operation.ts";
import { rowsOf } from "./steady-reads.ts";
import { everyOne, refusalOf, sendAll, wasRefused } from "./wrong-requests.ts";

/** Candidates without a required member, or with a member of a wrong type (contract 2.4). */
export const invalidCreations = [sendKinds, sendDetails].map((send) =>
  checkCreations("errors", "an invalid candidate is refused", send),
);

async function* sendKinds(run: Run): AsyncGenerator<Outcome> {
  const kinds = KINDS.map(async ([code, bodiesOf], kind) => {
    const number = await invalidNumber(run, kind);
    const bodies = bodiesOf(payloadOf(number));
    await noteStored(run, bodies, number);
    return sendUntilStored(run, code, bodies);
  });
  yield* (await Promise.all(kinds)).flat();
}

async function sendUntilStored(run: Run, code: Code, bodies: Bodies): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [body, json] of bodies) {
    const exchange = await run.send({ operation: "createCandidate", json }, wasRefused);
    const verdict = await verdictOn(run, code, body, exchange);
    outcomes.push(...verdict);
    if (!wasRefused(exchange) || verdict.some(({ kind }) => kind === "found")) break;
  }
  return outcomes;
}

/** @param kind its place in KINDS; the details of a hire come after these */
const invalidNumber = async (run: Run, kind: number) =>
  numberText(run, await invalidNumberOf(run, kind, KINDS.length + 1));

/** Notes the invalid numbers under which an earlier run created a candidate: the provider may return that one with 200. */
async function noteStored(run: Run, bodies: Bodies, number: string): Promise<void> {
  const looked = bodies.map(async ([, { personalNumber: other }]) => {
    if (typeof other !== "string" || other === "" || other === number) return;
    const query = { personalNumber: other };
    const lookup = await run.send({ operation: "findCandidates", query }, () => false);
    if (rowsOf(lookup).length > 0) noteThere(run, other.replace("-", ""));
  });
  await Promise.all(looked);
}

/** Judges the response. A 409 means that an earlier run created the invalid candidate, if a lookup finds it. */
async function verdictOn(run: Run, code: Code, body: string, exchange: Exchange): Promise<Outcome[]> {
  if (!isPlain(exchange)) return [];
  const { personalNumber: number } = exchange.probe.json as Body;
  const isConflict = exchange.answer.status === 409 && typeof number === "string";
  const isThere = isConflict && rowsOf(await lookUp(run, number)).some(isOwn);
  const isRead = exchange.answer.status < 300 && (await isReadAsText(run, number));
  if (!isThere) return [refusalOf(exchange, body, isRead ? "invalid_tolerated" : code)];
  const actual = "status 409: an earlier run created it; remove it";
  return [found(code, { exchange, expected: `4xx for ${body}`, actual })];
}

/** Whether a JSON number was stored as the right text. */
async function isReadAsText(run: Run, number: unknown): Promise<boolean> {
  if (typeof number !== "number") return false;
  const rows = rowsOf(await lookUp(run, String(number)));
  return rows.some(
    ({ personalNumber: text }) => typeof text === "string" && text.replace("-", "") === String(number),
  );
}

type Body = Readonly<Record<string, unknown>>;
type Bodies = readonly [name: string, body: Body][];

/** Each has its own number: after one that is stored, by this run or an earlier one, the others of its kind are not sent. */
const KINDS: readonly (readonly [code: Code, bodiesOf: (right: CandidateCreate) => Bodies])[] = [
  ["invalid_accepted", numberless],
  ["invalid_accepted", (right) => incomplete(right, ["firstName", "lastName"])],
  ["invalid_tolerated", (right) => incomplete(right, ["email", "phone"])],
  ["invalid_tolerated", misnumbered],
  ["invalid_tolerated", ({ personalNumber, ...right }) => mistyped(right, { personalNumber })],
];

function numberless({ personalNumber: number, ...rest }: CandidateCreate): Bodies {
  return Object.entries({
    "a candidate without members": {},
    "a candidate without personalNumber": rest,
    "an empty personalNumber": { ...rest, personalNumber: "" },
    "null for personalNumber": { ...rest, personalNumber: null },
    "an object for personalNumber": { ...rest, personalNumber: { digits: "none" } },
    "a list for personalNumber": { ...rest, personalNumber: [number] },
    "true for personalNumber": { ...rest, personalNumber: true },
    "a word for personalNumber": { ...rest, personalNumber: "none" },
    "a JSON number for personalNumber": { ...rest, personalNumber: Number(number.replace("-", "")) },
  });
}

function incomplete(right: CandidateCreate, names: readonly (keyof CandidateCreate)[]): Bodies {
  return names.flatMap((name): Bodies => {
    const { [name]: _, ...rest } = right;
    return [
      [`a candidate without ${name}`, rest],
      [`null for ${name}`, { ...rest, [name]: null }],
    ];
  });
}

/** Returns well-formed but invalid numbers. If stored, they would appear in later lists. */
function misnumbered({ personalNumber: number, ...rest }: CandidateCreate): Bodies {
  const date = `${number.slice(0, 4)}1341${number.slice(8)}`;
  const digit = `${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`;
  return [
    ["a personalNumber with an invalid date", { ...rest, personalNumber: date }],
    ["a personalNumber with a wrong check digit", { ...rest, personalNumber: digit }],
  ];
}

/** A value of each type except null, which may mean "not given". */
const WRONG_VALUES = ["Vera", 1, true, ["Vera"], { value: "Vera" }];

/** Returns the object once for each member, at any depth, and each value of another type. @param more added to each */
function mistyped(right: Body, more: Body): Bodies {
  return WRONG_VALUES.flatMap((wrong) =>
    withWrong(right, wrong).map(([path, body]): [string, Body] => {
      return [`${JSON.stringify(wrong)} as ${path}`, { ...more, ...body }];
    }),
  );
}

function withWrong(right: Body, wrong: unknown, parent = ""): Bodies {
  return Object.entries(right).flatMap(([name, value]): Bodies => {
    const path = `${parent}${name}`;
    const inner = isObject(value) ? withWrong(value, wrong, `${path}.`) : [];
    const bodies = inner.map(([at, body]): [string, Body] => [at, { ...right, [name]: body }]);
    return kindOf(value) === kindOf(wrong) ? bodies : [[path, { ...right, [name]: wrong }], ...bodies];
  });
}

/**
 * Sends wrong values in what only a hire has. A provider may ignore these members, so the judge alone checks the responses, and what the
 * registry shows. All are sent at once after the first two, unless these create two people, which another check reports.
 */
async function* sendDetails(run: Run): AsyncGenerator<Outcome> {
  const bodies = mistyped(HIRE_DETAILS, payloadOf(await invalidNumber(run, KINDS.length)));
  const send = ([, json]: Bodies[number]) => run.send({ operation: "createCandidate", json }, wasRefused);
  const first: Exchange[] = [];
  for (const body of bodies.slice(0, 2)) first.push(await send(body));
  if (new Set(first.flatMap(rowsOf).map(({ id }) => id)).size > 1) return;
  const exchanges = [...first, ...(await Promise.all(bodies.slice(2).map(send)))];
  if (exchanges.every(isPlain))
    yield passed("createCandidate", "wrong details of a hire cause no server error");
}

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
