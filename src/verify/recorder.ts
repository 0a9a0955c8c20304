import { operationsTable } from "../../generated/provider/server.ts";
import { EVERY_ANSWER, openResults, type Suite } from "./check-results.ts";
import { checks } from "./checks/all-checks.ts";
import { type Check, checkOperations } from "./checks/check.ts";
import type { SkipCode } from "./codes/codes.ts";
import type { Coverage, Verification } from "./events.ts";
import { type OperationId, redact, type Secrets } from "./exchange.ts";
import {
  type Finding,
  type Found,
  found,
  type Outcome,
  type Passed,
  type Place,
  type Skipped,
  skipped,
} from "./finding.ts";
import { type Group, groups, isChosen, isRun } from "./groups.ts";
import type { VerifyOptions } from "./options.ts";
import { kitVersion } from "./package-files.ts";
import { causeOf, keyOf, placesOf } from "./root-cause.ts";
import type { Run } from "./run.ts";
import { findingOf, summaryOf, unseenOf } from "./verdict.ts";

const MOST_REASONS = 3;

export type Recorder = ReturnType<typeof createRecorder>;
type Source = Pick<Check, "isAside" | "isByTitle" | "name">;

/** Counts and formats the outcomes of a run, and emits them as events. */
export function createRecorder(options: VerifyOptions, seed: number) {
  const { baseUrl, providerId, onEvent = () => undefined } = options;
  const secrets = secretsOf(options);
  const findings = new Map<string, Finding>();
  const passes: (Passed & { group: Group })[] = [];
  const results = openResults();
  const coverage = emptyCoverage();
  const [began, startedAt] = [performance.now(), new Date().toISOString()];
  const chosen = groups.filter((each) => isChosen(each, options));
  /** Reasons why checks of the chosen groups were not made. */
  const reasons = new Set<string>();
  const isReported = (operation: Place) =>
    options.operations === undefined || options.operations.some((each) => each === operation);
  let chosenChecks = 0;
  let group: Group = "reachability";

  function keep(outcome: Found | Skipped, suite: Suite, name: string): void {
    const finding = findingOf(outcome, secrets);
    const key = keyOf(outcome);
    const known = findings.get(key);
    if (!known) {
      findings.set(key, finding);
      count(results.found(suite, name, finding));
      onEvent({ type: "finding", group, finding });
    } else if (isElsewhere(known, finding.operation) && suite !== "every response") {
      const reason = `found for the provider as a whole: ${known.title}`;
      keep(skipped("skipped_after_failure", finding.operation, name, reason), suite, name);
    }
  }

  /** Counts the finding again, at several operations for the provider as a whole. Returns whether the operation is a new one. */
  function isElsewhere(known: Finding, operation: Place): boolean {
    known.count += 1;
    const places = placesOf(known);
    if (places.includes(operation)) return false;
    // Which one was found first depends on the time of the responses.
    known.places = [...places, operation].toSorted();
    known.operation = "provider";
    return true;
  }

  function count(more: number): void {
    for (let made = 0; made < more; made += 1) onEvent({ type: "check", group });
  }

  function record(outcome: Outcome, source: Source): void {
    if (!isReported(outcome.operation)) return;
    if (!source.isAside) note(outcome);
    const { name = group, isByTitle } = source;
    const check = isByTitle ? (outcome.title ?? name) : name;
    if (outcome.kind === "passed") takePassed(outcome, check);
    else takeFound(outcome, group, check);
  }

  function takePassed(outcome: Passed, check: string): void {
    count(results.made(group, outcome.operation, check, outcome));
    passes.push({ ...outcome, group });
    onEvent({ type: "passed", group, passed: outcome });
  }

  /** Records a finding. A consequence of an earlier finding is recorded as skipped. */
  function takeFound(outcome: Found | Skipped, suite: Suite, check: string): void {
    const cause = outcome.kind === "found" ? causeOf(outcome, findings.values()) : undefined;
    const { operation, title = check } = outcome;
    const reason = `a consequence of another error: ${cause?.title}`;
    const consequence = skipped("skipped_after_failure", operation, title, reason);
    keep(cause ? consequence : outcome, suite, check);
  }

  function note(outcome: Outcome): void {
    if (!chosen.includes(group)) return;
    // A missing optional feature was detected by a request, and counts as checked.
    const isChecked = outcome.kind !== "skipped" || outcome.code === "skipped_not_offered";
    if (isChecked) chosenChecks += 1;
    else reasons.add(outcome.reason);
  }

  /** Records that nothing was checked. Reachability and dialect alone do not check a chosen group. */
  function keepNothingChecked(): void {
    group = chosen[0] ?? "reachability";
    const about = options.operations === undefined ? "" : ` about ${options.operations.join(", ")}`;
    const expected = `at least one check in ${chosen.join(", ") || "a group"}${about}`;
    const why = [...reasons].slice(0, MOST_REASONS).join("; ") || "--only and --skip leave no group";
    keep(found("nothing_checked", { expected, actual: `none: ${why}` }), group, "something is checked");
  }

  /** Records the checks that the run did not reach. */
  function keepUnreached(): void {
    for (const [name, operations] of Object.entries(checkOperations)) {
      const suite = checks.find((check) => check.name === name)?.group;
      if (!suite || !isRun(suite, options)) continue;
      for (const operation of operations.filter(isReported)) {
        if (results.has(suite, operation, name)) continue;
        keep(unreached(operation, name, [...findings.values()], options), suite, name);
      }
    }
  }

  /** @param made number of test candidates that the run created @param candidates of those that stay */
  function close(run: Run, made: number, candidates: number): Verification {
    if (chosenChecks === 0) keepNothingChecked();
    keepUnreached();
    const checks = results.close();
    const { requests, ...limited } = run.target.count;
    const { served, runsLeft, wasCreatedBefore = false } = run.known;
    const unseen = unseenOf(served, made > 0 || wasCreatedBefore, options);
    const summary = summaryOf(checks, options.failOn ?? "error");
    if (summary.verdict === "conforms" && unseen.length > 0) summary.verdict = "incomplete";
    const verification: Verification = {
      summary,
      unseen,
      readOnly: options.readOnly ?? false,
      candidates,
      ...(options.statesUrl === undefined && runsLeft !== undefined && { runsLeft }),
      requests,
      limited,
      findings: [...findings.values()],
      checks,
      passed: passes,
      forms: run.forms,
      coverage,
      duration: Math.round(performance.now() - began),
      seed,
      baseUrl,
      providerId,
      startedAt,
      version: kitVersion(),
      ...(options.command !== undefined && { command: redact(options.command, secrets) }),
    };
    onEvent({ type: "end", verification });
    return verification;
  }

  return {
    plan: (changes: readonly OperationId[]) => onEvent({ type: "plan", changes, baseUrl, providerId, seed }),
    begin: (next: Group) => {
      group = next;
      onEvent({ type: "group", group });
    },
    record,
    found: (outcome: Found | Skipped) => {
      if (!isReported(outcome.operation)) return;
      note(outcome);
      takeFound(outcome, "every response", EVERY_ANSWER);
    },
    answered: (operation: OperationId, status: string) => {
      if (!isReported(operation)) return;
      count(results.made("every response", operation, EVERY_ANSWER));
      coverage[operation][status] = (coverage[operation][status] ?? 0) + 1;
    },
    restoring: () => onEvent({ type: "restore" }),
    skipGroup: (left: Group) => {
      group = left;
      if (options.operations !== undefined) return;
      const title = `the group ${left}`;
      keep(skipped("skipped_by_choice", "provider", title, "--only or --skip"), left, title);
    },
    close,
  };
}

function emptyCoverage(): Record<OperationId, Record<string, number>> & Coverage {
  const entries = operationsTable.map(({ operationId }) => [operationId, {}]);
  return Object.fromEntries(entries);
}

/** Returns the values that reports must mask: tokens, and the personal number of a possibly real person. */
function secretsOf({ token, other, fixtures }: VerifyOptions): Secrets {
  const number = fixtures?.knownPersonalNumber;
  return {
    PROVIDER_TOKEN: token,
    ...(other && { OTHER_TOKEN: other.token }),
    ...(number !== undefined && { PERSONAL_NUMBER: number }),
  };
}

/** Returns the reason why a check has no result for an operation. */
function unreached(
  operation: OperationId,
  name: string,
  findings: readonly Finding[],
  { readOnly = false }: VerifyOptions,
): Skipped {
  const here = findings.filter((each) => placesOf(each).includes(operation));
  const error = here.find(({ severity }) => severity === "error");
  const earlier = here.find((each) => each.severity === "skipped");
  if (error) return skipped("skipped_after_failure", operation, name, `an earlier error: ${error.title}`);
  if (earlier) return skipped(earlier.code as SkipCode, operation, name, earlier.actual);
  if (readOnly) return skipped("skipped_read_only", operation, name, "it would change data");
  return skipped("skipped_not_prepared", operation, name, "required data is missing");
}
