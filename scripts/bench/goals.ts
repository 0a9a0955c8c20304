import { type Figures, shown } from "./table.ts";

/** A target for one figure. */
export interface Goal {
  what: string;
  figure: string;
  /** The row with the details. */
  row: string;
  unit: "" | "ms" | "s";
  at: "least" | "most";
  value: number;
}

type Engine = "postgres" | "pglite";
const ENGINES = { postgres: "PostgreSQL", pglite: "embedded" } as const;

const atMost = (value: number, unit: Goal["unit"], figure: string, row: string, what: string): Goal => ({
  what,
  figure,
  row,
  unit,
  at: "most",
  value,
});

const atLeast = (value: number, figure: string, row: string, what: string): Goal => ({
  what,
  figure,
  row,
  unit: "",
  at: "least",
  value,
});

function acknowledgementGoals(engine: Engine, leastRatio: number): Goal[] {
  const [figure, row, where] = [
    `acknowledgement.${engine}`,
    `acknowledgement-${engine}-shiftpact`,
    ENGINES[engine],
  ];
  return [
    atMost(50, "ms", `${figure}.p99`, row, `acknowledgement at 100 connections, p99, ${where}`),
    atMost(500, "ms", `${figure}.max`, row, `the longest acknowledgement (the contract's bound), ${where}`),
    atLeast(
      leastRatio,
      `${figure}.ratio`,
      row,
      `durable acknowledgements a second, against Express 5 that stores nothing, ${where}`,
    ),
  ];
}

function fairnessGoals(engine: Engine): Goal[] {
  const [figure, row, where] = [`fairness.${engine}`, `fairness-${engine}`, ENGINES[engine]];
  const backlog = `${row}-100000`;
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
    atLeast(
      0.9,
      `${figure}.backlog.ratio`,
      backlog,
      `events a second with 100,000 waiting, against 2,000, ${where}`,
    ),
  ];
}

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
  atMost(
    3,
    "ms",
    "organisations.claim.busy",
    "organisations-many",
    "a claim with 5,000 organisations, 100 busy",
  ),
  atMost(1, "ms", "organisations.claim.idle", "organisations-many", "the same, idle"),
  atMost(
    1.1,
    "",
    "organisations.cpu",
    "organisations-many",
    "CPU of an event with them, against 20 organisations",
  ),
  atMost(
    1.2,
    "",
    "stub.read.cpu",
    "stub-read-stub",
    "CPU of a request to the validating stub against plain Express 5, reading",
  ),
  atMost(
    1.2,
    "",
    "stub.write.cpu",
    "stub-write-stub",
    "CPU of a request to the validating stub against plain Express 5, writing",
  ),
  atMost(2, "s", "kit.seconds", "kit", "`shiftpact verify` against the sandbox"),
  atMost(5, "s", "kit.far.50.seconds", "kit-far-50", "`shiftpact verify` with a latency of 50 ms"),
  atMost(15, "s", "kit.far.200.seconds", "kit-far-200", "`shiftpact verify` with a latency of 200 ms"),
];

export const isReached = ({ at, value }: Goal, measured: number): boolean =>
  at === "least" ? measured >= value : measured <= value;

/** Returns a table of the measured goals. */
export function goalsMarkdown(figures: Figures, all: readonly Goal[] = goals): string {
  const rows = all.flatMap((goal) => {
    const figure = figures[goal.figure];
    if (figure === undefined) return [];
    const { what, row, unit, at, value } = goal;
    const wanted = `at ${at} ${value} ${unit}`.trim();
    return [`| [${what}](#${row}) | ${wanted} | ${shown(figure)} ${unit} | ${verdictOf(goal, figure)} |`];
  });
  return ["| what | target | measured | |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function verdictOf(goal: Goal, figure: number): string {
  if (isReached(goal, figure)) return "reached";
  const part = goal.at === "least" ? figure / goal.value : goal.value / figure;
  return `missed: ${Math.round(part * 100)} % of the target`;
}
