import type { Candidate, CandidateCreate } from "../../generated/provider/types.ts";
import {
  hyphenated,
  looksLikePersonalNumber,
  type PersonalNumber,
  parsePersonalNumber,
} from "../contract/personal-number.ts";
import { type Exchange, isReply, statusOf } from "./exchange.ts";
import type { PreparedPerson, Run, TestNumber } from "./run.ts";
import { numbersFor, type Purpose } from "./test-numbers.ts";

/** Number of concurrent lookups in each round. The first number is usually free, and each run takes two more. */
const ROUNDS = [1, 4, 12, 36, 108];

/** Returns the test candidate, created by this run or an earlier one. */
export function personOf(run: Run): Promise<PreparedPerson> {
  run.known.person ??= prepare(run, "person", payloadOf, true);
  return run.known.person;
}

/** Returns a second test candidate, created in this run with the full payload of a hire (contract 2.4). */
export function secondOf(run: Run): Promise<PreparedPerson> {
  run.known.second ??= prepare(run, "second", (number) => ({
    ...payloadOf(number),
    ...HIRE_DETAILS,
    firstName: ODD_NAME,
  }));
  return run.known.second;
}

/** Creates a test candidate. Reuses one of an earlier run if that is preferred, or if every number is in use. */
export async function prepare(
  run: Run,
  name: string,
  payloadFor: (number: string) => CandidateCreate = payloadOf,
  prefersReuse = false,
): Promise<PreparedPerson> {
  const { number, lookups, isTest } = await testNumberFor(run, "valid", name, prefersReuse);
  const created = run.mayChange ? await create(run, number, payloadFor) : undefined;
  const { payload = payloadFor(number), creation, refusal } = created ?? {};
  const isReused = isTest && run.mayChange;
  const there = Object.values(lookups).flatMap((lookup) => idsOf(lookup, number));
  const candidateId = isReused ? there[0] : creation && createdId(creation);
  const found = candidateId === undefined ? undefined : await lookUpBoth(run, number);
  return { number, payload, lookups, creation, refusal, candidateId, found, isReused };
}

interface Created {
  payload: CandidateCreate;
  creation: Exchange;
  refusal?: Exchange;
}

/**
 * Creates a candidate like the platform: with 12 digits, and again with a hyphen if the provider refuses them. It may refuse an emoji,
 * which is left out then.
 */
async function create(
  run: Run,
  number: PersonalNumber,
  payloadFor: (number: string) => CandidateCreate,
): Promise<Created> {
  const sent = payloadFor(numberText(run, number));
  const plain = { ...sent, firstName: sent.firstName.replace(EMOJI, "") };
  let first = await createAs(run, sent);
  if (plain.firstName !== sent.firstName && isFormRefused(first.creation)) first = await createAs(run, plain);
  if (run.known.createsHyphenated || !isFormRefused(first.creation)) return first;
  const second = await createAs(run, { ...plain, personalNumber: hyphenated(number) });
  if (createdId(second.creation) === undefined) return first;
  run.known.createsHyphenated = true;
  return { ...second, refusal: first.creation };
}

async function createAs(run: Run, payload: CandidateCreate): Promise<Created> {
  return { payload, creation: await run.send({ operation: "createCandidate", json: payload }) };
}

/** Returns the number in the format that creations accept. */
export function numberText(run: Run, number: PersonalNumber): string {
  return run.known.createsHyphenated ? hyphenated(number) : number;
}

/** Whether the format may be refused: 400 and 422 may mean that only the other one is accepted (contract 2.8). */
export function isFormRefused(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status === 400 || status === 422;
}

/** Returns the id of a test candidate that a lookup finds. A candidate that was not stored cannot be assigned. */
export async function bookableId(person: Promise<PreparedPerson>): Promise<string | undefined> {
  const made = await person;
  return isFound(made) ? made.candidateId : undefined;
}

export function isFound({ candidateId, found, number }: PreparedPerson): boolean {
  const ids = Object.values(found ?? {}).flatMap((lookup) => idsOf(lookup, number));
  return candidateId !== undefined && ids.includes(candidateId);
}

export const NUMBERS_USED_UP =
  "every test number has a candidate: remove those of earlier runs, or provide others with --numbers";

/**
 * Returns a test number that finds no candidate in both formats, or else the number of a test candidate.
 * @param name determines the first number to try
 * @param prefersReuse returns the first number without a candidate of the provider's own
 */
export async function testNumberFor(
  run: Run,
  purpose: Purpose,
  name: string,
  prefersReuse = purpose === "invalid",
): Promise<TestNumber> {
  const all = numbersFrom(run, purpose, name);
  let left = all;
  const tried: TestNumber[] = [];
  for (const count of ROUNDS) {
    const round = left.filter((number) => !run.known.claimed.has(number)).splice(0, count);
    // Reserves the numbers during the lookups.
    if (purpose !== "unused") for (const number of round) run.known.claimed.add(number);
    const numbers = await Promise.all(round.map((number) => seek(run, number)));
    for (const number of round) run.known.claimed.delete(number);
    left = left.filter((number) => !round.includes(number));
    tried.push(...numbers);
    const free = numbers.find(
      ({ number, lookups, isTest }) => (prefersReuse && isTest) || !isTaken(lookups, number),
    );
    if (free) return claim(run, purpose, free);
  }
  const [first = await seek(run, all[0] as PersonalNumber)] = tried;
  return claim(run, purpose, tried.find(({ isTest }) => isTest) ?? first);
}

/** Returns the number of the purpose `unused` for lookups without a match. */
export function unusedNumberOf(run: Run): Promise<TestNumber> {
  run.known.unused ??= testNumberFor(run, "unused", "unused");
  return run.known.unused;
}

function claim({ known }: Run, purpose: Purpose, numbers: TestNumber): TestNumber {
  if (purpose !== "unused") known.claimed.add(numbers.number);
  return numbers;
}

function numbersFrom(run: Run, purpose: Purpose, name: string): PersonalNumber[] {
  const numbers = numbersFor(purpose, run.numbers);
  const start = Number.parseInt(run.madeUp(`number ${name}`).slice(0, 8), 16) % numbers.length;
  return [...numbers.slice(start), ...numbers.slice(0, start)].map(read);
}

async function seek(run: Run, number: PersonalNumber): Promise<TestNumber> {
  const lookups = await lookUpBoth(run, number);
  const there = Object.values(lookups).flatMap((lookup) => matching(lookup, number));
  if (there.length > 0) run.known.there.add(number);
  return { number, lookups, isTest: there.some(isOwn) };
}

export function isTaken(lookups: PreparedPerson["lookups"], number: PersonalNumber): boolean {
  return Object.values(lookups).some((lookup) => matching(lookup, number).length > 0);
}

function read(text: string): PersonalNumber {
  const number = parsePersonalNumber(text);
  if (number === undefined) throw new TypeError("a published test number is not valid");
  return number;
}

/** Looks up both formats of the number (contract 2.8). */
export async function lookUpBoth(run: Run, number: PersonalNumber): Promise<PreparedPerson["lookups"]> {
  const [digits, hyphen] = await Promise.all([lookUp(run, number), lookUp(run, hyphenated(number))]);
  return { digits, hyphenated: hyphen };
}

export function lookUp(run: Run, personalNumber: string): Promise<Exchange> {
  return run.send({ operation: "findCandidates", query: { personalNumber } });
}

/** Returns the candidates of a lookup with this number, in any format. */
export function matching(exchange: Exchange, number: PersonalNumber): Candidate[] {
  if (!isReply(exchange) || !Array.isArray(exchange.answer.json)) return [];
  const list = exchange.answer.json as (Candidate | null)[];
  return list.filter(
    (each): each is Candidate => parsePersonalNumber(String(each?.personalNumber)) === number,
  );
}

export function idsOf(lookup: Exchange, number: PersonalNumber): string[] {
  return [...new Set(matching(lookup, number).map(({ id }) => id))].filter((id) => typeof id === "string");
}

/** Whether a lookup found candidates with another number. The judge reports malformed numbers. */
export function findsUnrelated(lookup: Exchange, number: PersonalNumber): boolean {
  if (!isReply(lookup) || !Array.isArray(lookup.answer.json)) return false;
  const numbers = lookup.answer.json.map((each) => String(each?.personalNumber));
  return numbers.some((text) => looksLikePersonalNumber(text) && text.replace("-", "") !== number);
}

/** Returns the differences between a candidate and the sent one: `lastName is missing`. */
export function differences(candidate: object, sent: CandidateCreate): string[] {
  const fields = candidate as Readonly<Record<string, unknown>>;
  const texts = ["firstName", "lastName", "email"] as const;
  const isMissing = (name: string) =>
    fields[name] === undefined || fields[name] === null || String(fields[name]).trim() === "";
  const missing = ["personalNumber", ...texts, "phone"].filter(isMissing).map((name) => `${name} is missing`);
  const other = [...texts, "phone" as const].filter((name) => {
    const plain = name === "phone" ? lastDigits : plainText;
    return !isMissing(name) && plain(fields[name]) !== plain(sent[name]);
  });
  const number = String(fields.personalNumber).replaceAll(/\D/g, "");
  const isOther = !isMissing("personalNumber") && number !== sent.personalNumber.replace("-", "");
  return [...missing, ...[...(isOther ? ["personalNumber"] : []), ...other].map((name) => `${name} differs`)];
}

const plainText = (value: unknown) => String(value).trim().toLowerCase();

/** A provider may store a phone number in the national form, and with spaces. */
const lastDigits = (value: unknown) => String(value).replaceAll(/\D/g, "").slice(-9);

export function createdId(exchange: Exchange): string | undefined {
  if (!isReply(exchange) || exchange.answer.status >= 300) return undefined;
  const id = (exchange.answer.json as { id?: unknown } | undefined)?.id;
  return typeof id === "string" && id !== "" ? id : undefined;
}

const EMOJI = "\u{1F4CB}";

/** Identify test candidates of earlier runs; an invalid one may lack one of them. */
const TEST_LAST_NAME = "Provning";
const TEST_EMAIL = "vera.provning@example.com";

export function isOwn({ lastName, email }: Partial<Candidate>): boolean {
  return lastName === TEST_LAST_NAME || email === TEST_EMAIL;
}

/** Returns the platform's payload for a booking (contract 2.4). */
export function payloadOf(number: string): CandidateCreate {
  return {
    personalNumber: number,
    firstName: "Vera",
    lastName: TEST_LAST_NAME,
    email: TEST_EMAIL,
    phone: "+46701740620",
  };
}

/** What the payload of a hire adds to that of a booking (contract 2.4). */
export const HIRE_DETAILS = {
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

/** Double encoding, escaping for HTML or SQL, "?" in place of letters, and columns of three bytes a character change it. */
const ODD_NAME = `Åsa-Örjan D'Éä ${EMOJI}`;
