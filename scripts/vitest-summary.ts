import { appendFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Prints `N passed, N failed` as the last line of `npm test`. It is written when the process ends, after every other reporter, and
 * also when a file did not load, the global setup threw, or no test ran. Before it stand what failed, with its reason, and the tests
 * that needed a second attempt; the file FAILURES keeps these lines for the end of a run of several commands.
 */
export default class VitestSummary implements Reporter {
  #counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  #named = "";

  onInit(): void {
    process.once("exit", (code) => {
      process.stdout.write(`${this.#named}${summaryLine(this.#counts, Number(code))}\n`);
      if (process.env.FAILURES) appendFileSync(process.env.FAILURES, this.#named);
    });
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    this.#counts = countTests(modules);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const failed = [
      ...tests.filter((test) => test.result().state === "failed"),
      ...modules.flatMap(failedThemselves),
    ];
    const unsteady = tests.filter((test) => test.diagnostic()?.flaky);
    this.#named = [
      ...failed.map((task) => `failed: ${nameOf(task)}: ${reasonOf(task)}\n`),
      ...unsteady.map((test) => `passed only at the second attempt: ${nameOf(test)}\n`),
    ].join("");
    this.#counts.failed += unhandledErrors.length;
  }
}

/** `exitCode` other than 0 with no failed test is a failure outside of the tests: it counts as one. */
export function summaryLine({ passed, failed, skipped }: Counts, exitCode: number): string {
  const line = `${passed} passed, ${exitCode === 0 ? failed : Math.max(failed, 1)} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}

function countTests(modules: ReadonlyArray<TestModule>): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state !== "pending") counts[state] += 1;
    }
    // A file that does not load, or a hook that throws, fails without a test.
    counts.failed += failedThemselves(module).length;
  }
  return counts;
}

function failedThemselves(module: TestModule): (TestModule | TestSuite)[] {
  return [module, ...module.children.allSuites()].filter((task) => task.errors().length > 0);
}

function nameOf(task: TestCase | TestModule | TestSuite): string {
  return task.type === "module"
    ? task.relativeModuleId
    : `${task.module.relativeModuleId} > ${task.fullName}`;
}

/** The first line of the first error. */
function reasonOf(task: TestCase | TestModule | TestSuite): string {
  const errors = task.type === "test" ? task.result().errors : task.errors();
  return errors?.[0]?.message.split("\n", 1)[0] ?? "no error was kept";
}
