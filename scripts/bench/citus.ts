import { randomUUID } from "node:crypto";
import pg from "pg";
import { openDatabase } from "../../src/platform/db/database.ts";
import { distribute } from "../../src/platform/db/migrate.ts";
import { childrenOf } from "../../test/harness/embedded-postgres.ts";
import { onServer } from "../../test/harness/on-server.ts";
import { log } from "./database.ts";
import { type Deployment, type Pipelined, pipeline, startDeployment, startProvider } from "./deployment.ts";
import { cpuOf } from "./machine.ts";
import { alternate, median } from "./statistics.ts";
import { type Row, type Section, type SectionResult, type Setting, shown, type Table } from "./table.ts";

/** Compares the tables on one server with those that Citus distributes to one worker, two, and so on. */
export const citus: Section = {
  name: "citus",
  title: "On a distributed PostgreSQL",
  packages: ["pg", "kysely"],
  isApart: true,
  run: async (setting) => {
    const cluster = await clusterOf(process.env.CITUS_URL);
    const provider = await startProvider(setting.resources);
    const deployments: Deployment[] = [];
    for (let workers = 0; workers <= cluster.workers.length; workers += 1) {
      setting.report(`starting a platform with ${ORGANISATIONS} organisations, workers: ${workers}`);
      const store = await newDatabase(setting, cluster, workers);
      deployments.push(
        await startDeployment(setting.resources, { store, provider, organisations: ORGANISATIONS }),
      );
    }
    const measured = await measure(setting, cluster, deployments);
    await Promise.all(deployments.map((deployment) => deployment.end()));
    await provider.end();
    return resultOf(setting, measured);
  },
};

const ORGANISATIONS = 20;
/** Of each table, as a user with a few workers would set it. */
const SHARDS = 8;

const sizesOf = ({ quick }: Setting) => (quick ? { rounds: 1, events: 200 } : { rounds: 3, events: 3_000 });

/** A server on this machine. */
interface Server {
  /** The URL without a database name. */
  url: string;
  host: string;
  port: string;
  pid: number;
}

interface Cluster {
  coordinator: Server;
  workers: readonly Server[];
}

/** @throws TypeError unless the URL names a database on this machine that has the extension and its workers */
async function clusterOf(citusUrl: string | undefined): Promise<Cluster> {
  if (!citusUrl)
    throw new TypeError("CITUS_URL must name a database with the extension citus and its workers");
  const url = new URL(citusUrl);
  const rows = await query<{ host: string; port: string }>(
    citusUrl,
    "select nodename as host, nodeport::text as port from pg_dist_node where groupid <> 0 order by 2",
  );
  const serverAt = async ({ host, port }: { host: string; port: string }): Promise<Server> => {
    const server = `${url.protocol}//${url.username}:${url.password}@${host}:${port}`;
    const [first] = await query<{ file: string }>(
      `${server}/postgres`,
      "select pg_read_file('postmaster.pid') as file",
    );
    return { url: server, host, port, pid: Number(first?.file.split("\n")[0]) };
  };
  const coordinator = await serverAt({ host: url.hostname, port: url.port });
  return { coordinator, workers: await Promise.all(rows.map(serverAt)) };
}

async function query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query<Row>(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** Creates a database on the coordinator and on that many workers, and distributes its tables if there is a worker. */
async function newDatabase(
  { resources }: Setting,
  { coordinator, workers }: Cluster,
  count: number,
): Promise<{ databaseUrl: string }> {
  const name = `bench_${randomUUID().replaceAll("-", "")}`;
  const used = [coordinator, ...workers.slice(0, count)];
  for (const { url } of used) {
    await onServer(url, `create database ${name}`);
    resources.onClear(() => onServer(url, `drop database if exists ${name} with (force)`));
    await query(`${url}/${name}`, "create extension citus");
  }
  const databaseUrl = `${coordinator.url}/${name}`;
  await query(databaseUrl, `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`);
  for (const { host, port } of used.slice(1))
    await query(databaseUrl, `select citus_add_node('${host}', ${port})`);
  await onServer(coordinator.url, `alter database ${name} set citus.shard_count to ${SHARDS}`);
  const database = await openDatabase({ url: databaseUrl, log });
  if (count > 0) await distribute(database.raw);
  await database.close();
  return { databaseUrl };
}

/** CPU time for an event. Milliseconds. */
interface Measured extends Pick<Pipelined, "rate" | "serverCpu"> {
  coordinatorCpu: number;
  workersCpu: number;
}

async function measure(
  setting: Setting,
  { coordinator, workers }: Cluster,
  deployments: readonly Deployment[],
): Promise<Measured[][]> {
  const { rounds, events } = sizesOf(setting);
  const used = (servers: readonly Server[]) => cpuOf(servers.flatMap(({ pid }) => [pid, ...childrenOf(pid)]));
  const run = async (deployment: Deployment): Promise<Measured> => {
    const before = [used([coordinator]), used(workers)] as const;
    const { rate, serverCpu } = await pipeline(deployment, events);
    const per = (us: number) => us / 1_000 / events;
    return {
      rate,
      serverCpu,
      coordinatorCpu: per(used([coordinator]) - before[0]),
      workersCpu: per(used(workers) - before[1]),
    };
  };
  // The first events only compile the code.
  for (const deployment of deployments) await pipeline(deployment, Math.ceil(events / 3));
  const turns = Object.fromEntries(deployments.map((each, count) => [`workers-${count}`, () => run(each)]));
  const measured = await alternate(turns, rounds, (name, round) =>
    setting.report(`${name}: round ${round} of ${rounds}`),
  );
  return Object.values(measured);
}

function resultOf(setting: Setting, measured: readonly Measured[][]): SectionResult {
  const of = (count: number, figure: keyof Measured) =>
    median((measured[count] ?? []).map((each) => each[figure]));
  const rows = measured.map((_, count): Row => {
    const cells = (["rate", "serverCpu", "coordinatorCpu", "workersCpu"] as const).map((figure) =>
      shown(of(count, figure)),
    );
    const share = shown((100 * of(count, "coordinatorCpu")) / of(0, "coordinatorCpu"));
    return { id: `citus-${count}`, cells: [`${count}`, ...cells, `${share} %`] };
  });
  const last = measured.length - 1;
  return {
    tables: [tableOf(setting, rows)],
    figures: { "citus.coordinator.ratio": of(last, "coordinatorCpu") / of(0, "coordinatorCpu") },
  };
}

const tableOf = (setting: Setting, rows: readonly Row[]): Table => ({
  title: "On a distributed PostgreSQL",
  about: `${shown(sizesOf(setting).events)} webhooks of ${ORGANISATIONS} organisations as fast as they are accepted, until the platform is idle; ${SHARDS} shards of each table.
Coordinator, workers, platform and load share the machine, so that the rate falls with each worker: what more machines would give shows in the CPU time of the coordinator. Without workers, the tables are on it.`,
  head: [
    "workers",
    "events a second",
    "CPU ms an event: platform",
    "coordinator",
    "all workers",
    "coordinator, against no workers",
  ],
  rows,
});
