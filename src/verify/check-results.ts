import type { Finding, Passed, Place } from "./finding.ts";
import type { Group } from "./groups.ts";

export type Suite = Group | "every response";

/** The result of one check of one operation: the unit that every report counts. */
export interface CheckResult {
  suite: Suite;
  operation: Place;
  /** Independent of the outcome, and the same in every run. */
  name: string;
  outcome: "passed" | Finding["severity"];
  titles: readonly string[];
  /** Undefined if nothing was found. */
  finding?: Finding;
}

interface Entry extends Pick<CheckResult, "suite" | "operation" | "name"> {
  titles: Set<string>;
  isMade: boolean;
  findings: Finding[];
}

export const EVERY_ANSWER = "every response follows the contract";

export function openResults() {
  const entries = new Map<string, Entry>();

  function entryOf(suite: Suite, operation: Place, name: string): Entry {
    const key = [suite, operation, name].join("\n");
    const empty = { titles: new Set<string>(), isMade: false, findings: [] };
    const entry = entries.get(key) ?? { suite, operation, name, ...empty };
    entries.set(key, entry);
    return entry;
  }

  return {
    has: (suite: Suite, operation: Place, name: string) => entries.has([suite, operation, name].join("\n")),
    /** Returns the number of checks that were added. */
    made: (suite: Suite, operation: Place, name: string, passed?: Passed): number => {
      const entry = entryOf(suite, operation, name);
      const before = madeOf(entry);
      entry.isMade = true;
      if (passed) entry.titles.add(passed.title);
      return madeOf(entry) - before;
    },
    found: (suite: Suite, name: string, finding: Finding): number => {
      const entry = entryOf(suite, finding.operation, name);
      const before = madeOf(entry);
      entry.findings.push(finding);
      return madeOf(entry) - before;
    },
    close: (): CheckResult[] => [...entries.values()].flatMap(resultsOf),
  };
}

const isWrong = ({ severity }: Finding) => severity !== "skipped";
const madeOf = ({ isMade, findings }: Entry) => Math.max(findings.filter(isWrong).length, isMade ? 1 : 0);

/** Returns one result for each finding. The worst one has the name of the check, unless a part of the check passed. */
function resultsOf({ suite, operation, name, titles, isMade, findings }: Entry): CheckResult[] {
  const worst = ["error", "warning", "skipped"] as const;
  const sorted = worst.flatMap((severity) => findings.filter((each) => each.severity === severity));
  const common = { suite, operation, titles: [...titles] };
  const isPartly = isMade && !sorted.some(isWrong);
  const own: CheckResult[] = isPartly ? [{ ...common, name, outcome: "passed" }] : [];
  const used = new Set<string>();
  const results = sorted.map((finding, index): CheckResult => {
    const isFirst = index === 0 && !isPartly;
    const further = `${name}: ${finding.severity === "skipped" ? finding.title : finding.expected}`;
    return { ...common, name: isFirst ? name : unique(further, used), outcome: finding.severity, finding };
  });
  return [...own, ...results];
}

function unique(name: string, used: Set<string>): string {
  let text = name;
  for (let turn = 2; used.has(text); turn += 1) text = `${name} (${turn})`;
  used.add(text);
  return text;
}
