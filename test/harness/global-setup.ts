import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../../src/platform/db/database.ts";
import { checkStatements } from "./captured-statements.ts";
import { type CitusTemplate, prepareCitus } from "./citus.ts";
import { type PostgresServer, startPostgres } from "./embedded-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server's URL without a database name; `template` is the migrated database to copy. */
    postgresServer: string;
    /** A data folder of an embedded database, migrated, to copy. */
    pgliteTemplate: string;
    /** Where CITUS_URL is given. */
    citus: CitusTemplate | undefined;
    /** A file, to which the statements of the platform are appended. */
    statements: string;
  }
}

export const TEMPLATE = "shiftpact_template";
const log = pino({ level: "silent" });

/** One PostgreSQL for the run, and of both engines a migrated, empty database that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-test-"));
  // PostgreSQL refuses to run as root: then it runs as another user, which must reach its folder.
  await chmod(folder, 0o755);
  // A test's database need not outlive a power cut.
  const flags = ["-c", "fsync=off", "-c", "max_connections=300"];
  let server: PostgresServer | undefined;
  const statements = join(folder, "statements");
  await writeFile(statements, "");
  const remove = async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const teardown = async () => {
    try {
      await checkStatements(statements, await isWhole(project));
    } finally {
      await remove();
    }
  };
  try {
    const databaseDir = join(folder, "postgres");
    const postgres = await startPostgres({ databaseDir, flags, place: placeOf(process.env.POSTGRES) });
    server = postgres;
    const pgliteTemplate = join(folder, "pglite");
    await Promise.all([
      migrate({ dataDir: pgliteTemplate }),
      postgres.createDatabase(TEMPLATE).then(() => migrate({ url: `${postgres.url}/${TEMPLATE}` })),
    ]);
    const { CITUS_URL } = process.env;
    project.provide("citus", CITUS_URL ? await prepareCitus(CITUS_URL) : undefined);
    project.provide("postgresServer", postgres.url);
    project.provide("pgliteTemplate", pgliteTemplate);
    project.provide("statements", statements);
    return teardown;
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Whether every test of `npm test` has run, and passed. */
async function isWhole(project: TestProject): Promise<boolean> {
  const { state, config } = project.vitest;
  const { testFiles } = await project.globTestFiles();
  const isFiltered = process.env.PROOFS === "1" || config.testNamePattern !== undefined;
  return !isFiltered && state.getPaths().length === testFiles.length && state.getCountOfFailedTests() === 0;
}

/** A distribution's server runs as in a company: names sort as in Swedish, and no hour of the local clock begins with one of UTC. */
const placeOf = (choice = "") =>
  choice === "" || choice === "packaged" ? undefined : { locale: "sv_SE.UTF-8", timeZone: "Asia/Kathmandu" };

async function migrate(where: { url?: string; dataDir?: string }): Promise<void> {
  const database = await openDatabase({ ...where, log });
  await database.close();
}
