import type { Check } from "./checks/check.ts";
import type { Found } from "./finding.ts";
import type { Report } from "./ordered-results.ts";
import { type Emit, runRejectionTests } from "./rejection-tests.ts";
import type { Run } from "./run.ts";
import type { Step } from "./schedule.ts";
import type { Stop } from "./stop.ts";

/** Returns the checks as steps for the scheduler; all rejection tests form one step. */
export function stepsOf(
  run: Run,
  checks: readonly Check[],
  reportOf: (check: Check) => Report,
  stop: Stop,
): Step[] {
  const attemptOf = (check: Check): Attempt => ({ check, report: reportOf(check), stop });
  const tries = checks.filter((check) => check.tries).map(attemptOf);
  const others = checks.filter((check) => !check.tries).map(attemptOf);
  return [
    ...others.map(({ check, report }) => ({
      needs: needsOf(check),
      gives: check.gives ?? [],
      holds: () => (typeof check.holds === "function" ? check.holds(run) : (check.holds ?? {})),
      run: (urgency: number) => conclude(run, { check, report, stop }, urgency),
    })),
    ...(tries.length === 0 ? [] : [triesOf(run, tries)]),
  ];
}

interface Attempt {
  check: Check;
  report: Report;
  stop: Stop;
}

const needsOf = ({ group, needs }: Check) =>
  group === "reachability" ? needs : (["routing", ...needs] as const);

async function conclude(run: Run, attempt: Attempt, urgency: number): Promise<void> {
  await attemptOnce(run, attempt, urgency, (what) => what());
  attempt.report.end();
}

async function attemptOnce(
  run: Run,
  { check, report, stop }: Attempt,
  urgency: number,
  emit: Emit,
): Promise<void> {
  const found = (each: Found) => emit(() => report.found(each));
  const observed = stop.guard({ ...run, ...run.observedBy({ ...report, found }, urgency) });
  for await (const outcome of stop.through(check.run(observed))) emit(() => report.record(outcome));
}

/** Priority of these requests: the restoration of the shift waits for them. */
const URGENT = 1;

const urgencyOf = ({ check }: Attempt) => (check.tries === "first" ? URGENT + 1 : URGENT);

/** The rejection tests hold the shift exclusively. */
function triesOf(run: Run, attempts: readonly Attempt[]): Step {
  return {
    needs: [...new Set(attempts.flatMap(({ check }) => needsOf(check)))],
    gives: [],
    holds: () => ({ shift: "changes" }),
    run: async () => {
      const [first] = attempts;
      const observed = first ? first.stop.guard(run.observedBy(first.report, URGENT)) : run;
      const tries = attempts.map((attempt) => ({
        attempt: ({ shared }: Run, emit: Emit) =>
          attemptOnce({ ...run, ...(shared && { shared }) }, attempt, urgencyOf(attempt), emit),
      }));
      await runRejectionTests(observed, tries);
      for (const { report } of attempts) report.end();
    },
  };
}
