import type { Figures } from "./section.ts";
import { shown } from "./table.ts";

/** A target for one figure. */
export interface Goal {
  what: string;
  figure: string;
  /** The row with the details. */
  row: string;
  unit: "" | "ms" | "s";
  at: "least" | "most";
  value: number;
  /** Explains what prevents the target, if it is missed. */
  limit?: (figures: Figures) => string;
}

type Engine = "postgres" | "pglite";
const ENGINES = { postgres: "PostgreSQL", pglite: "embedded" } as const;

const atMost = (value: number, unit: Goal["unit"], figure: string, row: string, what: string): Goal => ({
  ...{ what, figure, row, unit, at: "most", value },
});

const atLeast = (value: number, figure: string, row: string, what: string): Goal => ({
  ...{ what, figure, row, unit: "", at: "least", value },
});

const sharedCores =
  (engine: Engine): NonNullable<Goal["limit"]> =>
  (figures) => {
    const possible = figures[`acknowledgement.${engine}.possible`];
    const bound = possible === undefined ? "" : `: ${shown(possible)} if no core ever waited`;
    const where = engine === "postgres" ? "on PostgreSQL" : "embedded";
    return `${where}: storing costs CPU. Server, database and load share the cores of the machine, and their CPU time for one webhook (see the table) sets the bound${bound}.`;
  };

function acknowledgementGoals(engine: Engine, leastRatio: number): Goal[] {
  const [figure, row, where] = [
    `acknowledgement.${engine}`,
    `acknowledgement-${engine}-shiftpact`,
    ENGINES[engine],
  ];
  return [
    atMost(50, "ms", `${figure}.p99`, row, `acknowledgement at 100 connections, p99, ${where}`),
    atMost(500, "ms", `${figure}.max`, row, `the longest acknowledgement (the contract's bound), ${where}`),
    {
      ...atLeast(
        leastRatio,
        `${figure}.ratio`,
        row,
        `durable acknowledgements a second, against Express 5 that stores nothing, ${where}`,
      ),
      limit: sharedCores(engine),
    },
  ];
}

function fairnessGoals(engine: Engine): Goal[] {
  const [figure, row, where] = [`fairness.${engine}`, `fairness-${engine}`, ENGINES[engine]];
  const [backlog, operator] = [`${row}-100000`, `${row}-creating-a-candidate`];
  return [
    atMost(50, "ms", `${figure}.open.p99`, `${row}-open`, `acknowledgement at 1,000 a second, p99, ${where}`),
    atMost(150, "ms", `${figure}.open.max`, `${row}-open`, `the longest of them, ${where}`),
    atMost(
      50,
      "ms",
      `${figure}.backlog.p99`,
      backlog,
      `acknowledgement while 100,000 events of another organisation wait, p99, ${where}`,
    ),
    atMost(
      500,
      "ms",
      `${figure}.backlog.job`,
      backlog,
      `the job of another organisation meanwhile, median, ${where}`,
    ),
    atMost(
      300,
      "ms",
      `${figure}.operator`,
      operator,
      `the longest call of an operator with 3,000 open jobs, ${where}`,
    ),
    atMost(
      100,
      "ms",
      `${figure}.operator.longest`,
      operator,
      `the longest acknowledgement meanwhile, ${where}`,
    ),
    atLeast(
      0.9,
      `${figure}.backlog.ratio`,
      backlog,
      `events a second with 100,000 waiting, against 2,000, ${where}`,
    ),
  ];
}

const CLIENT = "weight-shiftpact-createProviderClient";

export const goals: readonly Goal[] = [
  ...acknowledgementGoals("postgres", 1),
  ...acknowledgementGoals("pglite", 0.9),
  atMost(20, "ms", "flow.idle", "flow-usual", "webhook to job, idle, median, PostgreSQL"),
  atMost(20, "ms", "flow.embedded.idle", "flow-embedded", "webhook to job, idle, median, embedded"),
  atLeast(1_000, "flow.rate", "flow-usual", "events a second to their jobs, 20 organisations, PostgreSQL"),
  atLeast(
    500,
    "flow.embedded.rate",
    "flow-embedded",
    "events a second to their jobs, 20 organisations, embedded",
  ),
  atLeast(800, "flow.one.rate", "flow-one", "events a second to their jobs, one organisation, PostgreSQL"),
  atLeast(
    400,
    "flow.embedded.one.rate",
    "flow-embeddedone",
    "events a second to their jobs, one organisation, embedded",
  ),
  atLeast(1, "flow.two-processes.ratio", "flow-two-processes", "two processes against one"),
  ...fairnessGoals("postgres"),
  ...fairnessGoals("pglite"),
  atLeast(
    ...([0.83, "fairness.processes.ratio", "fairness-processes-4"] as const),
    "webhook to job, idle: one process against the slowest of one, two and four",
  ),
  atMost(3, "s", "generation.seconds", "generation-whole", "`npm run generate`"),
  atMost(
    1.2,
    "",
    "runtime.stub.read.cpu",
    "stub-read-stub",
    "CPU of a request to the validating stub against plain Express 5, reading",
  ),
  atMost(
    1.2,
    "",
    "runtime.stub.write.cpu",
    "stub-write-stub",
    "CPU of a request to the validating stub against plain Express 5, writing",
  ),
  atMost(2, "s", "kit.seconds", "kit", "`shiftpact verify` against the sandbox"),
  atMost(5, "s", "kit.far.50.seconds", "kit-far-50", "`shiftpact verify` with a latency of 50 ms"),
  atMost(15, "s", "kit.far.200.seconds", "kit-far-200", "`shiftpact verify` with a latency of 200 ms"),
  atMost(3, "s", "start.seconds", "start-later", "start on an existing data folder"),
  atMost(15, "", "weight.packages", "weight-shiftpact", "packages that an installation of shiftpact has"),
  atMost(10, "", "weight.mb", "weight-shiftpact", "MB that an installation of shiftpact has"),
  atMost(100, "", "weight.client.kb", CLIENT, "`createProviderClient` in a bundle, kB"),
  atMost(20, "ms", "weight.client.ms", CLIENT, "importing `createProviderClient`"),
];

export const isReached = ({ at, value }: Goal, measured: number): boolean =>
  at === "least" ? measured >= value : measured <= value;

/** Returns a table of the measured goals, and the limits of the missed ones. */
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
    ...limits.flatMap((limit) => ["", `Durable acknowledgements ${limit}`]),
  ].join("\n");
}

function verdictOf(goal: Goal, figure: number): string {
  if (isReached(goal, figure)) return "reached";
  const part = goal.at === "least" ? figure / goal.value : goal.value / figure;
  return `missed: ${Math.round(part * 100)} % of the target`;
}
