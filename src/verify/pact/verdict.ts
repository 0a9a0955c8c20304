import { kindOf } from "../judge/field-words.ts";

/** Descriptions of the interactions that were replayed, and what is wrong with those that were not honoured. */
export interface Verdict {
  honoured: string[];
  broken: Record<string, Mismatch[]>;
}

/** One difference, as Pact says it: all but the path and the type may hold values of the answer. */
export interface Mismatch {
  /** Where in the body, as in `$.slots`. */
  path?: string;
  type?: string;
  mismatch: string;
  expected?: unknown;
  actual?: unknown;
}

interface InteractionResult {
  description: string;
  result: "OK" | "Error";
  mismatch?: { mismatches?: Mismatch[]; message?: string };
}

/** Pact could not be run at all: nothing is known of the provider. */
export class CannotReplay extends Error {
  override readonly name = "CannotReplay";
}

/**
 * @param report Pact's own, as JSON; anything else says why there is none
 * @throws CannotReplay
 */
export function verdictOf(report: string): Verdict {
  if (!report.startsWith("{")) throw new CannotReplay(`Pact's verifier could not run: ${report}`);
  const { interactionResults } = JSON.parse(report) as { interactionResults: InteractionResult[] };
  const honoured = interactionResults.filter(({ result }) => result === "OK");
  const broken = interactionResults.filter(({ result }) => result !== "OK");
  return {
    honoured: honoured.map(({ description }) => description).sort(),
    broken: Object.fromEntries(broken.map((each) => [each.description, mismatchesOf(each)])),
  };
}

function mismatchesOf({ mismatch }: InteractionResult): Mismatch[] {
  return mismatch?.mismatches ?? [{ mismatch: mismatch?.message ?? "no reason given" }];
}

/** What is wrong, as every finding says it. */
export interface Words {
  expected: string;
  actual: string;
  mend: string;
}

/**
 * All of them without values of the answer, which may be personal: two answers with the same mistake give the same words.
 * @param does what the interaction does: "reads a shift"
 */
export function wordsOf(does: string, mismatches: readonly Mismatch[]): Words {
  const status = mismatches.find(({ type }) => type === "StatusMismatch");
  // A refusal has another body: that one follows from the status.
  if (status) return statusWords(does, status.mismatch);
  const faults = mismatches.map(faultOf);
  // Pact's own order is another one each time.
  const joined = (texts: readonly string[]) => [...new Set(texts)].sort().join("; ");
  const expected = joined(faults.map((fault) => fault.expected));
  const actual = joined(faults.map((fault) => fault.actual));
  const mend =
    "Send these fields as the contract lists them; the description of the operation shows the whole answer.";
  return { expected: `${does}: ${expected}`, actual, mend };
}

function statusWords(does: string, mismatch: string): Words {
  const numbers = mismatch.match(/\b[1-5]\d\d\b/g) ?? [];
  const isLast = /but was \d+/.test(mismatch);
  const received = isLast ? numbers.at(-1) : numbers[0];
  const wanted = numbers
    .filter((each) => each !== received)
    .sort()
    .join(" or ");
  const mend = `Answer this request with status ${wanted || "that the contract names"}.`;
  return { expected: `${does}: status ${wanted}`, actual: `status ${received ?? "unknown"}`, mend };
}

interface Fault {
  expected: string;
  actual: string;
}

function faultOf({ mismatch, path = "$", type, expected, actual }: Mismatch): Fault {
  const place = placeOf(path);
  if (type === "HeaderMismatch" || type === "BodyTypeMismatch") {
    return { expected: "Content-Type: application/json", actual: "another Content-Type" };
  }
  const [, missing] = /missing the following keys: (.+)$/.exec(mismatch) ?? [];
  if (missing !== undefined) {
    const names = missing.split(", ").sort();
    const paths = names.map((name) => (place === "the body" ? name : `${place}.${name}`));
    return {
      expected: "every field that the contract lists",
      actual: `${paths.join(", ")} ${names.length === 1 ? "is" : "are"} missing`,
    };
  }
  if (/Failed to parse/.test(mismatch)) return { expected: "a JSON body", actual: "a body that is not JSON" };
  if (/but was empty/.test(mismatch))
    return { expected: `${place}: at least one entry`, actual: `${place}: received nothing` };
  const [, least] = /minimum size of (\d+)/.exec(mismatch) ?? [];
  if (least !== undefined) {
    return { expected: `${place}: at least ${least} of them`, actual: `${place}: received fewer` };
  }
  const [wanted, came] = [kindOf(parse(expected)), kindOf(parse(actual))];
  return wanted === came
    ? {
        expected: `${place}: the form that the contract lists`,
        actual: `${place}: received ${came} of another form`,
      }
    : { expected: `${place}: ${wanted}`, actual: `${place}: received ${came}` };
}

function placeOf(path: string): string {
  const place = path.replaceAll(/\[\d+\]/g, "[*]").replace(/^\/$/, "$");
  return place.replace(/^\$\.?/, "") || "the body";
}

/** @param value as Pact reports it: JSON in a text */
function parse(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
