import { relative, sep } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that start processes, or wait for time to pass; a folder stands for all of its files. Longest first. */
const LONG = [
  // Counts in a process that has loaded nothing else: in one that has, it takes ten times as long.
  "test/generate/linear-steps.test.ts",
  "test/platform/lifecycle.test.ts",
  "test/sandbox/contracts.test.ts",
  "test/chaos/",
  "test/cli/",
  "test/flows/",
  "test/scripts/vitest-summary.test.ts",
  "test/browser/",
  "test/verify/",
  "test/platform/db/",
];

/**
 * The longest files first, so that none of them is alone at the end while the other workers have nothing left to do. Vitest's own
 * order goes by the last run's durations, which a fresh clone does not have; without them by size, which says little here. The rest
 * keeps that order.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = (file: TestSpecification) => rank(relative(file.project.config.root, file.moduleId));
    return sorted
      .map((file) => ({ file, rank: rankOf(file) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ file }) => file);
  }
}

function rank(path: string): number {
  const found = LONG.findIndex((start) => path.split(sep).join("/").startsWith(start));
  return found === -1 ? LONG.length : found;
}
