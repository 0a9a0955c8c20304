import { randomUUID } from "node:crypto";
import { type Child, startChild } from "./child.ts";
import { type Loaded, oneByOne, saturate } from "./load.ts";
import {
  newDatabase,
  newFolder,
  type Organisation,
  register,
  type Store,
  startPlatform,
} from "./organisations.ts";
import { webhooksOf } from "./send.ts";
import { alternate, median, quantile, ratioOf } from "./statistics.ts";
import { type Row, type Section, type SectionResult, type Setting, shown, shownRatio } from "./table.ts";

export const acknowledgement: Section = {
  name: "acknowledgement",
  title: "Acknowledgement of webhooks",
  packages: ["express", "pg-boss", "@electric-sql/pglite", "pg", "kysely", "autocannon"],
  usesServer: true,
  run: async (setting) => {
    const postgres = await onEngine(setting, "postgres");
    const pglite = await onEngine(setting, "pglite");
    const rows = [...postgres.rows, ...pglite.rows];
    return {
      tables: [{ title: "Webhooks acknowledged", about: ABOUT, head: HEAD, rows }],
      figures: { ...postgres.figures, ...pglite.figures },
    } satisfies SectionResult;
  },
};

const ABOUT = `100 connections send new webhooks as fast as they are acknowledged. Sender and server share the machine.
"Express 5" reads the body, checks the token and stores nothing. "A job each" is the usual approach: \`express.json\`, then one \`send\` of pg-boss a request,
to the same database with the same syncs. shiftpact acknowledges once the row is committed. The organisation is not yet activated: its events
wait. "Idle" is one webhook at a time.`;

const HEAD = [
  "server",
  "webhooks a second",
  "against Express 5",
  "p50 ms",
  "p99 ms",
  "max ms",
  "CPU µs each: server",
  "database",
  "load",
  "idle p50 ms",
  "idle p99 ms",
];

type Engine = "postgres" | "pglite";
type Name = "express" | "jobEach" | "shiftpact";

const ENGINES = { postgres: "PostgreSQL", pglite: "embedded" } as const;
const NAMES: Readonly<Record<Name, string>> = {
  express: "Express 5, nothing stored",
  jobEach: "a job each",
  shiftpact: "shiftpact",
};

const CONNECTIONS = 100;

interface Contender {
  child: Child;
  load: (seconds: number) => Promise<Loaded>;
  idle: (count: number) => Promise<number[]>;
}

const newStore = ({ resources }: Setting, engine: Engine): Promise<Store> =>
  engine === "postgres" ? newDatabase(resources) : newFolder(resources);

async function onEngine(setting: Setting, engine: Engine) {
  const { quick, report } = setting;
  const [rounds, seconds, singles, warmUp] = quick ? [1, 1, 20, 0.4] : [5, 4, 400, 1];
  report(`${ENGINES[engine]}: starting servers`);
  const contenders = await startAll(setting, engine);
  const names = Object.keys(contenders) as Name[];
  const idle = new Map<Name, number[]>();
  for (const name of names) {
    // The code is compiled in the first second.
    await contenders[name]?.load(warmUp);
    await contenders[name]?.idle(20);
    idle.set(name, (await contenders[name]?.idle(singles)) ?? []);
  }
  const turns = Object.fromEntries(names.map((name) => [name, () => loadOf(contenders, name, seconds)]));
  const loads = await alternate(turns, rounds, (name, round) =>
    report(`${ENGINES[engine]}: ${NAMES[name as Name]}, round ${round} of ${rounds}`),
  );
  await Promise.all(names.map((name) => contenders[name]?.child.end()));
  const rows = names.map((name) => rowOf(engine, name, loads, idle.get(name) ?? []));
  return { rows, figures: figuresOf(engine, loads, idle) };
}

function loadOf(contenders: Partial<Record<Name, Contender>>, name: Name, seconds: number): Promise<Loaded> {
  const contender = contenders[name];
  if (!contender) throw new Error(`${name} was not started`);
  return contender.load(seconds);
}

type Contenders = Partial<Record<Name, Contender>> & Record<"express" | "shiftpact", Contender>;

/** Starts the contenders; the quick run omits those without a floor. */
async function startAll(setting: Setting, engine: Engine): Promise<Contenders> {
  const [express, shiftpact] = [await startExpress(setting), await startShiftpact(setting, engine)];
  if (setting.quick && engine === "pglite") return { express, shiftpact };
  return { express, jobEach: await startJobEach(setting, engine), shiftpact };
}

const TOKEN = "a-platform-token";
const anyOrganisation: Organisation = { providerId: randomUUID(), platformToken: TOKEN };

async function startExpress({ resources }: Setting): Promise<Contender> {
  const entry = new URL("./servers/express.ts", import.meta.url);
  return contenderOf(await startChild(resources, entry, { TOKEN }), anyOrganisation);
}

async function startJobEach(setting: Setting, engine: Engine): Promise<Contender> {
  const store = await newStore(setting, engine);
  const where =
    "databaseUrl" in store ? { DATABASE_URL: store.databaseUrl } : { DATA_DIR: `${store.dataDir}/data` };
  const entry = new URL("./servers/job-each.ts", import.meta.url);
  const child = await startChild(setting.resources, entry, { TOKEN, ...where });
  return contenderOf(child, anyOrganisation, await databaseOf(setting, engine));
}

async function startShiftpact(setting: Setting, engine: Engine): Promise<Contender> {
  const platform = await startPlatform(setting.resources, await newStore(setting, engine));
  // The provider is never called: the events of a draft wait.
  const organisation = await register(platform, "http://127.0.0.1:9");
  return contenderOf(platform.child, organisation, await databaseOf(setting, engine));
}

/** Returns the processes of PostgreSQL; the embedded database is a thread of the server. */
async function databaseOf({ resources }: Setting, engine: Engine): Promise<() => readonly number[]> {
  if (engine === "pglite") return () => [];
  const { pids } = await resources.postgres();
  return pids;
}

function contenderOf(child: Child, organisation: Organisation, helpers?: () => readonly number[]): Contender {
  const target = webhooksOf(organisation);
  return {
    child,
    load: (seconds) =>
      saturate(child, target, { connections: CONNECTIONS, seconds, ...(helpers && { helpers }) }),
    idle: (count) => oneByOne(child, target, count),
  };
}

type Loads = Readonly<Partial<Record<string, Loaded[]>>>;

const rates = (loads: readonly Loaded[] = []) => loads.map(({ perSecond }) => perSecond);

function rowOf(engine: Engine, name: Name, all: Loads, idle: readonly number[]): Row {
  const loads = all[name] ?? [];
  const of = (figure: keyof Loaded) => shown(median(loads.map((each) => each[figure])));
  const max = shown(Math.max(...loads.map((each) => each.max)));
  const alone = [quantile(idle, 0.5), quantile(idle, 0.99)].map(shown);
  const cpu = [of("cpu"), of("helpersCpu"), of("loadCpu")];
  const ratio = shownRatio(ratioOf(rates(loads), rates(all.express)));
  return {
    id: `acknowledgement-${engine}-${name.toLowerCase()}`,
    cells: [
      `${ENGINES[engine]}: ${NAMES[name]}`,
      of("perSecond"),
      ratio,
      of("p50"),
      of("p99"),
      max,
      ...cpu,
      ...alone,
    ],
  };
}

function figuresOf(engine: Engine, loads: Loads, idle: ReadonlyMap<Name, number[]>) {
  const own = loads.shiftpact ?? [];
  const against = (name: Name) => ratioOf(rates(own), rates(loads[name])).ratio;
  return {
    [`acknowledgement.${engine}.ratio`]: against("express"),
    ...(loads.jobEach && { [`acknowledgement.${engine}.job-each.ratio`]: against("jobEach") }),
    [`acknowledgement.${engine}.p99`]: median(own.map(({ p99 }) => p99)),
    [`acknowledgement.${engine}.max`]: Math.max(...own.map(({ max }) => max)),
    [`acknowledgement.${engine}.idle`]: median(idle.get("shiftpact") ?? []),
  };
}
