import { isDeepStrictEqual } from "node:util";
import type { PactResponse, PactRule, PactRules } from "../contracts.ts";
import { kindOf } from "../judge/field-faults.ts";

/** The texts of one difference, without values of the response, which may be personal data. */
export interface Mismatch {
  expected: string;
  actual: string;
  /** By default, to send what the contract lists. */
  fix?: string;
}

/**
 * Returns the texts of a finding. Equal mismatches give equal texts.
 * @param does the action of the interaction: "reads a shift"
 */
export function mismatchTexts(does: string, mismatches: readonly Mismatch[]): Required<Mismatch> {
  const joined = (name: "expected" | "actual") =>
    [...new Set(mismatches.map((each) => each[name]))].sort().join("; ");
  const fix = mismatches[0]?.fix ?? COMPLETE;
  return { expected: `${does}: ${joined("expected")}`, actual: joined("actual"), fix };
}

const NOT_JSON = "a body that is not JSON";
const COMPLETE =
  "Send these fields as the contract lists them; the description of the operation shows the whole response.";

/**
 * Compares a response with that of an interaction, like a Pact verifier (specification 4). A place has its own rule, the rule `type` of
 * a place above it, or equality. Additional fields are allowed. Headers are not compared, because the judge checks the Content-Type
 * of all responses.
 * @param json undefined if the body is not JSON
 * @throws TypeError for an unknown rule
 */
export function mismatchesOf(
  response: PactResponse,
  { status, json }: { status: number; json: unknown },
): Mismatch[] {
  const wanted = statusesOf(response);
  // A refusal has a different body as a consequence.
  if (!wanted.includes(status)) return [otherStatus(wanted, status)];
  if (response.body === undefined) return [];
  if (json === undefined) return [{ expected: "a JSON body", actual: NOT_JSON }];
  return compare("$", response.body.content, json, response.matchingRules?.body ?? {});
}

function otherStatus(wanted: readonly number[], received: number): Mismatch {
  const expected = `status ${[...wanted].sort().join(" or ")}`;
  return { expected, actual: `status ${received}`, fix: `Return ${expected}.` };
}

export function statusesOf({ status, matchingRules }: PactResponse): readonly number[] {
  const [rule] = matchingRules?.status?.$?.matchers ?? [];
  return rule?.match === "statusCode" && Array.isArray(rule.status) ? rule.status : [status];
}

function compare(place: string, expected: unknown, actual: unknown, rules: PactRules): Mismatch[] {
  const rule = ruleAt(place, rules);
  if (Array.isArray(expected)) return compareLists(place, expected, actual, rules, rule);
  if (typeof expected === "object" && expected !== null) {
    return compareObjects(place, expected as Fields, actual, rules);
  }
  return fits(rule, expected, actual) ? [] : [differenceAt(place, expected, actual)];
}

type Fields = Readonly<Record<string, unknown>>;

function compareObjects(place: string, expected: Fields, actual: unknown, rules: PactRules): Mismatch[] {
  if (kindOf(actual) !== kindOf(expected)) return [differenceAt(place, expected, actual)];
  const fields = actual as Fields;
  const names = Object.keys(expected).filter((name) => !Object.hasOwn(fields, name));
  const lacking = names.map((name) => nameOf(`${place}.${name}`)).sort();
  const areMissing = `${lacking.join(", ")} ${names.length === 1 ? "is" : "are"} missing`;
  const present = Object.keys(expected).filter((name) => !names.includes(name));
  return [
    ...(names.length === 0 ? [] : [{ expected: "every field that the contract lists", actual: areMissing }]),
    ...present.flatMap((name) => compare(`${place}.${name}`, expected[name], fields[name], rules)),
  ];
}

function compareLists(
  place: string,
  expected: readonly unknown[],
  actual: unknown,
  rules: PactRules,
  rule: PactRule | undefined,
): Mismatch[] {
  if (!Array.isArray(actual)) return [differenceAt(place, expected, actual)];
  const least = rule?.min ?? 0;
  if (actual.length < least) return [mismatchAt(place, `at least ${least} of them`, "fewer")];
  if (rule === undefined && actual.length !== expected.length) return [differenceAt(place, expected, actual)];
  if (expected.length === 0) return [];
  return actual.flatMap((entry, index) =>
    compare(`${place}[*]`, expected[index] ?? expected[0], entry, rules),
  );
}

/** Returns the rule of the place, or a rule `type` of a place above it. */
function ruleAt(place: string, rules: PactRules): PactRule | undefined {
  const own = rules[place]?.matchers[0];
  if (own) return own;
  const isBelowType = Object.entries(rules).some(
    ([above, { matchers }]) =>
      (place.startsWith(`${above}.`) || place.startsWith(`${above}[`)) && matchers[0]?.match === "type",
  );
  return isBelowType ? { match: "type" } : undefined;
}

function fits(rule: PactRule | undefined, expected: unknown, actual: unknown): boolean {
  switch (rule?.match) {
    case undefined:
    case "equality":
      return isDeepStrictEqual(actual, expected);
    case "type":
      return kindOf(actual) === kindOf(expected);
    case "integer":
      return Number.isInteger(actual);
    case "number":
      return typeof actual === "number";
    case "regex":
      return (
        (typeof actual === "string" || typeof actual === "number") &&
        new RegExp(rule.regex ?? "").test(`${actual}`)
      );
    default:
      throw new TypeError(`the replay does not know the matching rule "${rule?.match}"`);
  }
}

function differenceAt(place: string, expected: unknown, actual: unknown): Mismatch {
  const [wanted, received] = [kindOf(expected), kindOf(actual)];
  return wanted === received
    ? mismatchAt(place, "the form that the contract lists", `${received} in another form`)
    : mismatchAt(place, wanted, received);
}

function mismatchAt(place: string, expected: string, received: string): Mismatch {
  const name = nameOf(place);
  return { expected: `${name}: ${expected}`, actual: `${name}: received ${received}` };
}

const nameOf = (place: string) => place.replace(/^\$\.?/, "") || "the body";
