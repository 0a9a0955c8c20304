import type { PersonalNumber } from "../../contract/personal-number.ts";
import type { Code } from "../codes/codes.ts";
import { creating, ifServed } from "../exercises.ts";
import { found, type Outcome, passed } from "../finding.ts";
import { nobody, numberText, payloadOf } from "../person.ts";
import type { Run } from "../run.ts";
import { isPlain } from "../target.ts";
import type { Check } from "./check.ts";
import { wasRefused } from "./wrong-requests.ts";

/** Candidates without what makes one (contract 2.4). */
export const invalidCreations: Check = { group: "errors", run: create };

async function* create(run: Run): AsyncGenerator<Outcome> {
  const exercise = await creating(run);
  yield* ifServed("an invalid candidate is refused", exercise, () => sendKinds(run));
}

async function* sendKinds(run: Run): AsyncGenerator<Outcome> {
  let number: PersonalNumber | undefined;
  for (const [name, { code, bodies }] of Object.entries(KINDS)) {
    number ??= (await nobody(run, `invalid ${name}`)).number;
    const isAccepted = yield* sendKind(run, code, bodies(numberText(run, number)));
    if (isAccepted) number = undefined;
  }
}

type Bodies = Readonly<Record<string, object>>;

interface Kind {
  /** Of a success. */
  code: Code;
  bodies: (number: string) => Bodies;
}

const KINDS: Readonly<Record<string, Kind>> = {
  numberless: { code: "invalid_accepted", bodies: numberless },
  nameless: { code: "invalid_accepted", bodies: nameless },
  incomplete: { code: "invalid_tolerated", bodies: incomplete },
  misnumbered: { code: "invalid_tolerated", bodies: misnumbered },
};

/** Each that is accepted creates somebody for good: after the first no more of the kind are sent. Answers whether one was. */
async function* sendKind(run: Run, code: Code, bodies: Bodies): AsyncGenerator<Outcome, boolean> {
  for (const [name, json] of Object.entries(bodies)) {
    const exchange = await run.send({ operation: "createCandidate", json }, wasRefused);
    if (!isPlain(exchange)) continue;
    const { status } = exchange.answer;
    if (status < 300) {
      yield found(code, { exchange, expected: `4xx to ${name}`, actual: `status ${status}` });
      return true;
    }
    yield passed("createCandidate", `${name} is refused`);
  }
  return false;
}

function numberless(number: string): Bodies {
  const { personalNumber: _, ...rest } = payloadOf(number);
  return {
    "a candidate of nothing": {},
    "a candidate without personalNumber": rest,
    "an empty personalNumber": { ...rest, personalNumber: "" },
    "null for a personalNumber": { ...rest, personalNumber: null },
    "an object for a personalNumber": { ...rest, personalNumber: { digits: "none" } },
    "a JSON number for a personalNumber": { ...rest, personalNumber: Number(number.replace("-", "")) },
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

/** Of the right form: what a provider stored in another would be wrong in each of its lists from then on. */
function misnumbered(number: string): Bodies {
  const payload = payloadOf(number);
  const otherDigit = (Number(number.at(-1)) + 1) % 10;
  return {
    "a personalNumber of no day": {
      ...payload,
      personalNumber: `${number.slice(0, 4)}1341${number.slice(8)}`,
    },
    "a personalNumber with a wrong check digit": {
      ...payload,
      personalNumber: `${number.slice(0, -1)}${otherDigit}`,
    },
  };
}
