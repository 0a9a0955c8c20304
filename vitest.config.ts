import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

// Databases of tests live in memory where that is possible: their syncs cost half of the system's time otherwise.
if (existsSync("/dev/shm")) process.env.TMPDIR ??= "/dev/shm";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    pool: "forks",
    // Importing a module does nothing, so test files may share a process: it saves a quarter of the time.
    isolate: false,
    // One more than the cores it is made for: many tests wait for child processes and for time limits.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ["default", "./scripts/vitest-summary.ts"],
  },
});
