import { isDeepStrictEqual } from "node:util";
import type { PactResponse, PactRule, PactRules } from "../contracts.ts";
import { kindOf } from "../judge/field-faults.ts";

/** One difference between a response and a contract. Places are those of the body: `$.assignedCandidates[*].id`. */
export type Mismatch =
  | { kind: "status"; wanted: readonly number[]; received: number }
  | { kind: "no JSON" }
  | { kind: "missing"; place: string; names: readonly string[] }
  | { kind: "too few"; place: string; least: number }
  | { kind: "another type"; place: string; wanted: string; received: string }
  | { kind: "another form"; place: string; received: string };

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
  if (!wanted.includes(status)) return [{ kind: "status", wanted, received: status }];
  if (response.body === undefined) return [];
  if (json === undefined) return [{ kind: "no JSON" }];
  return compare("$", response.body.content, json, response.matchingRules?.body ?? {});
}

function statusesOf({ status, matchingRules }: PactResponse): readonly number[] {
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
  const missing: Mismatch[] = names.length === 0 ? [] : [{ kind: "missing", place, names }];
  const present = Object.keys(expected).filter((name) => !names.includes(name));
  return [
    ...missing,
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
  if (actual.length < least) return [{ kind: "too few", place, least }];
  if (rule === undefined && actual.length !== expected.length) {
    return [{ kind: "another form", place, received: kindOf(actual) }];
  }
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
    ? { kind: "another form", place, received }
    : { kind: "another type", place, wanted, received };
}
