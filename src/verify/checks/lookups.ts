import { parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain, type Reply } from "../exchange.ts";
import { type Found, found, type Outcome, passed, skipped } from "../finding.ts";
import type { PreparedPerson, Run } from "../run.ts";
import { findsStrangers, idsOf, lookUpBoth } from "../test-candidates.ts";
import type { Check } from "./check.ts";

/** A candidate who must be found. */
export interface Sought {
  number: PreparedPerson["number"];
  /** Undefined: not known. */
  candidateId: string | undefined;
  /** For the titles: "the created candidate". */
  who: string;
  /** When they are not found. */
  missed: Code;
}

/**
 * Judges the lookups of an existing candidate, who must be found under at least one format of the number: the contract
 * gives both and calls neither the right one (2.8).
 */
export function* judgeLookups(
  run: Run,
  sought: Sought,
  lookups: PreparedPerson["lookups"],
): Generator<Outcome> {
  const both = [lookups.digits, lookups.hyphenated];
  yield* judgeStrangers(both, sought.number);
  const finding = both.filter((lookup) => idsOf(lookup, sought.number).length > 0);
  const [first] = finding;
  if (first === undefined) return yield notFound(both, sought);
  learn(run, first, first === lookups.digits ? "digits" : "hyphenated");
  const other = both.find((lookup) => !finding.includes(lookup));
  if (!other)
    yield passed("findCandidates", `${sought.who} is found under both forms of the personal number`);
  else if (isPlain(other) && isReadable(other)) yield formIgnored(other, other === lookups.digits);
  yield* judgeIds(finding, sought);
}

/** @param lookups of one number, whose candidate may not exist */
export function* judgeStrangers(
  lookups: readonly Exchange[],
  number: PreparedPerson["number"],
): Generator<Found> {
  const exchange = lookups.find((lookup) => findsStrangers(lookup, number));
  if (!exchange) return;
  const expected = "only the person with that personal number, or no one";
  yield found("lookup_ignores_query", { exchange, expected, actual: "people with another personal number" });
}

function learn(run: Run, { probe }: Exchange, form: "digits" | "hyphenated"): void {
  run.forms.numbers ??= form;
  const text = probe.query?.personalNumber;
  if (text !== undefined) run.known.number ??= text;
}

function notFound([digits, hyphenated]: Exchange[], { who, missed }: Sought): Outcome {
  const title = `${who} is found under the personal number`;
  const answered = [digits, hyphenated].filter((lookup) => lookup !== undefined && isPlain(lookup));
  const [exchange] = answered;
  if (!exchange || answered.length < 2 || answered.some((lookup) => !isReadable(lookup))) {
    return skipped("skipped_after_failure", "findCandidates", title, "an answer could not be read");
  }
  const refused = answered.find((lookup) => ![200, 404].includes(lookup.answer.status));
  if (refused && refused === digits) {
    const expected = "200 with the candidate";
    return found("request_refused", {
      exchange: refused,
      expected,
      actual: `status ${refused.answer.status}`,
    });
  }
  const expected = `${who}, under 12 digits or with a hyphen`;
  return found(missed, { exchange, expected, actual: "not found, under either format" });
}

/** An entry with an unreadable number or id may be the candidate: the judge has reported it. */
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
  const expected = `the candidate under ${form} too, as under ${other}`;
  const { status } = exchange.answer;
  const actual = status >= 400 && status !== 404 ? `status ${status}` : "not found";
  return found("number_form_ignored", { exchange, expected, actual });
}

function* judgeIds(lookups: readonly Exchange[], { number, candidateId, who }: Sought): Generator<Outcome> {
  const ambiguous = lookups.find((lookup) => idsOf(lookup, number).length > 1);
  if (ambiguous) {
    const actual = "two candidates with the same personal number";
    return yield found("lookup_ambiguous", { exchange: ambiguous, expected: "one candidate", actual });
  }
  const [first, second = first] = lookups.map((lookup) => idsOf(lookup, number)[0]);
  const expectedId = candidateId ?? first;
  const wrong = lookups[first === expectedId ? 1 : 0];
  yield first === expectedId && second === expectedId
    ? passed("findCandidates", `${who} has the same id each time`)
    : found("candidate_unstable", {
        ...(wrong && { exchange: wrong }),
        expected: "the id that the candidate has had before",
        actual: "another id",
      });
}

/** The candidate of the fixtures is found (contract 4.2, 2.8). */
export const knownPerson: Check = {
  ...{ group: "answers", needs: ["nobody"], gives: ["known", "number"], run: findKnown },
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
  const sought = {
    number,
    candidateId: knownCandidateId,
    who: "the known person",
    missed: "lookup_misses",
  } as const;
  yield* judgeLookups(run, sought, await lookUpBoth(run, number));
}
