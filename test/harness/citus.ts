import pg from "pg";
import { openDatabase } from "../../src/platform/db/database.ts";
import { distribute } from "../../src/platform/db/migrate.ts";
import { onServer } from "./on-server.ts";

/** A database on Citus whose tables are distributed, to copy: on the coordinator and on each worker, which know the copies by its name. */
export interface CitusTemplate {
  name: string;
  /** The URLs of the servers without a database name, the coordinator first. */
  servers: string[];
}

/**
 * Distributes the tables of the database that CITUS_URL names: it has the extension and its workers, and belongs to the tests. Where `engines` name
 * PostgreSQL, the tests then run on copies of it.
 */
export async function prepareCitus(citusUrl: string): Promise<CitusTemplate> {
  const url = new URL(citusUrl);
  const name = url.pathname.slice(1);
  const serverAt = (host: string) => `${url.protocol}//${url.username}:${url.password}@${host}`;
  const coordinator = serverAt(url.host);
  await onServer(coordinator, `alter database ${name} allow_connections true`);
  const client = new pg.Client({ connectionString: citusUrl });
  await client.connect();
  const { rows: workers } = await client.query<{ host: string }>(
    "select nodename || ':' || nodeport as host from pg_dist_node where groupid <> 0 order by 1",
  );
  await client.end();
  const servers = [coordinator, ...workers.map(({ host }) => serverAt(host))];
  for (const server of servers) await onServer(server, `alter database ${name} allow_connections true`);
  // Each test empties every table, and each shard of one is a table.
  await onServer(coordinator, `alter database ${name} set citus.shard_count to ${SHARDS}`);
  await distributeAt(citusUrl);
  for (const server of servers) await closeTemplate(server, name);
  return { name, servers };
}

/** Whether tests on PostgreSQL run on Citus: where a test is about the plain server, it is left out there, and states why. */
export const isOnCitus = Boolean(process.env.CITUS_URL);

const SHARDS = 4;

/** Migrates and distributes the database of a URL. */
export async function distributeAt(url: string): Promise<void> {
  const database = await openDatabase({ url, log: SILENT });
  await distribute(database.raw).finally(database.close);
}

const quiet = () => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** A database that is copied has no sessions, and the maintenance of Citus holds one. */
async function closeTemplate(server: string, name: string): Promise<void> {
  await onServer(server, `alter database ${name} allow_connections false`);
  await onServer(
    server,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  );
}

/** A database without tables on all servers, which know each other in it. */
export async function makeEmptyCitus({ servers }: CitusTemplate, name: string) {
  const urls = servers.map((server) => new URL(`${server}/${name}`));
  const [coordinator, ...workers] = urls as [URL, ...URL[]];
  for (const server of servers) await onServer(server, `create database ${name} template template0`);
  for (const { href } of urls) await onDatabase(href, "create extension citus");
  await onDatabase(
    coordinator.href,
    `select citus_set_coordinator_host('${coordinator.hostname}', ${coordinator.port})`,
    ...workers.map(({ hostname, port }) => `select citus_add_node('${hostname}', ${port})`),
  );
  return { where: { url: coordinator.href }, remove: () => removeAll(servers, name) };
}

async function onDatabase(connectionString: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function removeAll(servers: readonly string[], name: string): Promise<void> {
  for (const server of servers) await onServer(server, `drop database ${name} with (force)`);
}

/** A copy on all servers. */
export async function copyCitus({ name, servers }: CitusTemplate, copy: string) {
  for (const server of servers) await onServer(server, `create database ${copy} template ${name}`);
  return { where: { url: `${servers[0]}/${copy}` }, remove: () => removeAll(servers, copy) };
}
