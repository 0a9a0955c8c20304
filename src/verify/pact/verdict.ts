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

/** All of them in one line without values of the answer, which may be personal: two answers with the same mistake give the same line. */
export function lineOf(mismatches: readonly Mismatch[]): string {
  // Pact's own order is another one each time.
  return [...new Set(mismatches.map(withoutValues))].sort().join("; ");
}

function withoutValues(each: Mismatch): string {
  if (each.type === "StatusMismatch") return `status: ${each.mismatch}`;
  const place = (each.path ?? "the answer").replace(/^\/$/, "$").replaceAll(/\[\d+\]/g, "[*]");
  return `${place} ${differenceOf(each)}`;
}

function differenceOf({ mismatch, expected, actual }: Mismatch): string {
  const [, missing] = /missing the following keys: (.+)$/.exec(mismatch) ?? [];
  if (missing !== undefined) return `lacks ${missing.split(", ").sort().join(", ")}`;
  if (/Failed to parse/.test(mismatch)) return "is not JSON";
  if (/but was empty/.test(mismatch)) return "is empty";
  const [wanted, came] = [kindOf(expected), kindOf(actual)];
  return wanted === came ? "has another value or form" : `is ${came}, not ${wanted}`;
}

/** @param value as Pact reports it: JSON in a text */
function kindOf(value: unknown): string {
  const parsed = parse(value);
  if (parsed === null) return "null";
  if (Array.isArray(parsed)) return "an array";
  if (typeof parsed === "object") return "an object";
  return `a ${typeof parsed}`;
}

function parse(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
