import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain } from "../exchange.ts";
import { found, type Outcome } from "../finding.ts";
import type { Run } from "../run.ts";
import { isOwn, lookUp, numberText, payloadOf, testNumberFor } from "../test-candidates.ts";
import type { ValidRequest } from "../valid-requests.ts";
import { checkCreations } from "./each-operation.ts";
import { rowsOf } from "./response-facts.ts";
import { refusalOf, sendAll } from "./wrong-requests.ts";

/** Candidates without a required member (contract 2.4). */
export const invalidCreations = checkCreations("errors", "an invalid candidate is refused", sendKinds);

async function* sendKinds(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  const kinds = Object.entries(KINDS).map(async ([name, { code, bodies }]) => {
    const { number } = await testNumberFor(run, "invalid", name);
    const all = Object.entries(bodies(numberText(run, number)));
    const answered = await sendAll(run, request, all, ([, json]) => ({ operation: "createCandidate", json }));
    return Promise.all(answered.map(([[body], exchange]) => verdictOn(run, code, body, exchange)));
  });
  yield* (await Promise.all(kinds)).flat(2);
}

/** Judges the response. A 409 means that an earlier run created the invalid candidate, if a lookup finds it. */
async function verdictOn(run: Run, code: Code, body: string, exchange: Exchange): Promise<Outcome[]> {
  if (!isPlain(exchange)) return [];
  const { personalNumber: number } = exchange.probe.json as { personalNumber?: unknown };
  const isConflict = exchange.answer.status === 409 && typeof number === "string";
  const isThere = isConflict && rowsOf(await lookUp(run, number)).some(isOwn);
  if (!isThere) return [refusalOf(exchange, body, code)];
  const actual = "status 409: an earlier run created it; remove it";
  return [found(code, { exchange, expected: `4xx for ${body}`, actual })];
}

type Bodies = Readonly<Record<string, object>>;

interface Kind {
  code: Code;
  bodies: (number: string) => Bodies;
}

const KINDS: Readonly<Record<string, Kind>> = {
  numberless: { code: "invalid_accepted", bodies: numberless },
  nameless: { code: "invalid_accepted", bodies: nameless },
  incomplete: { code: "invalid_tolerated", bodies: incomplete },
  misnumbered: { code: "invalid_tolerated", bodies: misnumbered },
  mistyped: { code: "invalid_tolerated", bodies: mistyped },
};

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

function nameless(number: string): Bodies {
  const { firstName, lastName, ...rest } = payloadOf(number);
  return {
    "a candidate without firstName": { ...rest, lastName },
    "a candidate without lastName": { ...rest, firstName },
  };
}

function incomplete(number: string): Bodies {
  const { email, phone, ...rest } = payloadOf(number);
  return {
    "a candidate without email": { ...rest, phone },
    "a candidate without phone": { ...rest, email },
  };
}

/** Returns well-formed but invalid numbers. If stored, they would appear in later lists. */
function misnumbered(number: string): Bodies {
  const payload = payloadOf(number);
  const otherDigit = (Number(number.at(-1)) + 1) % 10;
  return {
    "a personalNumber with an invalid date": {
      ...payload,
      personalNumber: `${number.slice(0, 4)}1341${number.slice(8)}`,
    },
    "a personalNumber with a wrong check digit": {
      ...payload,
      personalNumber: `${number.slice(0, -1)}${otherDigit}`,
    },
  };
}

function mistyped(number: string): Bodies {
  const payload = payloadOf(number);
  const names = ["firstName", "lastName", "email", "phone"] as const;
  const kinds = { "a number": 1, true: true, "a list": ["Vera"], "an object": { value: "Vera" } };
  return Object.fromEntries(
    names.flatMap((name) =>
      Object.entries(kinds).map(([kind, value]) => [`${kind} for ${name}`, { ...payload, [name]: value }]),
    ),
  );
}
