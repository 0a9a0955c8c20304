import { isDeepStrictEqual } from "node:util";
import type { PactResponse, PactRule, PactRules } from "../contracts.ts";
import { kindOf } from "../judge/field-faults.ts";

/** One difference between an answer and what a contract expects. Places are those of the body: `$.assignedCandidates[*].id`. */
export type Mismatch =
  | { kind: "status"; wanted: readonly number[]; came: number }
  | { kind: "no JSON" }
  | { kind: "missing"; place: string; names: readonly string[] }
  | { kind: "too few"; place: string; least: number }
  | { kind: "another type"; place: string; wanted: string; came: string }
  | { kind: "another form"; place: string; came: string };

/**
 * Compares an answer with the response of an interaction, as a Pact verifier does (specification 4): matching rules by their place, a rule
 * `type` for everything below it, equality where there is none, and fields beyond the expected ones are let be. Headers are not compared: how
 * a provider labels its bodies is judged for all of its answers alike.
 * @param json undefined when the body is none
 * @throws TypeError for a rule that is not known
 */
export function mismatchesOf(
  response: PactResponse,
  { status, json }: { status: number; json: unknown },
): Mismatch[] {
  const wanted = statusesOf(response);
  // A refusal has another body: that one follows from the status.
  if (!wanted.includes(status)) return [{ kind: "status", wanted, came: status }];
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
    return [{ kind: "another form", place, came: kindOf(actual) }];
  }
  if (expected.length === 0) return [];
  return actual.flatMap((entry, index) =>
    compare(`${place}[*]`, expected[index] ?? expected[0], entry, rules),
  );
}

/** The rule of the place; without one, the type is what counts below a rule `type`. */
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
  const [wanted, came] = [kindOf(expected), kindOf(actual)];
  return wanted === came
    ? { kind: "another form", place, came }
    : { kind: "another type", place, wanted, came };
}
