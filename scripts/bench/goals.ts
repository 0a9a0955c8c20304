import type { Figures } from "./section.ts";
import { shown } from "./table.ts";

/** A number that was promised (design, section 9), and the figure that shows it. */
export interface Goal {
  what: string;
  figure: string;
  /** The row that tells more. */
  row: string;
  unit: "" | "ms" | "s";
  at: "least" | "most";
  value: number;
  /** What stands in the way, in case it is missed. */
  limit?: (figures: Figures) => string;
}

const sharedCores =
  (engine: "postgres" | "pglite"): NonNullable<Goal["limit"]> =>
  (figures) => {
    const possible = figures[`acknowledgement.${engine}.possible`];
    const bound =
      possible === undefined ? "" : `: ${shown(possible)} would be reached if no core ever waited`;
    const where = engine === "postgres" ? "on PostgreSQL" : "embedded";
    return `${where}, the price of storing is CPU. Server, database and load share the machine's cores, and what they use for one webhook (see the table) sets the bound${bound}.`;
  };

function whileMuchWaits(engine: "postgres" | "pglite"): Goal[] {
  const where = engine === "postgres" ? "PostgreSQL" : "embedded";
  const goal = (what: string, figure: string, row: string, value: number): Goal => ({
    what: `${what}, ${where}`,
    ...{
      figure: `fairness.${engine}.${figure}`,
      row: `fairness-${engine}-${row}`,
      unit: "ms",
      at: "most",
      value,
    },
  });
  return [
    goal("acknowledgement at 1,000 a second, p99", "open.p99", "open", 50),
    goal("the longest of them", "open.max", "open", 150),
    goal(
      "acknowledgement while 100,000 events of another organisation wait, p99",
      "backlog.p99",
      "100000",
      50,
    ),
    goal("another organisation's job meanwhile, median", "backlog.job", "100000", 500),
    goal("the longest operator's call with 3,000 open jobs", "operator", "creating-a-candidate", 300),
    goal("the longest acknowledgement meanwhile", "operator.longest", "creating-a-candidate", 100),
    {
      what: `events a second with 100,000 waiting, against 2,000, ${where}`,
      ...{
        figure: `fairness.${engine}.backlog.ratio`,
        row: `fairness-${engine}-100000`,
        unit: "",
        at: "least",
        value: 0.9,
      },
    },
  ];
}

export const goals: readonly Goal[] = [
  {
    what: "acknowledgement at 100 connections, p99, PostgreSQL",
    ...{ figure: "acknowledgement.postgres.p99", row: "acknowledgement-postgres-ours" },
    ...{ unit: "ms", at: "most", value: 50 },
  },
  {
    what: "the same, embedded",
    ...{ figure: "acknowledgement.pglite.p99", row: "acknowledgement-pglite-ours" },
    ...{ unit: "ms", at: "most", value: 50 },
  },
  {
    what: "the contract's own bound: the longest of them all, PostgreSQL",
    ...{ figure: "acknowledgement.postgres.max", row: "acknowledgement-postgres-ours" },
    ...{ unit: "ms", at: "most", value: 500 },
  },
  {
    what: "the same, embedded",
    ...{ figure: "acknowledgement.pglite.max", row: "acknowledgement-pglite-ours" },
    ...{ unit: "ms", at: "most", value: 500 },
  },
  {
    what: "durable acknowledgements a second, against Express 5 that stores nothing, PostgreSQL",
    ...{ figure: "acknowledgement.postgres.ratio", row: "acknowledgement-postgres-ours" },
    ...{ unit: "", at: "least", value: 1, limit: sharedCores("postgres") },
  },
  {
    what: "the same, embedded",
    ...{ figure: "acknowledgement.pglite.ratio", row: "acknowledgement-pglite-ours" },
    ...{ unit: "", at: "least", value: 0.9, limit: sharedCores("pglite") },
  },
  {
    what: "webhook to job, idle, median, PostgreSQL",
    ...{ figure: "flow.idle", row: "flow-usual", unit: "ms", at: "most", value: 20 },
  },
  {
    what: "the same, embedded",
    ...{ figure: "flow.embedded.idle", row: "flow-embedded", unit: "ms", at: "most", value: 20 },
  },
  {
    what: "events a second to their jobs, 20 organisations, PostgreSQL",
    ...{ figure: "flow.rate", row: "flow-usual", unit: "", at: "least", value: 1_000 },
  },
  {
    what: "the same, embedded",
    ...{ figure: "flow.embedded.rate", row: "flow-embedded", unit: "", at: "least", value: 500 },
  },
  {
    what: "the same, all of one organisation, PostgreSQL",
    ...{ figure: "flow.one.rate", row: "flow-one", unit: "", at: "least", value: 800 },
  },
  {
    what: "the same, all of one organisation, embedded",
    ...{ figure: "flow.embedded.one.rate", row: "flow-embeddedone", unit: "", at: "least", value: 400 },
  },
  {
    what: "two processes against one",
    ...{ figure: "flow.two-processes.ratio", row: "flow-two-processes", unit: "", at: "least", value: 1 },
  },
  ...(["postgres", "pglite"] as const).flatMap(whileMuchWaits),
  {
    what: "webhook to job, idle: one process against the slowest of one, two and four",
    ...{
      figure: "fairness.processes.ratio",
      row: "fairness-processes-4",
      unit: "",
      at: "least",
      value: 0.83,
    },
  },
  {
    what: "`npm run generate`",
    ...{ figure: "generation.seconds", row: "generation-whole", unit: "s", at: "most", value: 3 },
  },
  {
    what: "the stub with validation, CPU a request against plain Express 5, reading",
    ...{ figure: "runtime.stub.read.cpu", row: "stub-read-stub", unit: "", at: "most", value: 1.2 },
  },
  {
    what: "the same, writing",
    ...{ figure: "runtime.stub.write.cpu", row: "stub-write-stub", unit: "", at: "most", value: 1.2 },
  },
  {
    what: "`shiftpact verify` against the sandbox",
    ...{ figure: "kit.seconds", row: "kit", unit: "s", at: "most", value: 2 },
  },
  {
    what: "the same, 50 ms away",
    ...{ figure: "kit.far.50.seconds", row: "kit-far-50", unit: "s", at: "most", value: 5 },
  },
  {
    what: "the same, 200 ms away",
    ...{ figure: "kit.far.200.seconds", row: "kit-far-200", unit: "s", at: "most", value: 15 },
  },
  {
    what: "start on an existing data folder",
    ...{ figure: "start.seconds", row: "start-later", unit: "s", at: "most", value: 3 },
  },
  {
    what: "packages that `npm install shiftpact` brings",
    ...{ figure: "weight.packages", row: "weight-shiftpact", unit: "", at: "most", value: 15 },
  },
  {
    what: "the same, MB",
    ...{ figure: "weight.mb", row: "weight-shiftpact", unit: "", at: "most", value: 10 },
  },
  {
    what: "`createProviderClient` in a bundle, kB",
    ...{
      figure: "weight.client.kb",
      row: "weight-shiftpact-createProviderClient",
      unit: "",
      at: "most",
      value: 100,
    },
  },
  {
    what: "importing it",
    ...{
      figure: "weight.client.ms",
      row: "weight-shiftpact-createProviderClient",
      unit: "ms",
      at: "most",
      value: 20,
    },
  },
];

export const isReached = ({ at, value }: Goal, measured: number): boolean =>
  at === "least" ? measured >= value : measured <= value;

/** A table of those that were measured, and what stands in the way of those that were missed. */
export function goalsMarkdown(figures: Figures, all: readonly Goal[] = goals): string {
  const measured = all.flatMap((goal) => {
    const figure = figures[goal.figure];
    return figure === undefined ? [] : [{ goal, figure }];
  });
  const rows = measured.map(({ goal, figure }) => {
    const { what, row, unit, at, value } = goal;
    const wanted = `at ${at} ${value} ${unit}`.trim();
    return `| [${what}](#${row}) | ${wanted} | ${shown(figure)} ${unit} | ${verdictOf(goal, figure)} |`;
  });
  const limits = measured.flatMap(({ goal, figure }) =>
    goal.limit === undefined || isReached(goal, figure) ? [] : [goal.limit(figures)],
  );
  return [
    "| what | target | measured | |",
    "| --- | --- | --- | --- |",
    ...rows,
    ...limits.flatMap((limit) => ["", `Missed ${limit}`]),
  ].join("\n");
}

/** How near a missed one is. */
function verdictOf(goal: Goal, figure: number): string {
  if (isReached(goal, figure)) return "reached";
  const part = goal.at === "least" ? figure / goal.value : goal.value / figure;
  return `missed: ${Math.round(part * 100)} % of the way`;
}
