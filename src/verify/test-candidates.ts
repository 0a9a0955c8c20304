import type { Candidate, CandidateCreate } from "../../generated/provider/types.ts";
import { hyphenated, type PersonalNumber, parsePersonalNumber } from "../contract/personal-number.ts";
import { type Exchange, isReply, statusOf } from "./exchange.ts";
import type { PreparedPerson, Run } from "./run.ts";
import { numbersFor, type Purpose } from "./test-numbers.ts";

const FORM = /^\d{8}-?\d{4}$/;
/** Numbers that are looked up at the same time: the first one is mostly free, unless many runs came before. */
const ROUNDS = [1, 4, 12];

/** Returns the test candidate, created once for the run. */
export function personOf(run: Run): Promise<PreparedPerson> {
  run.known.person ??= prepare(run, "person");
  return run.known.person;
}

/** Returns a second test candidate, created with the full payload of a hire (contract 2.4). */
export function secondOf(run: Run): Promise<PreparedPerson> {
  run.known.second ??= prepare(run, "second", fullPayloadOf);
  return run.known.second;
}

/** Creates a test candidate, or reuses one of an earlier run. */
export async function prepare(
  run: Run,
  purpose: Purpose,
  payloadFor: (number: string) => CandidateCreate = payloadOf,
): Promise<PreparedPerson> {
  const { number, lookups, isOurs } = await nobody(run, purpose, purpose);
  const created = run.mayChange ? await create(run, number, payloadFor) : undefined;
  const { payload = payloadFor(number), creation, refusal } = created ?? {};
  const isReused = isOurs && run.mayChange;
  const candidateId = isReused ? idIn(lookups, number) : creation && createdId(creation);
  const found = candidateId === undefined ? undefined : await lookUpBoth(run, number);
  return { number, payload, lookups, creation, refusal, candidateId, found, isReused };
}

const idIn = (lookups: PreparedPerson["lookups"], number: PersonalNumber) =>
  Object.values(lookups).flatMap((lookup) => idsOf(lookup, number))[0];

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

/** Returns the id of a test candidate if a lookup finds it: a candidate that was not stored cannot be assigned. */
export async function bookableId(person: Promise<PreparedPerson>): Promise<string | undefined> {
  const made = await person;
  return isFound(made) ? made.candidateId : undefined;
}

export function isFound({ candidateId, found, number }: PreparedPerson): boolean {
  const ids = Object.values(found ?? {}).flatMap((lookup) => idsOf(lookup, number));
  return candidateId !== undefined && ids.includes(candidateId);
}

/** A number, and its lookups. */
export interface Sought {
  number: PersonalNumber;
  lookups: PreparedPerson["lookups"];
  /** The provider finds a test candidate of an earlier run. */
  isOurs: boolean;
}

/**
 * Returns a test number under which the provider finds no candidate, in both formats, or else one of a test candidate.
 * @param name another name begins elsewhere among the numbers of the purpose
 */
export async function nobody(run: Run, purpose: Purpose, name: string): Promise<Sought> {
  let left = numbersFrom(run, purpose, name);
  const tried: Sought[] = [];
  for (const count of ROUNDS) {
    const round = left.filter((number) => !run.known.claimed.has(number)).splice(0, count);
    // Reserve the numbers while they are looked up.
    if (purpose !== "unused") for (const number of round) run.known.claimed.add(number);
    const sought = await Promise.all(round.map((number) => seek(run, number)));
    for (const number of round) run.known.claimed.delete(number);
    left = left.filter((number) => !round.includes(number));
    tried.push(...sought);
    const free = sought.find(({ number, lookups }) => !isTaken(lookups, number));
    if (free) return claim(run, purpose, free);
  }
  return claim(run, purpose, tried.find(({ isOurs }) => isOurs) ?? (tried[0] as Sought));
}

function claim({ known }: Run, purpose: Purpose, sought: Sought): Sought {
  if (purpose !== "unused") known.claimed.add(sought.number);
  return sought;
}

/** All of the purpose, from a place that the seed and the name choose. */
function numbersFrom(run: Run, purpose: Purpose, name: string): PersonalNumber[] {
  const numbers = numbersFor(purpose);
  const start = Number.parseInt(run.madeUp(`number ${name}`).slice(0, 8), 16) % numbers.length;
  return [...numbers.slice(start), ...numbers.slice(0, start)].map(read);
}

async function seek(run: Run, number: PersonalNumber): Promise<Sought> {
  const lookups = await lookUpBoth(run, number);
  const there = Object.values(lookups).flatMap((lookup) => matching(lookup, number));
  return { number, lookups, isOurs: there.some(({ lastName }) => lastName === OUR_NAME) };
}

export function isTaken(lookups: PreparedPerson["lookups"], number: PersonalNumber): boolean {
  return Object.values(lookups).some((lookup) => matching(lookup, number).length > 0);
}

function read(text: string): PersonalNumber {
  const number = parsePersonalNumber(text);
  if (number === undefined) throw new TypeError("a published test number is none");
  return number;
}

/** Under 12 digits and under the hyphenated form (contract 2.8). */
export async function lookUpBoth(run: Run, number: PersonalNumber): Promise<PreparedPerson["lookups"]> {
  const [digits, hyphen] = await Promise.all([lookUp(run, number), lookUp(run, hyphenated(number))]);
  return { digits, hyphenated: hyphen };
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

/** Identifies test candidates of earlier runs. */
const OUR_NAME = "Provning";

/** What the platform sends to book (contract 2.4). */
export function payloadOf(number: string): CandidateCreate {
  return {
    personalNumber: number,
    firstName: "Vera",
    lastName: OUR_NAME,
    email: "vera.provning@example.com",
    phone: "+46701740620",
  };
}

/** What the platform sends to hire (contract 2.4). */
function fullPayloadOf(number: string): CandidateCreate {
  return {
    ...payloadOf(number),
    address: "Provgatan 1",
    postCode: "11122",
    city: "Stockholm",
    countryCode: "se",
    emergencyContact: { name: "Nils Provning", phone: "+46701740621", relationship: "brother" },
    bankDetails: { clearingNumber: "8327", accountNumber: "9044612345" },
    documents: {
      citizenship: "SE",
      workPermitRequired: false,
      workPermitExpiry: null,
      passportVerified: true,
    },
  };
}
