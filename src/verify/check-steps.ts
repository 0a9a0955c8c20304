import type { Check } from "./checks/check.ts";
import type { Outcome } from "./finding.ts";
import { groups, isRun } from "./groups.ts";
import type { VerifyOptions } from "./options.ts";
import type { Recorder } from "./recorder.ts";
import { type Emit, runRejectionTests } from "./rejection-tests.ts";
import type { Observer, Run } from "./run.ts";
import type { Step } from "./schedule.ts";
import type { Stop } from "./stop.ts";

/** Returns the checks as steps for the scheduler; all rejection tests form one step. */
export function stepsOf(
  run: Run,
  checks: readonly Check[],
  reportOf: (check: Check) => Report,
  stop: Stop,
): Step[] {
  const checkRunOf = (check: Check): CheckRun => ({ check, report: reportOf(check), stop });
  const rejectionTests = checks.filter((check) => check.rejection).map(checkRunOf);
  const others = checks.filter((check) => !check.rejection).map(checkRunOf);
  return [
    ...others.map(({ check, report }) => ({
      needs: needsOf(check),
      gives: check.gives ?? [],
      holds: () => (typeof check.holds === "function" ? check.holds(run) : (check.holds ?? {})),
      run: async (urgency: number) => {
        await runOnce(run, { check, report, stop }, urgency, (output) => output());
        report.end();
      },
    })),
    ...(rejectionTests.length === 0 ? [] : [rejectionStep(run, rejectionTests)]),
  ];
}

interface CheckRun {
  check: Check;
  report: Report;
  stop: Stop;
}

const needsOf = ({ group, needs }: Check) =>
  group === "reachability" ? needs : (["routing", ...needs] as const);

async function runOnce(
  run: Run,
  { check, report, stop }: CheckRun,
  urgency: number,
  emit: Emit,
): Promise<void> {
  const found: Report["found"] = (each) => emit(() => report.found(each));
  const observed = stop.guard({ ...run, ...run.observedBy({ ...report, found }, urgency) });
  for await (const outcome of stop.through(check.run(observed))) emit(() => report.record(outcome));
}

/** Priority of these requests: the restoration of the shift waits for them. */
const URGENT = 1;

const urgencyOf = ({ check }: CheckRun) => (check.rejection === "first" ? URGENT + 1 : URGENT);

/** The rejection tests hold the shift exclusively. */
function rejectionStep(run: Run, checkRuns: readonly CheckRun[]): Step {
  return {
    needs: [...new Set(checkRuns.flatMap(({ check }) => needsOf(check)))],
    gives: [],
    holds: () => ({ shift: "changes" }),
    run: async () => {
      const [first] = checkRuns;
      const observed = first ? first.stop.guard(run.observedBy(first.report, URGENT)) : run;
      const attempts = checkRuns.map(
        (checkRun) =>
          ({ shared }: Run, emit: Emit) =>
            runOnce({ ...run, ...(shared && { shared }) }, checkRun, urgencyOf(checkRun), emit),
      );
      await runRejectionTests(observed, attempts);
      for (const { report } of checkRuns) report.end();
    },
  };
}

/** The output of one check, passed to the recorder in order. */
export interface Report extends Observer {
  record(outcome: Outcome): void;
  end(): void;
}

/** Returns a report for each check. Checks run concurrently but report in order: two runs produce the same output. */
export function reportsOf(
  checks: readonly Check[],
  options: VerifyOptions,
  recorder: Recorder,
): (check: Check) => Report {
  const entries = groups.flatMap((group) => [group, ...checks.filter((check) => check.group === group)]);
  const turns = turnsOf(entries.length);
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== "string") continue;
    turns[index]?.emit(() => (isRun(entry, options) ? recorder.begin(entry) : recorder.skipGroup(entry)));
    turns[index]?.end();
  }
  return (check) => {
    const turn = turns[entries.indexOf(check)];
    return {
      found: (found) => turn?.emit(() => recorder.found(found)),
      answered: (operation, status) => turn?.emit(() => recorder.answered(operation, status)),
      record: (outcome) => turn?.emit(() => recorder.record(outcome, check)),
      end: () => turn?.end(),
    };
  };
}

/** One of several concurrent sources. A source emits once all sources before it have ended. */
export interface Turn {
  emit(output: () => void): void;
  end(): void;
}

export function turnsOf(count: number): readonly Turn[] {
  const held: (() => void)[][] = Array.from({ length: count }, () => []);
  const ended: boolean[] = Array.from({ length: count }, () => false);
  let current = 0;

  function emitReady(): void {
    while (current < count) {
      for (const output of held[current]?.splice(0) ?? []) output();
      if (!ended[current]) return;
      current += 1;
    }
  }

  return held.map((queue, index) => ({
    emit: (output) => {
      queue.push(output);
      if (index === current) emitReady();
    },
    end: () => {
      ended[index] = true;
      if (index === current) emitReady();
    },
  }));
}
