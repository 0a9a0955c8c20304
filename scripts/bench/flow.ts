import { setTimeout as sleep } from "node:timers/promises";
import { storeEvents } from "../../test/harness/work-rows.ts";
import type { Child } from "./child.ts";
import { withDatabase } from "./database.ts";
import { type Deployment, type Pipelined, pipeline, startDeployment, startProvider } from "./deployment.ts";
import {
  newDatabase,
  newFolder,
  type Organisation,
  onboard,
  type Platform,
  startPlatform,
} from "./organisations.ts";
import { acknowledgements, jobs } from "./probes.ts";
import { idleFlow } from "./send.ts";
import { alternate, median, quantile, ratioOf } from "./statistics.ts";
import {
  type Row,
  type Section,
  type SectionResult,
  type Setting,
  shown,
  shownRatio,
  type Table,
} from "./table.ts";

export const flow: Section = {
  name: "flow",
  title: "From the webhook to the job",
  packages: ["@electric-sql/pglite", "pg", "kysely"],
  usesServer: true,
  run: async (setting) => {
    const provider = await startProvider(setting.resources);
    const deployments = await startDeployments(setting, provider);
    const sizes = sizesOf(setting);
    const growth = await grow(setting, deployments);
    const processes = setting.quick ? NOTHING : await oneAndTwo(setting, deployments.usual);
    const steady = await steadily(setting, deployments.usual, `${provider.url}/hanging`);
    await Promise.all([...Object.values(deployments).map((deployment) => deployment.end()), provider.end()]);
    return {
      tables: [tableOf(sizes, [...growth.rows, ...processes.rows], steady.rows)],
      figures: { ...growth.figures, ...processes.figures, ...steady.figures },
    } satisfies SectionResult;
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

/** The quick run omits deployments that start slowly. */
type Deployments = Record<"usual" | "many" | "stored", Deployment> &
  Partial<Record<"one" | "embedded" | "embeddedOne", Deployment>>;
type DeploymentName = keyof Deployments;

/** Starts each deployment on a separate database, so they can be measured in turn. */
async function startDeployments(setting: Setting, provider: Child): Promise<Deployments> {
  const { resources, report, quick } = setting;
  const { usual, many, stored } = sizesOf(setting);
  const start = async (organisations: number, isEmbedded = false) => {
    report(`starting a platform with ${organisations} organisations${isEmbedded ? ", embedded" : ""}`);
    const store = isEmbedded ? await newFolder(resources) : await newDatabase(resources);
    return startDeployment(resources, { store, provider, organisations });
  };
  const deployments = { usual: await start(usual), many: await start(many), stored: await start(usual) };
  report(`storing ${shown(stored)} events`);
  await withDatabase(deployments.stored.store, (database) => storeEvents(database, stored));
  if (quick) return deployments;
  const embedded = { embedded: await start(usual, true), embeddedOne: await start(1, true) };
  return { ...deployments, one: await start(1), ...embedded };
}

interface Measured extends Pipelined {
  /** From webhook to job, one webhook at a time. Milliseconds. */
  idle: number[];
}

async function grow(setting: Setting, deployments: Deployments) {
  const sizes = sizesOf(setting);
  const { rounds, events, singles } = sizes;
  const entries = Object.entries(deployments) as [DeploymentName, Deployment][];
  // The first events only compile the code.
  for (const [, deployment] of entries) await pipeline(deployment, Math.ceil(events / 3));
  const measure = (deployment: Deployment) => async (): Promise<Measured> => ({
    idle: await idleFlow(deployment, singles),
    ...(await pipeline(deployment, events)),
  });
  const turns = Object.fromEntries(entries.map(([name, deployment]) => [name, measure(deployment)]));
  const measured = await alternate(turns, rounds, (name, round) =>
    setting.report(`${titleOf(name as DeploymentName, sizes)}: round ${round} of ${rounds}`),
  );
  const of = (name: DeploymentName) => summaryOf(measured[name] ?? [], measured.usual ?? []);
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
      ...(deployments.embedded && {
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

function titleOf(name: DeploymentName, { usual, many, stored }: Sizes): string {
  return {
    usual: `PostgreSQL, ${usual} organisations`,
    many: `PostgreSQL, ${many} organisations`,
    stored: `PostgreSQL, ${usual} organisations, ${shown(stored)} events stored before`,
    one: "PostgreSQL, all of one organisation",
    embedded: `embedded, ${usual} organisations`,
    embeddedOne: "embedded, all of one organisation",
  }[name];
}

/** Compares one process with two. The second one runs only in its own rounds. */
async function oneAndTwo(setting: Setting, deployment: Deployment) {
  const { rounds, events } = sizesOf(setting);
  const withSecond = async () => {
    const second: Platform = await startPlatform(setting.resources, deployment.store);
    // Warms up the second process, as the first one is.
    await pipeline(deployment, events * 2, [second]);
    const both = await pipeline(deployment, events, [second]);
    await second.child.end();
    return both;
  };
  const turns = { one: () => pipeline(deployment, events), two: withSecond };
  const { one, two } = await alternate(turns, Math.ceil(rounds / 2), (name, round) =>
    setting.report(`${name === "one" ? "one process" : "two processes"}: round ${round}`),
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

/** Runs last: hanging calls are retried for hours, so the platform is never idle again. */
async function steadily(setting: Setting, deployment: Deployment, hanging: string) {
  const { seconds } = sizesOf(setting);
  setting.report(`${PER_SECOND} webhooks a second`);
  const calm = await steadyFlow(deployment, seconds);
  setting.report(
    `${PER_SECOND} webhooks a second, one organisation of ${deployment.organisations.length} hanging`,
  );
  const [stranger] = await onboard(deployment.platform, [hanging]);
  const others = { ...deployment, organisations: deployment.organisations.slice(1) };
  const beside = await steadyFlow(others, seconds, stranger);
  const row = (id: string, what: string, times: readonly number[]): Row => ({
    id,
    cells: [what, ...[0.5, 0.99].map((q) => shown(quantile(times, q))), shown(PER_SECOND), "", "", ""],
  });
  return {
    rows: [
      row("flow-steady", `PostgreSQL, at ${PER_SECOND} a second`, calm),
      row("flow-hanging", "the same, with one hanging organisation: the others", beside),
    ],
    figures: {
      "flow.steady.p99": quantile(calm, 0.99),
      "flow.hanging.p99": quantile(beside, 0.99),
      "flow.hanging.ratio": median(calm) / median(beside),
    },
  };
}

/** Returns the times from webhook to job. The `stranger` sends as many webhooks as each other organisation. Milliseconds. */
async function steadyFlow(
  deployment: Deployment,
  seconds: number,
  stranger?: Organisation,
): Promise<number[]> {
  const times = jobs(deployment, PER_SECOND);
  const share = PER_SECOND / deployment.organisations.length;
  const others = stranger && acknowledgements(deployment, [stranger], share);
  await sleep(seconds * 1_000);
  const measured = await times.stop();
  await others?.stop();
  return measured;
}

function tableOf({ singles, events }: Sizes, rows: readonly Row[], steady: readonly Row[]): Table {
  return {
    title: "Webhook to job",
    about: `From the sending of a webhook until the platform's stream reports the committed job: webhook, store, dispatch, \`GET /shifts/{id}\`, job,
three people matched and notified. Idle: one at a time, ${singles} a round. Events a second: ${shown(events)} webhooks as fast as they are accepted, until the platform is idle. The provider responds
immediately and uses almost no CPU; no rate limits; everything shares the machine.`,
    head: [
      "where",
      "median ms",
      "p99 ms",
      "events a second",
      "against the first row",
      "CPU ms an event: platform",
      "PostgreSQL",
    ],
    rows: [...rows, ...steady],
  };
}
