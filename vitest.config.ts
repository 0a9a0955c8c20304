import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";

// Databases of tests live in memory where that is possible: their syncs cost half of the system's time otherwise.
if (existsSync("/dev/shm")) process.env.TMPDIR ??= "/dev/shm";
// Tests start some fifty processes, which load the same modules: they are compiled once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/compiled");

/**
 * Packing and installing the package; the console in a browser; the kit against every fault and every dialect, and a stranger's provider;
 * what starts a tool of others many times; 2,000 events through two processes; a pooler before the database; the version before
 * beside this one.
 */
const PROOFS = [
  "test/package/**",
  "test/liberties/**",
  "test/scripts/docs/**",
  "test/scripts/{contract-diff,publish-contracts}.test.ts",
  "test/browser/**",
  "test/verify/{faults,dialects,independent,repeated}.test.ts",
  "test/examples/first-ten-minutes.test.ts",
  "test/verify/checks/contracts.test.ts",
  "test/verify/replay-agrees.test.ts",
  "test/flows/two-processes.test.ts",
  "test/chaos/{backup,pair}.test.ts",
  "test/{deploy,pooler,upgrade}/**",
  "test/{vitest-summary,lint-specs,cli/verify-stop}.test.ts",
];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Each takes half a minute of a core or more, and has a command of its own, which .ci/run calls too (README, "Develop").
    exclude: process.env.PROOFS === undefined ? PROOFS : [],
    globalSetup: ["test/global-setup.ts"],
    pool: "forks",
    // Importing a module does nothing, so test files may share a process: it saves a quarter of the time.
    isolate: false,
    // To optimise the embedded database's code takes longer than a test does. npm start and chaos run as in operation.
    execArgv: ["--liftoff-only"],
    // Twice the cores it is made for: many tests wait for child processes and for time limits.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // They end what hangs. What is only slow, on a machine that is busy, must not fail.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
    reporters: ["default", "./scripts/vitest-summary.ts"],
  },
});
