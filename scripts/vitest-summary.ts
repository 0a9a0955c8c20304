import type { Reporter, TestModule, TestSuite } from "vitest/node";

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Prints `N passed, N failed` as the last line of `npm test`. It is written when the process ends, after every other reporter, and
 * also when a file did not load, the global setup threw, or no test ran. Tests that needed a second attempt are named before it.
 */
export default class VitestSummary implements Reporter {
  #counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  #unsteady: string[] = [];

  onInit(): void {
    process.once("exit", (code) => {
      for (const name of this.#unsteady) process.stdout.write(`passed only at the second attempt: ${name}\n`);
      process.stdout.write(`${summaryLine(this.#counts, Number(code))}\n`);
    });
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    this.#counts = countTests(modules);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const unsteady = tests.filter((test) => test.diagnostic()?.flaky);
    this.#unsteady = unsteady.map((test) => `${test.module.relativeModuleId} > ${test.fullName}`);
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
    counts.failed += [module, ...module.children.allSuites()].filter(failedItself).length;
  }
  return counts;
}

function failedItself(task: TestModule | TestSuite): boolean {
  return task.errors().length > 0;
}
