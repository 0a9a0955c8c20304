import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./child.ts";
import { type Deployment, pipeline, startDeployment, startProvider } from "./deployment.ts";
import { newDatabase, newFolder, ok, register } from "./organisations.ts";
import { acknowledgements, jobs } from "./probes.ts";
import { sendMany } from "./send.ts";
import { median, quantile } from "./statistics.ts";
import {
  type Figures,
  type Row,
  type Section,
  type SectionResult,
  type Setting,
  shown,
  type Table,
} from "./table.ts";

export const fairness: Section = {
  name: "fairness",
  title: "Under a backlog",
  packages: ["@electric-sql/pglite", "pg", "kysely"],
  usesServer: true,
  run: async (setting) => {
    const provider = await startProvider(setting.resources);
    const measured: Measured[] = [];
    for (const engine of ["postgres", "pglite"] as const) {
      const deployment = await start(setting, provider, engine);
      await pipeline(deployment, setting.quick ? 50 : 600);
      measured.push({
        engine,
        open: await openLoop(setting, deployment, engine),
        few: await backlog(
          setting,
          deployment,
          provider,
          engine,
          setting.quick ? [200] : [2_000, 2_000, 2_000],
        ),
        many: await backlog(setting, deployment, provider, engine, [setting.quick ? 1_000 : 100_000]),
      });
      await deployment.end();
    }
    await provider.end();
    return {
      tables: [openTable(measured), backlogTable(measured)],
      figures: figuresOf(measured),
    } satisfies SectionResult;
  },
};

async function start({ resources, report }: Setting, provider: Child, engine: Engine): Promise<Deployment> {
  report(`${ENGINES[engine]}: starting a platform with 20 organisations`);
  const store = engine === "postgres" ? await newDatabase(resources) : await newFolder(resources);
  return startDeployment(resources, { store, provider, organisations: 20 });
}

/** Returns the duration of each acknowledgement, while the events are processed. Milliseconds. */
async function openLoop(
  { report, quick }: Setting,
  deployment: Deployment,
  engine: Engine,
): Promise<number[]> {
  const [perSecond, seconds] = quick ? [100, 1] : [OFFERED, 10];
  report(`${ENGINES[engine]}: ${shown(perSecond)} webhooks a second for ${seconds} s`);
  const probe = acknowledgements(deployment, deployment.organisations, perSecond);
  await sleep(seconds * 1_000);
  const times = await probe.stop();
  await deployment.platform.child.ask("idle");
  return times;
}

/** Measures one organisation after the other. A short backlog ends soon, so the rate is the median of several. */
async function backlog(
  { report }: Setting,
  deployment: Deployment,
  provider: Child,
  engine: Engine,
  counts: readonly number[],
): Promise<Backlog> {
  const all: Backlog[] = [];
  for (const [nth, waiting] of counts.entries()) {
    report(`${ENGINES[engine]}: ${shown(waiting)} waiting events of one organisation`);
    all.push(await backlogOf(deployment, provider, `/${engine}-${waiting}-${nth}`, waiting));
  }
  return {
    waiting: counts[0] ?? 0,
    rate: median(all.map(({ rate }) => rate)),
    acknowledged: all.flatMap(({ acknowledged }) => acknowledged),
    toJob: all.flatMap(({ toJob }) => toJob),
  };
}

/** Activates an organisation with this many waiting events. */
async function backlogOf(
  deployment: Deployment,
  provider: Child,
  path: string,
  waiting: number,
): Promise<Backlog> {
  const { platform, sender, url } = deployment;
  const { operations } = platform;
  const busy = await register(platform, provider.url + path);
  const draft = await register(platform, "http://127.0.0.1:9");
  const params = { path: { providerId: busy.providerId } };
  ok(await operations.discoverIntegration({ params }));
  await sendMany(sender, [url], [busy], waiting);
  const other = jobs({ ...deployment, organisations: deployment.organisations.slice(0, 1) }, 5);
  const acks = acknowledgements(deployment, [draft], 100);
  ok(await operations.activateIntegration({ params }));
  const rate = await rateOf(provider, path, waiting);
  const [toJob, acknowledged] = [await other.stop(), await acks.stop()];
  // The rest of a large backlog is not awaited: the next figures are of other organisations.
  ok(await operations.suspendIntegration({ params }));
  return { waiting, rate, toJob, acknowledged };
}

const LONGEST_MS = 15_000;

/** Returns the shifts read a second, from the first to the ninth tenth of the backlog, or for 15 s. */
async function rateOf(provider: Child, path: string, waiting: number): Promise<number> {
  const read = async () => ((await provider.ask("reads")) as Record<string, number>)[path] ?? 0;
  const reaches = async (count: number, withinMs: number) => {
    const until = performance.now() + withinMs;
    let reads = await read();
    for (; reads < count && performance.now() < until; reads = await read()) await sleep(10);
    return { reads, at: performance.now() };
  };
  const first = await reaches(waiting / 10, 60_000);
  const last = await reaches(waiting * 0.9, LONGEST_MS);
  return ((last.reads - first.reads) * 1_000) / (last.at - first.at);
}

export type Engine = "postgres" | "pglite";
const ENGINES = { postgres: "PostgreSQL", pglite: "embedded" } as const;
const OFFERED = 1_000;

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

function openTable(measured: readonly Measured[]): Table {
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

function backlogTable(measured: readonly Measured[]): Table {
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

function figuresOf(measured: readonly Measured[]): Figures {
  const of = ({ engine, open, few, many }: Measured) => ({
    [`fairness.${engine}.open.p99`]: quantile(open, 0.99),
    [`fairness.${engine}.open.max`]: Math.max(...open),
    [`fairness.${engine}.backlog.p99`]: quantile(many.acknowledged, 0.99),
    [`fairness.${engine}.backlog.job`]: quantile(many.toJob, 0.5),
    [`fairness.${engine}.backlog.ratio`]: many.rate / few.rate,
  });
  return Object.assign({}, ...measured.map(of));
}
