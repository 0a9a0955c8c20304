import type { Mismatch } from "./mismatches.ts";

/** What is wrong, as every finding says it. */
export interface Words {
  expected: string;
  actual: string;
  fix: string;
}

/**
 * Describes mismatches without values of the response, which may be personal data. The same mistake gives the same text.
 * @param does what the interaction does: "reads a shift"
 */
export function wordsOf(does: string, mismatches: readonly Mismatch[]): Words {
  const faults = mismatches.map(faultOf);
  const joined = (texts: readonly string[]) => [...new Set(texts)].sort().join("; ");
  const expected = joined(faults.map((fault) => fault.expected));
  const actual = joined(faults.map((fault) => fault.actual));
  return { expected: `${does}: ${expected}`, actual, fix: fixOf(mismatches) };
}

function fixOf([mismatch]: readonly Mismatch[]): string {
  return mismatch?.kind === "status"
    ? `Return status ${statuses(mismatch.wanted)}.`
    : "Send these fields as the contract lists them; the description of the operation shows the whole answer.";
}

const statuses = (wanted: readonly number[]) => [...wanted].sort().join(" or ");

interface Fault {
  expected: string;
  actual: string;
}

function faultOf(mismatch: Mismatch): Fault {
  if (mismatch.kind === "status") {
    return { expected: `status ${statuses(mismatch.wanted)}`, actual: `status ${mismatch.came}` };
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
        actual: `${place}: received ${mismatch.came} of another form`,
      };
    case "another type":
      return {
        expected: `${place}: ${mismatch.wanted}`,
        actual: `${place}: received ${mismatch.came}`,
      };
  }
}
