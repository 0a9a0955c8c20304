import type { Mismatch } from "./mismatches.ts";

/** The texts of a finding. */
export interface MismatchTexts {
  expected: string;
  actual: string;
  fix: string;
}

/**
 * Describes mismatches without values of the response, which may be personal data. Equal mismatches give equal texts.
 * @param does the action of the interaction: "reads a shift"
 */
export function mismatchTexts(does: string, mismatches: readonly Mismatch[]): MismatchTexts {
  const faults = mismatches.map(faultOf);
  const joined = (texts: readonly string[]) => [...new Set(texts)].sort().join("; ");
  const expected = joined(faults.map((fault) => fault.expected));
  const actual = joined(faults.map((fault) => fault.actual));
  return { expected: `${does}: ${expected}`, actual, fix: fixOf(mismatches) };
}

function fixOf([mismatch]: readonly Mismatch[]): string {
  return mismatch?.kind === "status"
    ? `Return status ${statuses(mismatch.wanted)}.`
    : "Send these fields as the contract lists them; the description of the operation shows the whole response.";
}

const statuses = (wanted: readonly number[]) => [...wanted].sort().join(" or ");

interface Fault {
  expected: string;
  actual: string;
}

function faultOf(mismatch: Mismatch): Fault {
  if (mismatch.kind === "status") {
    return { expected: `status ${statuses(mismatch.wanted)}`, actual: `status ${mismatch.received}` };
  }
  if (mismatch.kind === "no JSON") return { expected: "a JSON body", actual: "a body that is not JSON" };
  const place = mismatch.place.replace(/^\$\.?/, "") || "the body";
  switch (mismatch.kind) {
    case "missing": {
      const names = mismatch.names.map((name) => (place === "the body" ? name : `${place}.${name}`)).sort();
      return {
        expected: "every field that the contract lists",
        actual: `${names.join(", ")} ${names.length === 1 ? "is" : "are"} missing`,
      };
    }
    case "too few":
      return { expected: `${place}: at least ${mismatch.least} of them`, actual: `${place}: received fewer` };
    case "another form":
      return {
        expected: `${place}: the form that the contract lists`,
        actual: `${place}: received ${mismatch.received} in another form`,
      };
    case "another type":
      return { expected: `${place}: ${mismatch.wanted}`, actual: `${place}: received ${mismatch.received}` };
  }
}
