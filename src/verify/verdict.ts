import type { Summary } from "./events.ts";
import type { Finding, Outcome, Passed } from "./finding.ts";
import { findingOf, summaryOf } from "./ledger.ts";
import type { Secrets } from "./reproduce.ts";

/** What came of a run that talks to no provider: `listen` and `compare`. */
export interface Verdict {
  summary: Summary;
  /** Each once, in the order in which they were seen. */
  findings: readonly Finding[];
  passed: readonly Passed[];
}

/** @param secrets never shown, by the variable that stands for each. */
export function verdictOf(outcomes: readonly Outcome[], secrets: Secrets = {}): Verdict {
  const findings = new Map<string, Finding>();
  for (const outcome of outcomes) {
    if (outcome.kind === "passed") continue;
    const finding = findingOf(outcome, secrets);
    const key = [finding.code, finding.operation, finding.title, finding.expected, finding.actual].join("\n");
    const known = findings.get(key);
    if (known) known.count += 1;
    else findings.set(key, finding);
  }
  const distinct = [...findings.values()];
  const passed = outcomes.filter((outcome) => outcome.kind === "passed");
  const results = [
    ...passed.map(() => ({ outcome: "passed" }) as const),
    ...distinct.map(({ severity }) => ({ outcome: severity })),
  ];
  return { summary: summaryOf(results, "error"), findings: distinct, passed };
}
