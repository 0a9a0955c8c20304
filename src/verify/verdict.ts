import type { CheckResult } from "./check-results.ts";
import { entryOf } from "./codes/codes.ts";
import type { Summary } from "./events.ts";
import { curlOf, type OperationId, redact, type Secrets } from "./exchange.ts";
import type { Finding, Found, Outcome, Passed, Skipped } from "./finding.ts";
import { type Group, isChosen } from "./groups.ts";
import type { VerifyOptions } from "./options.ts";
import { fixOfRefusal } from "./refusal-advice.ts";
import { keyOf } from "./root-cause.ts";

/** The result of a run without a provider: `listen` and `compare`. */
export interface Verdict {
  summary: Summary;
  /** Distinct findings, in order of occurrence. */
  findings: readonly Finding[];
  passed: readonly Passed[];
}

/** Returns the verdict of the outcomes. @param secrets values to mask, by the variable that replaces each */
export function verdictOf(outcomes: readonly Outcome[], secrets: Secrets = {}): Verdict {
  const findings = new Map<string, Finding>();
  for (const outcome of outcomes) {
    if (outcome.kind === "passed") continue;
    const finding = findingOf(outcome, secrets);
    const key = `${outcome.operation}\n${keyOf(outcome)}`;
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

/** Returns the finding that reports show. Members that scripts read come first. */
export function findingOf(outcome: Found | Skipped, secrets: Secrets): Finding {
  const { severity, title, section, fix } = entryOf(outcome.code);
  const { code, operation } = outcome;
  if (outcome.kind === "skipped") {
    const texts = { title: outcome.title, expected: "", actual: outcome.reason };
    return { code, severity, operation, ...texts, section, reproduce: "", fix, count: 1 };
  }
  return {
    code,
    severity,
    operation,
    title,
    expected: redact(outcome.expected, secrets),
    actual: redact(outcome.actual, secrets),
    section,
    reproduce: outcome.exchange ? curlOf(outcome.exchange.sent, secrets) : "",
    fix: redact(outcome.fix ?? fixOfRefusal(outcome) ?? fix, secrets),
    count: 1,
  };
}

export function summaryOf(
  checks: readonly Pick<CheckResult, "outcome">[],
  failOn: "error" | "warning",
): Summary {
  const count = (outcome: CheckResult["outcome"]) => checks.filter((each) => each.outcome === outcome).length;
  const [errors, warnings, skips] = [count("error"), count("warning"), count("skipped")];
  const fails = errors > 0 || (failOn === "warning" && warnings > 0);
  return {
    verdict: fails ? "fails" : "conforms",
    errors,
    warnings,
    skipped: skips,
    checks: checks.length - skips,
  };
}

/** Required operations (contract 4.2), by the group that calls them validly. One operation of each list is enough. */
const REQUIRED: Partial<Record<Group, readonly (readonly OperationId[])[]>> = {
  answers: [["listOutlets"], ["listRoles"], ["getShift"]],
  meaning: [
    ...([["findCandidates"], ["createCandidate"], ["updateShift"], ["assignCandidate"]] as const),
    ["unassignCandidate", "deleteAssignment"],
  ],
  cancellation: [["cancelShift"]],
};

/** Returns required operations that never succeeded, of the chosen groups and operations. */
export function unseenOf(
  served: ReadonlySet<OperationId>,
  hasCreated: boolean,
  options: VerifyOptions,
): OperationId[] {
  const { operations } = options;
  // A candidate of the provider's own does not show that a creation works.
  const isSeen = (each: OperationId) => served.has(each) && (each !== "createCandidate" || hasCreated);
  return Object.entries(REQUIRED)
    .filter(([group]) => isChosen(group as Group, options))
    .flatMap(([, required]) => required)
    .filter((forms) => !forms.some(isSeen))
    .map((forms) => forms.filter((each) => operations?.includes(each) ?? true))
    .flatMap(([first]) => first ?? []);
}
