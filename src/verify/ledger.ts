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
import type { Group, VerifyOptions } from "./options.ts";
import { curlOf, redact, type Secrets } from "./reproduce.ts";
import type { Run } from "./run.ts";
import type { OperationId } from "./target.ts";

/** Where the outcomes of one run are counted, put into words, and told of as they come. */
export function openLedger(options: VerifyOptions, seed: number) {
  const { baseUrl, providerId, onEvent = () => undefined } = options;
  const secrets = secretsOf(options);
  const findings = new Map<string, Finding>();
  const passes: (Passed & { group: Group })[] = [];
  const coverage = emptyCoverage();
  const began = performance.now();
  let checks = 0;
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

  function take(outcome: Outcome): void {
    if (outcome.kind !== "skipped") count();
    if (outcome.kind === "passed") {
      passes.push({ ...outcome, group });
      onEvent({ type: "passed", group, passed: outcome });
    } else keep(outcome);
  }

  return {
    plan: (changes: readonly OperationId[]) => onEvent({ type: "plan", changes, baseUrl, providerId, seed }),
    begin: (next: Group) => {
      group = next;
      onEvent({ type: "group", group });
    },
    take,
    /** What the judge says of an answer; each answer is a check of its own. */
    found: keep,
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
      if (checks === 0) take(found("nothing_checked", { expected: "at least one check", actual: "none" }));
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
