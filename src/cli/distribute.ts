import { openConfigured, readDatabaseConfig } from "../platform/config.ts";
import { distribute as distributeTables } from "../platform/db/migrate.ts";
import { ConfigError, dataDirOf, readEnvironment } from "../platform/environment.ts";
import { createLog } from "../platform/log.ts";
import type { Io } from "./io.ts";
import { reportFailure } from "./run-command.ts";
import { readFlags } from "./usage.ts";

const HELP = `shiftpact distribute: distributes the tables of organisations over the workers of Citus, with what they hold. All rows of an organisation
are on one worker. When to do it, what it costs, how workers are added, and backup: the guide "Many organisations".

It reads DATABASE_URL, the coordinator, or DIRECT_DATABASE_URL beside it. The database is migrated; it has the extension citus there and on
each worker, and the coordinator knows the workers (citus_set_coordinator_host, citus_add_node). Stop the platform before, and start it
afterwards. Run it as the role that owns the schema.

Exit code 0: done, or distributed already; 1: it failed; 2: flags, settings or a database that cannot be used; 3: the schema is older or newer
than this version.

Examples:
  DATABASE_URL=postgres://owner@coordinator/shiftpact shiftpact migrate
  DATABASE_URL=postgres://owner@coordinator/shiftpact shiftpact distribute`;

/** Distributes the tables by organisation. Exit codes: in HELP. */
export async function distribute(argv: string[], io: Io): Promise<number> {
  try {
    const { values } = readFlags({ args: argv, options: { help: { type: "boolean", short: "h" } } });
    if (values.help) {
      io.stdout(HELP);
      return 0;
    }
    const env = readEnvironment(io.env, ["LOG_LEVEL"]);
    const config = readDatabaseConfig(env);
    if (!config.databaseUrl)
      throw new ConfigError(["DATABASE_URL is not set: the embedded database cannot be distributed"]);
    const place = { ...config, autoMigrate: false, dataDir: dataDirOf(env) };
    const database = await openConfigured(place, createLog(env.LOG_LEVEL || "warn"));
    try {
      const isNew = await distributeTables(database.raw);
      io.stdout(
        isNew
          ? "the tables of organisations are distributed now"
          : "done already: the tables are distributed",
      );
      return 0;
    } finally {
      await database.close();
    }
  } catch (error) {
    return reportFailure("distribute", error, io);
  }
}
