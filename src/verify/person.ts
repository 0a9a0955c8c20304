import type { Candidate, CandidateCreate } from "../../generated/provider/types.ts";
import { hyphenated, type PersonalNumber, parsePersonalNumber } from "../contract/personal-number.ts";
import type { PreparedPerson, Run } from "./run.ts";
import { type Exchange, isReply, statusOf } from "./target.ts";
import { TEST_NUMBERS } from "./test-numbers.ts";

const FORM = /^\d{8}-?\d{4}$/;
/** Numbers that are tried before giving up: each earlier run on the same provider used one. */
const MOST_TRIES = 20;

/** A person who is nobody's candidate yet, created once for the whole run. */
export function personOf(run: Run): Promise<PreparedPerson> {
  run.known.person ??= prepare(run, "person");
  return run.known.person;
}

/** @param name another name gives another person */
export async function prepare(
  run: Run,
  name: string,
  payloadFor: (number: string) => CandidateCreate = payloadOf,
): Promise<PreparedPerson> {
  const { number, lookups } = await nobody(run, name);
  const created = run.mayChange ? await create(run, number, payloadFor) : undefined;
  const candidateId = created && createdId(created.creation);
  const found = candidateId === undefined ? undefined : await lookUpBoth(run, number);
  const { payload = payloadFor(number), creation, refusal } = created ?? {};
  return { number, payload, lookups, creation, refusal, candidateId, found };
}

interface Created {
  payload: CandidateCreate;
  creation: Exchange;
  refusal?: Exchange;
}

/** As the platform does: 12 digits, and once more with a hyphen when a provider refuses them. */
async function create(
  run: Run,
  number: PersonalNumber,
  payloadFor: (number: string) => CandidateCreate,
): Promise<Created> {
  const first = await createAs(run, payloadFor(numberText(run, number)));
  if (run.known.createsHyphenated || !isFormRefused(first.creation)) return first;
  const second = await createAs(run, payloadFor(hyphenated(number)));
  if (createdId(second.creation) === undefined) return first;
  run.known.createsHyphenated = true;
  return { ...second, refusal: first.creation };
}

async function createAs(run: Run, payload: CandidateCreate): Promise<Created> {
  return { payload, creation: await run.send({ operation: "createCandidate", json: payload }) };
}

/** The number in the form under which the provider creates candidates. */
export function numberText(run: Run, number: PersonalNumber): string {
  return run.known.createsHyphenated ? hyphenated(number) : number;
}

/** 400 and 422 may mean that the provider knows the other form of the number only (contract 2.8). */
export function isFormRefused(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status === 400 || status === 422;
}

/** The id of the test person when the provider finds them under it: somebody who was not stored cannot be assigned. */
export async function bookableId(run: Run): Promise<string | undefined> {
  const person = await personOf(run);
  return isFound(person) ? person.candidateId : undefined;
}

export function isFound({ candidateId, found, number }: PreparedPerson): boolean {
  const ids = Object.values(found ?? {}).flatMap((lookup) => idsOf(lookup, number));
  return candidateId !== undefined && ids.includes(candidateId);
}

/** A test number under which the provider finds nobody, looked up in both forms. */
export async function nobody(run: Run, name: string): Promise<Pick<PreparedPerson, "number" | "lookups">> {
  for (let attempt = 0; ; attempt += 1) {
    const number = numberFor(run, name, attempt);
    const lookups = await lookUpBoth(run, number);
    const isTaken = finds(lookups.digits, number) || finds(lookups.hyphenated, number);
    if (!isTaken || attempt === MOST_TRIES) return { number, lookups };
  }
}

/** The seed and the name choose where in the list to begin, so that two runs mostly use different people. */
function numberFor(run: Run, name: string, attempt: number): PersonalNumber {
  const start = Number.parseInt(run.madeUp(`number ${name}`).slice(0, 8), 16);
  const text = TEST_NUMBERS[(start + attempt) % TEST_NUMBERS.length] ?? "";
  const number = parsePersonalNumber(text);
  if (number === undefined) throw new TypeError("a published test number is none");
  return number;
}

/** Under 12 digits and under the hyphenated form (contract 2.8). */
export async function lookUpBoth(run: Run, number: PersonalNumber): Promise<PreparedPerson["lookups"]> {
  return { digits: await lookUp(run, number), hyphenated: await lookUp(run, hyphenated(number)) };
}

export function lookUp(run: Run, personalNumber: string): Promise<Exchange> {
  return run.send({ operation: "findCandidates", query: { personalNumber } });
}

/** The candidates of a lookup that have the number, in whatever form. */
export function matching(exchange: Exchange, number: PersonalNumber): Candidate[] {
  if (!isReply(exchange) || !Array.isArray(exchange.answer.json)) return [];
  const list = exchange.answer.json as (Candidate | null)[];
  return list.filter(
    (each): each is Candidate => parsePersonalNumber(String(each?.personalNumber)) === number,
  );
}

const finds = (exchange: Exchange, number: PersonalNumber) => matching(exchange, number).length > 0;

/** Ids under which a lookup found the person. */
export function idsOf(lookup: Exchange, number: PersonalNumber): string[] {
  return [...new Set(matching(lookup, number).map(({ id }) => id))].filter((id) => typeof id === "string");
}

/** Whether a lookup found people with another number; what has not the form of one is the judge's to report. */
export function findsStrangers(lookup: Exchange, number: PersonalNumber): boolean {
  if (!isReply(lookup) || !Array.isArray(lookup.answer.json)) return false;
  const numbers = lookup.answer.json.map((each) => String(each?.personalNumber));
  return numbers.some((text) => FORM.test(text) && text.replace("-", "") !== number);
}

/** What differs between a candidate and what was sent, by field: `lastName is missing`. */
export function differences(candidate: object, sent: CandidateCreate): string[] {
  const told = candidate as Readonly<Record<string, unknown>>;
  const texts = ["firstName", "lastName", "email"] as const;
  const isMissing = (name: string) =>
    told[name] === undefined || told[name] === null || String(told[name]).trim() === "";
  const missing = ["personalNumber", ...texts, "phone"].filter(isMissing).map((name) => `${name} is missing`);
  const other = texts.filter((name) => !isMissing(name) && plainText(told[name]) !== plainText(sent[name]));
  const isOther = !isMissing("personalNumber") && !isNumber(told.personalNumber, sent.personalNumber);
  return [...missing, ...[...(isOther ? ["personalNumber"] : []), ...other].map((name) => `${name} differs`)];
}

const plainText = (value: unknown) => String(value).trim().toLowerCase();

const isNumber = (told: unknown, sent: string) =>
  String(told).replaceAll(/\D/g, "") === sent.replace("-", "");

export function createdId(exchange: Exchange): string | undefined {
  if (!isReply(exchange) || exchange.answer.status >= 300) return undefined;
  const id = (exchange.answer.json as { id?: unknown } | undefined)?.id;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** What the platform sends to book (contract 2.4). */
export function payloadOf(number: string): CandidateCreate {
  return {
    personalNumber: number,
    firstName: "Vera",
    lastName: "Provning",
    email: "vera.provning@example.com",
    phone: "+46701740620",
  };
}
