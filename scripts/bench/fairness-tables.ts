import type { Figures } from "./section.ts";
import { quantile } from "./statistics.ts";
import { type Row, shown, type Table } from "./table.ts";

export type Engine = "postgres" | "pglite";
export const ENGINES = { postgres: "PostgreSQL", pglite: "embedded" } as const;
export const OFFERED = 1_000;

export interface Measured {
  engine: Engine;
  open: number[];
  few: Backlog;
  many: Backlog;
}

export interface Backlog {
  waiting: number;
  /** Events a second of the organisation with the backlog. */
  rate: number;
  /** Acknowledgements of another organisation. Milliseconds. */
  acknowledged: number[];
  /** Jobs of a third organisation. Milliseconds. */
  toJob: number[];
}

const ms = (values: readonly number[], q: number) => shown(quantile(values, q));

export function openTable(measured: readonly Measured[]): Table {
  return {
    title: "Acknowledgements at a steady rate",
    about: `Webhooks of 20 active organisations are offered at ${shown(OFFERED)} a second for ten seconds, regardless of earlier responses, and processed meanwhile. Milliseconds; delays of the
sender count too.`,
    head: ["where", "p50 ms", "p99 ms", "max ms"],
    rows: measured.map(({ engine, open }) => ({
      id: `fairness-${engine}-open`,
      cells: [ENGINES[engine], ms(open, 0.5), ms(open, 0.99), shown(Math.max(...open))],
    })),
  };
}

export function backlogTable(measured: readonly Measured[]): Table {
  const row = (engine: Engine, { waiting, rate, acknowledged, toJob }: Backlog): Row => ({
    id: `fairness-${engine}-${waiting}`,
    cells: [
      `${ENGINES[engine]}, ${shown(waiting)} waiting`,
      shown(rate),
      ms(acknowledged, 0.99),
      shown(Math.max(...acknowledged)),
      ms(toJob, 0.5),
      shown(Math.max(...toJob)),
    ],
  });
  return {
    title: "One organisation with a backlog",
    about: `The events of one organisation waited for its activation, and are now processed. Meanwhile webhooks of a second one are acknowledged, 100 a second, and those of a third become
jobs, five a second. No rate limits. The rate of 2,000 is the median of three.`,
    head: ["where", "events a second", "acknowledgement p99 ms", "max ms", "another's job p50 ms", "max ms"],
    rows: measured.flatMap(({ engine, few, many }) => [row(engine, few), row(engine, many)]),
  };
}

export function figuresOf(measured: readonly Measured[]): Figures {
  const of = ({ engine, open, few, many }: Measured) => ({
    [`fairness.${engine}.open.p99`]: quantile(open, 0.99),
    [`fairness.${engine}.open.max`]: Math.max(...open),
    [`fairness.${engine}.backlog.p99`]: quantile(many.acknowledged, 0.99),
    [`fairness.${engine}.backlog.job`]: quantile(many.toJob, 0.5),
    [`fairness.${engine}.backlog.ratio`]: many.rate / few.rate,
  });
  return Object.assign({}, ...measured.map(of));
}
