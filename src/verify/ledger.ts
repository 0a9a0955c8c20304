import { operationsTable } from "../../generated/provider/server.ts";
import { entryOf } from "./codes/codes.ts";
import type { Coverage, Summary, Verification } from "./events.ts";
import {
  type Finding,
  type Found,
  found,
  type Outcome,
  type Passed,
  type Skipped,
  skipped,
} from "./finding.ts";
import { type Group, groups, isChosen } from "./groups.ts";
import type { VerifyOptions } from "./options.ts";
import { curlOf, redact, type Secrets } from "./reproduce.ts";
import type { Run } from "./run.ts";
import type { OperationId } from "./target.ts";

const MOST_REASONS = 3;

export type Ledger = ReturnType<typeof openLedger>;

/** Where the outcomes of one run are counted, put into words, and told of as they come. */
export function openLedger(options: VerifyOptions, seed: number) {
  const { baseUrl, providerId, onEvent = () => undefined } = options;
  const secrets = secretsOf(options);
  const findings = new Map<string, Finding>();
  const passes: (Passed & { group: Group })[] = [];
  const coverage = emptyCoverage();
  const began = performance.now();
  const chosen = groups.filter((each) => isChosen(each, options));
  /** Why checks of the chosen groups were not made. */
  const reasons = new Set<string>();
  let checks = 0;
  let chosenChecks = 0;
  let group: Group = "reachability";

  function keep(outcome: Found | Skipped): void {
    const finding = findingOf(outcome, secrets);
    const key = [finding.code, finding.operation, finding.expected, finding.actual, finding.title].join("\n");
    const known = findings.get(key);
    if (known) {
      known.count += 1;
      return;
    }
    findings.set(key, finding);
    onEvent({ type: "finding", group, finding });
  }

  function count(): void {
    checks += 1;
    onEvent({ type: "check", group });
  }

  function take(outcome: Outcome, { isAside = false }: { isAside?: boolean }): void {
    if (outcome.kind !== "skipped") count();
    if (!isAside) note(outcome);
    if (outcome.kind === "passed") {
      passes.push({ ...outcome, group });
      onEvent({ type: "passed", group, passed: outcome });
    } else keep(outcome);
  }

  function note(outcome: Outcome): void {
    if (!chosen.includes(group)) return;
    // That something optional is not offered was found out by asking for it.
    const isChecked = outcome.kind !== "skipped" || outcome.code === "skipped_not_offered";
    if (isChecked) chosenChecks += 1;
    else reasons.add(outcome.reason);
  }

  /** Reachability and the dialect are there for the others: alone they say nothing of what was chosen. */
  function keepNothingChecked(): void {
    group = chosen[0] ?? "reachability";
    const expected = `at least one check in ${chosen.join(", ") || "a group"}`;
    const why = [...reasons].slice(0, MOST_REASONS).join("; ") || "--only and --skip leave no group";
    keep(found("nothing_checked", { expected, actual: `none: ${why}` }));
  }

  return {
    plan: (changes: readonly OperationId[]) => onEvent({ type: "plan", changes, baseUrl, providerId, seed }),
    begin: (next: Group) => {
      group = next;
      onEvent({ type: "group", group });
    },
    take,
    /** What the judge says of an answer; each answer is a check of its own. */
    found: (outcome: Found) => {
      note(outcome);
      keep(outcome);
    },
    answered: (operation: OperationId, status: string) => {
      count();
      coverage[operation][status] = (coverage[operation][status] ?? 0) + 1;
    },
    restoring: () => onEvent({ type: "restore" }),
    leftOut: (left: Group) => {
      group = left;
      keep(skipped("skipped_by_choice", "provider", `the group ${left}`, "--only or --skip"));
    },
    close: (run: Run): Verification => {
      if (chosenChecks === 0) keepNothingChecked();
      const verification: Verification = {
        summary: summaryOf([...findings.values()], checks, options.failOn ?? "error"),
        ...{ findings: [...findings.values()], passed: passes, forms: run.forms, coverage },
        requests: run.target.count.requests,
        duration: Math.round(performance.now() - began),
        ...{ seed, baseUrl, providerId },
      };
      onEvent({ type: "end", verification });
      return verification;
    },
  };
}

function emptyCoverage(): Record<OperationId, Record<string, number>> & Coverage {
  const entries = operationsTable.map(({ operationId }) => [operationId, {}]);
  return Object.fromEntries(entries);
}

/** Tokens never stand in a report, nor does the number of somebody who may be real. */
function secretsOf({ token, other, fixtures }: VerifyOptions): Secrets {
  const number = fixtures?.knownPersonalNumber;
  return {
    PROVIDER_TOKEN: token,
    ...(other && { OTHER_TOKEN: other.token }),
    ...(number !== undefined && { PERSONAL_NUMBER: number }),
  };
}

export function findingOf(outcome: Found | Skipped, secrets: Secrets): Finding {
  const { severity, title, section, mend } = entryOf(outcome.code);
  const { code, operation } = outcome;
  const common = { code, severity, operation, section, mend, count: 1 };
  if (outcome.kind === "skipped") {
    return { ...common, title: outcome.title, expected: "", actual: outcome.reason, reproduce: "" };
  }
  const reproduce = outcome.exchange ? curlOf(outcome.exchange.sent, secrets) : "";
  const [expected, actual] = [outcome.expected, outcome.actual].map((text) => redact(text, secrets));
  return { ...common, title, expected: expected ?? "", actual: actual ?? "", reproduce };
}

export function summaryOf(
  findings: readonly Finding[],
  checks: number,
  failOn: "error" | "warning",
): Summary {
  const count = (severity: Finding["severity"]) =>
    findings.filter((each) => each.severity === severity).length;
  const [errors, warnings, skips] = [count("error"), count("warning"), count("skipped")];
  const fails = errors > 0 || (failOn === "warning" && warnings > 0);
  return { verdict: fails ? "fails" : "conforms", errors, warnings, skipped: skips, checks };
}
