import type { CandidateCreate } from "../../../generated/provider/types.ts";
import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain } from "../exchange.ts";
import { found, type Outcome } from "../finding.ts";
import { isObject } from "../json-object.ts";
import { kindOf } from "../judge/field-faults.ts";
import type { Run } from "../run.ts";
import { HIRE_DETAILS, isOwn, lookUp, numberText, payloadOf, testNumberFor } from "../test-candidates.ts";
import type { ValidRequest } from "../valid-requests.ts";
import { checkCreations } from "./each-operation.ts";
import { rowsOf } from "./response-facts.ts";
import { refusalOf, sendAll } from "./wrong-requests.ts";

/** Candidates without a required member, or with one of a wrong type (contract 2.4). */
export const invalidCreations = checkCreations("errors", "an invalid candidate is refused", sendKinds);

async function* sendKinds(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  const kinds = KINDS.map(async ([name, code, bodiesOf]) => {
    const number = numberText(run, (await testNumberFor(run, "invalid", name)).number);
    const bodies = Object.entries(bodiesOf(number));
    await noteThere(run, bodies, number);
    const answered = await sendAll(run, request, bodies, ([, json]) => ({
      operation: "createCandidate",
      json,
    }));
    return Promise.all(answered.map(([[body], exchange]) => verdictOn(run, code, body, exchange)));
  });
  yield* (await Promise.all(kinds)).flat(2);
}

/** Notes the invalid numbers under which an earlier run created a candidate: the provider may return that one with 200. */
async function noteThere(run: Run, bodies: readonly [string, Body][], number: string): Promise<void> {
  const others = bodies.map(([, { personalNumber }]) => personalNumber).filter((each) => each !== number);
  const looked = others.map(async (each) => {
    if (typeof each !== "string" || each === "" || rowsOf(await lookUp(run, each)).length === 0) return;
    run.known.there.add(each.replace("-", ""));
  });
  await Promise.all(looked);
}

/** Judges the response. A 409 means that an earlier run created the invalid candidate, if a lookup finds it. */
async function verdictOn(run: Run, code: Code, body: string, exchange: Exchange): Promise<Outcome[]> {
  if (!isPlain(exchange)) return [];
  const { personalNumber: number } = exchange.probe.json as Body;
  const isConflict = exchange.answer.status === 409 && typeof number === "string";
  const isThere = isConflict && rowsOf(await lookUp(run, number)).some(isOwn);
  // A provider that does not check a member accepts each wrong value: one finding for each member.
  if (!isThere) return [refusalOf(exchange, body, code, body.split(" as ")[1])];
  const actual = "status 409: an earlier run created it; remove it";
  return [found(code, { exchange, expected: `4xx for ${body}`, actual })];
}

type Body = Readonly<Record<string, unknown>>;
type Bodies = Readonly<Record<string, Body>>;

/** A value of each type except null, which may mean "not given". */
const WRONG_VALUES = [1, true, ["Vera"], { value: "Vera" }, "Vera"];

/** Each has its own number: after an accepted one, the others of its kind are not sent. */
const KINDS: readonly (readonly [name: string, code: Code, bodiesOf: (number: string) => Bodies])[] = [
  ["numberless", "invalid_accepted", numberless],
  ["nameless", "invalid_accepted", (number) => incomplete(number, ["firstName", "lastName"])],
  ["incomplete", "invalid_tolerated", (number) => incomplete(number, ["email", "phone"])],
  ["misnumbered", "invalid_tolerated", misnumbered],
  ...WRONG_VALUES.map(
    (wrong) => [kindOf(wrong), "invalid_tolerated", (number: string) => mistyped(number, wrong)] as const,
  ),
];

function numberless(number: string): Bodies {
  const { personalNumber: _, ...rest } = payloadOf(number);
  return {
    "a candidate without members": {},
    "a candidate without personalNumber": rest,
    "an empty personalNumber": { ...rest, personalNumber: "" },
    "null for personalNumber": { ...rest, personalNumber: null },
    "an object for personalNumber": { ...rest, personalNumber: { digits: "none" } },
    "a list for personalNumber": { ...rest, personalNumber: [number] },
    "true for personalNumber": { ...rest, personalNumber: true },
    "a word for personalNumber": { ...rest, personalNumber: "none" },
    "a JSON number for personalNumber": { ...rest, personalNumber: Number(number.replace("-", "")) },
  };
}

function incomplete(number: string, names: readonly (keyof CandidateCreate)[]): Bodies {
  const bodies = names.flatMap((name) => {
    const { [name]: _, ...rest } = payloadOf(number);
    return [
      [`a candidate without ${name}`, rest],
      [`null for ${name}`, { ...rest, [name]: null }],
    ];
  });
  return Object.fromEntries(bodies);
}

/** Returns well-formed but invalid numbers. If stored, they would appear in later lists. */
function misnumbered(number: string): Bodies {
  const payload = payloadOf(number);
  const otherDigit = (Number(number.at(-1)) + 1) % 10;
  const date = `${number.slice(0, 4)}1341${number.slice(8)}`;
  return {
    "a personalNumber with an invalid date": { ...payload, personalNumber: date },
    "a personalNumber with a wrong check digit": {
      ...payload,
      personalNumber: `${number.slice(0, -1)}${otherDigit}`,
    },
  };
}

/** Returns the payload of a hire once for each member, at any depth, which has the wrong value. */
function mistyped(number: string, wrong: unknown): Bodies {
  const { personalNumber, ...members } = { ...payloadOf(number), ...HIRE_DETAILS };
  const bodies = mistypedMembers(members, wrong);
  return Object.fromEntries(
    bodies.map(([path, body]) => [`${JSON.stringify(wrong)} as ${path}`, { personalNumber, ...body }]),
  );
}

function mistypedMembers(right: object, wrong: unknown, parent = ""): [path: string, body: object][] {
  return Object.entries(right).flatMap(([name, value]): [string, object][] => {
    const path = `${parent}${name}`;
    const inner = isObject(value) ? mistypedMembers(value, wrong, `${path}.`) : [];
    const bodies = inner.map(([at, body]): [string, object] => [at, { ...right, [name]: body }]);
    return kindOf(value) === kindOf(wrong) ? bodies : [[path, { ...right, [name]: wrong }], ...bodies];
  });
}
