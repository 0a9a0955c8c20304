import { readFileSync } from "node:fs";
import { arch, cpus, release, type as system, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { isInMemory } from "../../test/harness/disk.ts";

const LOCK = fileURLToPath(new URL("../../package-lock.json", import.meta.url));

/**
 * Returns the conditions of the figures: processor, memory, operating system, the place of the data, and other work on the machine.
 * @param load the load average before the benchmark, whose own work counts too from then on
 */
export async function machineLine(dataPlace: string, load: number): Promise<string> {
  const [first, ...others] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = first?.model.trim() || "unknown processor";
  const place = (await isInMemory(dataPlace)) ? "in memory, where a sync costs nothing" : "on disk";
  const busy = load < 1 ? "" : `, beside other work (load average ${load.toFixed(1)})`;
  return `${others.length + 1} cores of ${model}, ${memory} GiB, ${system()} ${release()} ${arch()}, data ${place}${busy}`;
}

/** Returns the version of the server and whether it compiles statements: `PostgreSQL 15.14 (Debian 15.14-0+deb12u1) with jit = on`. */
export async function serverLine(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client
    .query(
      "select current_setting('server_version') as version, current_setting('jit') as jit, pg_jit_available() as compiles",
    )
    .finally(() => client.end());
  const [{ version, jit, compiles }] = rows;
  return `PostgreSQL ${version} with jit = ${jit}${jit === "on" && !compiles ? ", but built without it" : ""}`;
}

/** Returns the versions of Node and of installed packages: `Node 24.21.0, express 5.3.0`. */
export function versionsLine(names: readonly string[]): string {
  const { packages } = JSON.parse(readFileSync(LOCK, "utf8"));
  const versions = names.map((name) => `${name} ${packages[`node_modules/${name}`]?.version ?? "?"}`);
  return [`Node ${process.versions.node}`, ...versions].join(", ");
}
