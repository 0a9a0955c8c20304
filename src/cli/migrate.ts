import { copyInto } from "../platform/backup/to-postgres.ts";
import { openConfigured, readDatabaseConfig } from "../platform/config.ts";
import { openUnmigrated } from "../platform/db/database.ts";
import type { Database } from "../platform/db/engine.ts";
import { checkSchema, migrate as migrateDatabase } from "../platform/db/migrate.ts";
import { dataDirOf, readEnvironment } from "../platform/environment.ts";
import { createLog } from "../platform/log.ts";
import { existingDatabase } from "./existing-database.ts";
import type { Io } from "./io.ts";
import { reportFailure } from "./run-command.ts";
import { readFlags, UsageError } from "./usage.ts";

const EVERY = 100_000;

/** Returns what counts rows, and prints a line on the standard error for each 100,000: the work may take minutes. */
export function rowProgress({ stderr }: Pick<Io, "stderr">, verb: string): (rows: number) => void {
  let total = 0;
  return (rows) => {
    const before = Math.floor(total / EVERY);
    total += rows;
    if (Math.floor(total / EVERY) > before) stderr(`${verb} ${Math.floor(total / EVERY) * EVERY} rows`);
  };
}

const HELP = `shiftpact migrate: brings the schema of the database up to date, and reports what it did.

  --check      changes nothing: exit code 0: up to date, 1: migrations are missing, 3: the schema is newer than this version
  --data DIR   SHIFTPACT_DATA or .shiftpact unless given
  --from DIR   copies everything from the embedded database in DIR, whose platform is stopped, into the empty PostgreSQL of DATABASE_URL:
               everything or nothing. No platform starts on DIR afterwards

It reads DATABASE_URL or, for a pooler in transaction mode, DIRECT_DATABASE_URL beside it; unset: the embedded database in the data folder,
which no other process may have open. Run it as the role that owns the schema; the processes of the platform then start with AUTO_MIGRATE=0.

Exit code 0: done; 1: it failed, or migrations are missing; 2: flags or settings that cannot be used; 3: the schema is newer than this
version and does not work with it, or of another commit before the first release.

Examples:
  DATABASE_URL=postgres://owner@localhost/shiftpact shiftpact migrate
  shiftpact migrate --check --data ./data
  DATABASE_URL=postgres://owner@localhost/shiftpact shiftpact migrate --from ./data`;

const OK = 0;
const FAILED = 1;
const NEWER = 3;

/** Applies missing migrations, or only checks for them. Exit codes: in HELP. */
export async function migrate(argv: string[], io: Io): Promise<number> {
  try {
    const text = { type: "string" } as const;
    const flag = { type: "boolean" } as const;
    const options = { data: text, from: text, check: flag, help: { ...flag, short: "h" } } as const;
    const { values } = readFlags({ args: argv, options });
    if (values.help) {
      io.stdout(HELP);
      return OK;
    }
    const env = readEnvironment(io.env, ["LOG_LEVEL"]);
    const dataDir = dataDirOf(env, values.data);
    const place = { ...readDatabaseConfig(env), dataDir };
    if (!place.databaseUrl && values.check) existingDatabase(dataDir);
    const log = createLog(env.LOG_LEVEL || "warn");
    const { from } = values;
    if (from !== undefined && (!place.databaseUrl || values.check))
      throw new UsageError("--from copies into PostgreSQL: set DATABASE_URL, and omit --check");
    const source = from && (await openUnmigrated({ dataDir: existingDatabase(from), log }));
    const database = await openConfigured(place, log, openUnmigrated).catch(async (error) => {
      if (source) await source.close();
      throw error;
    });
    try {
      if (source) return await copy(source, database, io).finally(source.close);
      return await (values.check ? check(database, io) : apply(database, io));
    } finally {
      await database.close();
    }
  } catch (error) {
    return reportFailure("migrate", error, io);
  }
}

async function copy(source: Database, target: Database, io: Io): Promise<number> {
  const rows = await copyInto(target, source, rowProgress(io, "copied"));
  io.stdout(`copied ${rows} rows: start the platform with DATABASE_URL, and the SECRET_KEY of the folder`);
  return OK;
}

async function apply({ raw }: Database, io: Io): Promise<number> {
  const applied = await migrateDatabase(raw);
  for (const name of applied) io.stdout(`applied ${name}`);
  const { version } = await checkSchema(raw);
  io.stdout(applied.length === 0 ? `up to date: schema ${version}` : `the schema is now at ${version}`);
  return OK;
}

async function check({ raw }: Database, io: Io): Promise<number> {
  const { missing, version, known, incompatible } = await checkSchema(raw);
  for (const { name } of missing) io.stdout(`missing ${name}`);
  if (incompatible)
    io.stdout(`newer: ${incompatible.name} does not work with this version, which supports schema ${known}`);
  else if (missing.length === 0)
    io.stdout(
      `up to date: schema ${version}${version > known ? `, newer than ${known} and compatible` : ""}`,
    );
  if (incompatible) return NEWER;
  return missing.length > 0 ? FAILED : OK;
}
