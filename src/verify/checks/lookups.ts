import { parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain, type Probe, type Reply } from "../exchange.ts";
import { type Found, found, type Outcome, passed, refused as refusedBy, skipped } from "../finding.ts";
import type { PreparedPerson, Run } from "../run.ts";
import { findsUnrelated, idsOf, lookUpBoth, matching } from "../test-candidates.ts";
import { TEST_NUMBERS } from "../test-numbers.ts";
import type { Check } from "./check.ts";
import { answersTo } from "./each-operation.ts";

export interface Wanted {
  number: PreparedPerson["number"];
  /** Undefined if unknown. */
  candidateId: string | undefined;
  /** The name in titles: "the created candidate". */
  who: string;
  /** The finding if no lookup finds the candidate. */
  missed: Code;
}

/**
 * Judges the lookups of an existing candidate. At least one format of the number must find it, because the contract prefers
 * neither (2.8).
 */
export function* judgeLookups(
  run: Run,
  wanted: Wanted,
  lookups: PreparedPerson["lookups"],
): Generator<Outcome> {
  const both = [lookups.digits, lookups.hyphenated];
  yield* judgeUnrelated(both, wanted.number);
  const finding = both.filter((lookup) => idsOf(lookup, wanted.number).length > 0);
  const [first] = finding;
  if (first === undefined) return yield notFound(both, wanted);
  run.forms.numbers ??= first === lookups.digits ? "digits" : "hyphenated";
  const [candidate] = matching(first, wanted.number);
  run.forms.returned ??= String(candidate?.personalNumber).includes("-") ? "hyphenated" : "digits";
  const text = first.probe.query?.personalNumber;
  if (text !== undefined) run.known.number ??= text;
  const other = both.find((lookup) => !finding.includes(lookup));
  if (!other)
    yield passed("findCandidates", `${wanted.who} is found under both forms of the personal number`);
  else if (isPlain(other) && isReadable(other)) yield formIgnored(other, other === lookups.digits);
  yield* judgeIds(finding, wanted);
}

/** Reports candidates with another number. @param lookups of one number, whose candidate may not exist */
export function* judgeUnrelated(
  lookups: readonly Exchange[],
  number: PreparedPerson["number"],
): Generator<Found> {
  const exchange = lookups.find((lookup) => findsUnrelated(lookup, number));
  if (!exchange) return;
  const expected = "only the person with that personal number, or no one";
  yield found("lookup_ignores_query", { exchange, expected, actual: "people with another personal number" });
}

function notFound([digits, hyphenated]: Exchange[], { who, missed }: Wanted): Outcome {
  const title = `${who} is found under the personal number`;
  const answered = [digits, hyphenated].filter((lookup) => lookup !== undefined && isPlain(lookup));
  const [exchange] = answered;
  if (!exchange || answered.length < 2 || answered.some((lookup) => !isReadable(lookup))) {
    return skipped("skipped_after_failure", "findCandidates", title, "a response could not be read");
  }
  const refused = answered.find((lookup) => ![200, 404].includes(lookup.answer.status));
  if (refused && refused === digits) return refusedBy(refused, "200 with the candidate");
  const expected = `${who}, under 12 digits or with a hyphen`;
  return found(missed, { exchange, expected, actual: "not found under either format" });
}

/** Whether all entries are readable. An unreadable one may be the candidate, and the judge reports it. */
function isReadable({ answer }: Reply): boolean {
  if (answer.status >= 300) return true;
  if (!Array.isArray(answer.json)) return false;
  return answer.json.every(
    (each) => typeof each?.id === "string" && parsePersonalNumber(String(each.personalNumber)) !== undefined,
  );
}

function formIgnored(exchange: Reply, isDigits: boolean): Found {
  const [form, other] = isDigits
    ? ["12 digits", "the hyphenated form"]
    : ["the hyphenated form", "12 digits"];
  const expected = `the candidate under ${form}, as under ${other}`;
  const { status } = exchange.answer;
  const actual = status >= 400 && status !== 404 ? `status ${status}` : "not found";
  return found("number_form_ignored", { exchange, expected, actual });
}

function* judgeIds(lookups: readonly Exchange[], { number, candidateId, who }: Wanted): Generator<Outcome> {
  const ambiguous = lookups.find((lookup) => idsOf(lookup, number).length > 1);
  if (ambiguous) {
    const actual = "two candidates with the same personal number";
    return yield found("lookup_ambiguous", { exchange: ambiguous, expected: "one candidate", actual });
  }
  const [first, second = first] = lookups.map((lookup) => idsOf(lookup, number)[0]);
  const expectedId = candidateId ?? first;
  const wrong = lookups[first === expectedId ? 1 : 0];
  const details = { expected: "the id from before", actual: "a different id" };
  yield first === expectedId && second === expectedId
    ? passed("findCandidates", `${who} has the same id each time`)
    : found("candidate_unstable", { ...details, ...(wrong && { exchange: wrong }) });
}

/** The known candidate of the fixtures is found (contract 4.2, 2.8). */
export const knownPerson: Check = {
  group: "answers",
  needs: ["unknownCandidate"],
  gives: ["known", "number"],
  run: findKnown,
};

async function* findKnown(run: Run): AsyncGenerator<Outcome> {
  const { knownPersonalNumber, knownCandidateId } = run.fixtures;
  const title = "a known candidate is found";
  const number = parsePersonalNumber(knownPersonalNumber ?? "");
  if (number === undefined) {
    const reason =
      knownPersonalNumber === undefined
        ? "no known candidate: provide --fixtures with a knownPersonalNumber, or --states-url"
        : "knownPersonalNumber is not a personal number: use YYYYMMDDXXXX or YYYYMMDD-XXXX";
    return yield skipped("skipped_not_prepared", "findCandidates", title, reason);
  }
  const wanted = { number, candidateId: knownCandidateId, who: "the known candidate" } as const;
  yield* judgeLookups(run, { ...wanted, missed: "lookup_misses" }, await lookUpBoth(run, number));
}

/** Unusual lookups. The contract defines no response: a list or a refusal is right, but not a 5xx. */
export const oddLookups: Check = { group: "errors", needs: ["unknownCandidate"], run: lookUpOddly };

const LONG = "1".repeat(600);

const [ANY = ""] = TEST_NUMBERS;
const NO_DAY = `${ANY.slice(0, 4)}1341${ANY.slice(8)}`;

const QUERIES: Readonly<Record<string, Probe["query"]>> = {
  "a lookup without a query": undefined,
  "a lookup of an empty number": { personalNumber: "" },
  "a lookup of two digits": { personalNumber: "12" },
  "a lookup of letters": { personalNumber: "abcdefghijkl" },
  "a lookup of a number with an invalid date": { personalNumber: NO_DAY },
  "a lookup of 600 digits": { personalNumber: LONG },
  "a lookup of a name of 600 digits": { name: LONG },
  "a lookup of a name of emojis": { name: "\u{1F469}\u200D\u{1F373}" },
};

async function* lookUpOddly(run: Run): AsyncGenerator<Outcome> {
  const asked = Object.entries(QUERIES).map(([name, query]): [string, Probe] => [
    name,
    { operation: "findCandidates", ...(query && { query }) },
  ]);
  for (const [name] of await answersTo(run, asked)) {
    yield passed("findCandidates", `${name} causes no server error`);
  }
}
