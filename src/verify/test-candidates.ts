import type { Candidate, CandidateCreate } from "../../generated/provider/types.ts";
import { schemas } from "../../generated/provider/validators.js";
import {
  hyphenated,
  looksLikePersonalNumber,
  type PersonalNumber,
  parsePersonalNumber,
} from "../contract/personal-number.ts";
import { isStorable } from "../contract/storable-text.ts";
import { type Exchange, isReply, statusOf } from "./exchange.ts";
import { noteThere, type PreparedPerson, type Run, type TestNumber } from "./run.ts";
import { numbersFor, type Purpose } from "./test-numbers.ts";

/** Most test numbers that one search looks up: more are looked up only if the provider's own people have them too. */
const MOST_LOOKED_UP = 40;

/** Returns the test candidate, created by this run or an earlier one. */
export function personOf(run: Run): Promise<PreparedPerson> {
  run.known.person ??= search(run, numbersOf(run, "valid"), isFreeOrTest).then((number) =>
    prepare(run, number, payloadOf),
  );
  return run.known.person;
}

/**
 * Returns a second test candidate, created in this run with the full payload of a hire (contract 2.4): the only new one of a run, after
 * the first run. When every test number has a candidate, it is one of an earlier run.
 */
export function secondOf(run: Run): Promise<PreparedPerson> {
  run.known.second ??= prepareSecond(run);
  return run.known.second;
}

async function prepareSecond(run: Run): Promise<PreparedPerson> {
  const { number: taken } = await personOf(run);
  const others = numbersOf(run, "valid").filter((number) => number !== taken);
  const { left = 0, ...number } = await search(run, others, isFree);
  run.known.runsLeft = left;
  run.known.wasCreatedBefore = number.isTest;
  return prepare(run, number, (text) => ({ ...payloadOf(text), ...HIRE_DETAILS, firstName: ODD_NAME }));
}

/** Creates a test candidate, or creates the one of an earlier run again. */
async function prepare(
  run: Run,
  { number, lookups, isTest }: TestNumber,
  payloadFor: (number: string) => CandidateCreate,
): Promise<PreparedPerson> {
  const created = run.mayChange ? await create(run, number, payloadFor) : undefined;
  const { payload = payloadFor(number), creation, refusal } = created ?? {};
  const isReused = isTest && run.mayChange;
  const there = Object.values(lookups).flatMap((lookup) => idsOf(lookup, number));
  const candidateId = isReused ? there.find(isUsable) : creation && createdId(creation);
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

interface Search extends TestNumber {
  /** Numbers after it; undefined if no number fits. */
  left?: number;
}

type Fits = (number: TestNumber) => boolean;

const isFree: Fits = ({ number, lookups }) => !isTaken(lookups, number);
const isFreeOrTest: Fits = (number) => number.isTest || isFree(number);

/**
 * Returns the first number that fits, or else one of a test candidate. Runs use the numbers in order: the end of the used ones is found by
 * halving. A candidate of the provider's own says nothing about that end: what is before is searched too.
 */
async function search(run: Run, numbers: readonly PersonalNumber[], fits: Fits): Promise<Search> {
  const seen = new Map<number, TestNumber>();
  const ends = [numbers.length];
  for (const end of ends) {
    let [used, free] = [-1, end];
    while (free - used > 1 && seen.size < MOST_LOOKED_UP) {
      const middle = used < 0 ? 0 : Math.floor((used + free) / 2);
      const number = seen.get(middle) ?? (await seek(run, numbers[middle] as PersonalNumber));
      if (fits(number)) free = middle;
      else used = middle;
      if (!seen.has(middle) && !fits(number) && !number.isTest) ends.push(middle);
      seen.set(middle, number);
    }
    const found = seen.get(free);
    if (found && fits(found)) return { ...found, left: end - free - 1 };
  }
  const all = [...seen.values()];
  return all.find(({ isTest }) => isTest) ?? (all[0] as TestNumber);
}

/** Returns the number of the purpose `unused` for lookups without a match. */
export function unusedNumberOf(run: Run): Promise<TestNumber> {
  run.known.unused ??= search(run, numbersOf(run, "unused"), isFree);
  return run.known.unused;
}

/**
 * Returns the number of one kind of invalid candidates, the same in each run: otherwise a provider that stores them would get more with
 * each run. @param kind its place among the kinds @param kinds number of kinds
 */
export async function invalidNumberOf(run: Run, kind: number, kinds: number): Promise<PersonalNumber> {
  const numbers = numbersOf(run, "invalid");
  const parts = Math.min(kinds, numbers.length);
  const own = numbers.filter((_, place) => place % parts === kind % parts);
  return (await search(run, own, isFreeOrTest)).number;
}

const numbersOf = (run: Run, purpose: Purpose) => numbersFor(purpose, run.numbers).map(read);

async function seek(run: Run, number: PersonalNumber): Promise<TestNumber> {
  const lookups = await lookUpBoth(run, number);
  const there = Object.values(lookups).flatMap((lookup) => matching(lookup, number));
  if (there.length > 0) noteThere(run, number);
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

/** The judge reports another id; in a path it could lead to the shift itself. */
const isUsable = (id: unknown): id is string => schemas.ProviderCandidateId(id) && isStorable(id);

export function createdId(exchange: Exchange): string | undefined {
  if (!isReply(exchange) || exchange.answer.status >= 300) return undefined;
  const id = (exchange.answer.json as { id?: unknown } | undefined)?.id;
  return isUsable(id) ? id : undefined;
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
