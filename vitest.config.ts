import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/harness/longest-first.ts";

// Databases of tests live in memory where that is possible: their syncs cost half of the system's time otherwise.
if (existsSync("/dev/shm")) process.env.TMPDIR ??= "/dev/shm";
// Tests start some fifty processes, which load the same modules: they are compiled once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/compiled");

/**
 * What takes long: packing and installing the package; the console in a browser; the kit against every fault and dialect, and a stranger's
 * provider; what starts the tools of others; whole platforms beside an independent provider, killed, restored, behind proxies and
 * poolers; generated requests; outages of databases, mail servers and providers; thousands of rows;
 * the steps of every validator, counted; the worst requests of all kinds to every route.
 */
const PROOFS = [
  "test/package/**/*.test.ts",
  "test/scripts/docs/**/*.test.ts",
  "test/scripts/{contract-diff,lint-specs,publish-contracts,vitest-summary}.test.ts",
  "test/harness/embedded-postgres.test.ts",
  "test/browser/**/*.test.ts",
  "test/verify/{faults,dialects,independent,one-cause,one-verdict,repeated}.test.ts",
  "test/verify/checks/contracts.test.ts",
  "test/verify/replay-agrees.test.ts",
  "test/generate/documents.test.ts",
  "test/generate/{linear-steps,worst-bodies}.test.ts",
  "test/examples/{first-ten-minutes,php}.test.ts",
  "test/flows/**/*.test.ts",
  "test/chaos/{backup,chaos,place,power-cut}.test.ts",
  "test/platform/access/unknown-callers.test.ts",
  "test/platform/{lifecycle,logs-of-a-hire,main,stream,stream-events}.test.ts",
  "test/platform/{backlog,backup,upkeep,verification}/**/*.test.ts",
  "test/platform/db/{migrate,pglite,readiness,silence}.test.ts",
  "test/platform/http/{generated-input,listeners,store-down}.test.ts",
  "test/platform/shifts/provider-down.test.ts",
  "test/platform/integrations/{circuit,offboard,registry-people,registry-size}.test.ts",
  "test/platform/notifications/{email,many-offers,outage,resend}.test.ts",
  "test/{deploy,pooler}/**/*.test.ts",
  "test/cli/{backup,compare,demo,migrate,node-version,start,verify-stop}.test.ts",
];
/** Does more as a proof. */
const BOTH = ["test/sandbox/contracts.test.ts", "test/scripts/{contract-diff-sound,simulate-twin}.test.ts"];
const ALL = ["test/**/*.test.ts"];

/** `npm test` leaves the proofs out; PROOFS=1 selects them (the guide for contributors), PROOFS=all everything. */
function selected(proofs = process.env.PROOFS) {
  if (proofs === undefined) return { include: ALL, exclude: PROOFS };
  return { include: proofs === "all" ? ALL : [...PROOFS, ...BOTH], exclude: [] };
}

export default defineConfig({
  test: {
    ...selected(),
    globalSetup: ["test/harness/global-setup.ts"],
    setupFiles: ["test/harness/setup-statements.ts"],
    pool: "forks",
    // Importing a module does nothing, so test files may share a process: it saves a quarter of the time.
    isolate: false,
    // To optimise the embedded database's code takes longer than a test does. npm start and chaos run as in operation.
    // The default nursery is small for the garbage of a test run.
    execArgv: ["--liftoff-only", "--max-semi-space-size=32"],
    // One more than the cores it is made for.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // The only limits of tests: they end what hangs. What is only slow, on a machine that is busy or five times as slow, must not fail.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
    // On a machine of its own, a test that depends on its timing is reported by name, and hides nothing that comes after it.
    retry: Number(process.env.RETRY ?? 0),
    reporters: ["default", "./scripts/vitest-summary.ts"],
  },
});
