import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isUuid } from "../contract/uuid.ts";
import { type Added, addOrganisation } from "../platform/backup/add-organisation.ts";
import { readLines } from "../platform/backup/file.ts";
import { BackupError } from "../platform/backup/format.ts";
import { type Restored, restore as restoreInto } from "../platform/backup/restore.ts";
import { openConfigured } from "../platform/configured-database.ts";
import { readDatabaseConfig } from "../platform/database-config.ts";
import { openUnmigrated } from "../platform/db/database.ts";
import { dataDirOf, readEnvironment } from "../platform/environment.ts";
import { keptVault } from "../platform/kept-secrets.ts";
import { createLog } from "../platform/log.ts";
import type { Env } from "../platform/setting-kinds.ts";
import { reportFailure } from "./command-failure.ts";
import { existingDatabase } from "./existing-database.ts";
import type { Io } from "./io.ts";
import { rowProgress } from "./row-progress.ts";
import { readFlags, UsageError } from "./usage.ts";

const HELP = `shiftpact restore FILE: restores a backup into an empty database, completely or not at all.

  --data DIR   SHIFTPACT_DATA or .shiftpact unless given: the embedded database is made there
  --erased LIST
               a file with the candidateIds, one a line, of people who were erased after the backup: they are erased again. The audit log
               and its exports name them (operation eraseCandidate)
  --organisation
               FILE holds one organisation (shiftpact backup --organisation): adds it to the database of a platform, which keeps its
               own; with PostgreSQL while that platform runs. The organisation is suspended until it is activated there

With DATABASE_URL it restores into PostgreSQL, where the schema shiftpact must be missing or without tables; behind a pooler in
transaction mode, give DIRECT_DATABASE_URL beside it. It needs the SECRET_KEY
of the platform that was backed up, from the environment or the file secret-key in the data folder. FILE is read to its end before anything is
written: a file that was changed or cut off is refused.
The tokens of all operators end, as some may have been revoked since the backup. OPERATIONS_TOKEN stays: it gives them new ones, with
shiftpact operators rotate NAME.
A platform that starts on the result first reads every known future shift at its provider, and so does an organisation that is activated.
With --organisation it also needs the rights to make tables: run it as the role that owns the schema. To repeat it changes nothing.

Exit code 0: restored, or the organisation is there already; 1: it failed, and nothing was changed; 2: flags or settings that
cannot be used.

Examples:
  mkdir -m 700 restored && cp data/secret-key data/operations-token restored/ && shiftpact restore monday.shiftpact --data restored
  DATABASE_URL=postgres://localhost/shiftpact SECRET_KEY=... shiftpact restore monday.shiftpact
  DATABASE_URL=postgres://localhost/two SECRET_KEY=... shiftpact restore moved.shiftpact --organisation`;

/** Returns the exit code: 0 restored; 1 the restore failed; 2 unusable flags or settings. */
export async function restore(argv: string[], io: Io): Promise<number> {
  try {
    const { values, positionals } = readFlags({
      args: argv,
      options: {
        data: { type: "string" },
        organisation: { type: "boolean" },
        erased: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
      allowPositionals: true,
    });
    if (values.help) {
      io.stdout(HELP);
      return 0;
    }
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("name one FILE (see --help)");
    for (const each of [file, values.erased ?? file])
      if (!existsSync(each)) throw new BackupError(`there is no file ${each}`);
    if (values.organisation && values.erased !== undefined)
      throw new UsageError(
        "--erased is for a whole database: one organisation adds no person who was erased",
      );
    const begun = performance.now();
    const env = readEnvironment(io.env, ["LOG_LEVEL"]);
    const dataDir = dataDirOf(env, values.data);
    const target = targetOf(env, dataDir);
    const seconds = () => (performance.now() - begun) / 1000;
    const read = () => readLines(file, target.vault, rowProgress(io, "read"));
    if (values.organisation) reportAdded(io, await addTo({ ...target, dataDir }, env, read), seconds());
    else report(io, await restoreInto({ ...target, erased: erasedIn(values.erased) }, read), seconds());
    return 0;
  } catch (error) {
    return reportFailure("restore", error, io);
  }
}

async function addTo(
  { url, dataDir, vault, log }: ReturnType<typeof targetOf> & { dataDir: string },
  env: Env,
  read: () => AsyncIterable<string>,
): Promise<Added> {
  if (url === undefined) existingDatabase(dataDir);
  const database = await openConfigured({ ...readDatabaseConfig(env), dataDir }, log, openUnmigrated);
  return addOrganisation(database, vault, read).finally(database.close);
}

function targetOf(env: Env, dataDir: string) {
  const { databaseUrl: url, directDatabaseUrl: directUrl } = readDatabaseConfig(env);
  const vault = keptVault(env, dataDir);
  if (!vault)
    throw new BackupError(
      `SECRET_KEY is required, 32 bytes in base64: the one of the platform that was backed up, in the environment or in ${join(dataDir, "secret-key")}`,
    );
  return {
    url,
    directUrl,
    database: join(dataDir, "database"),
    vault,
    log: createLog(env.LOG_LEVEL || "warn"),
  };
}

/** @throws UsageError */
function erasedIn(path: string | undefined): string[] | undefined {
  if (path === undefined) return undefined;
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .map((line) => line.trim());
  const fault = lines.findIndex((line) => line !== "" && !isUuid(line));
  if (fault !== -1) throw new UsageError(`line ${fault + 1} of ${path} is not a candidateId`);
  return lines.filter((line) => line !== "");
}

function report(io: Io, { header, rows, migrated, ended }: Restored, seconds: number): void {
  io.stdout(
    `${rows} rows of ${header.tables.length} tables as of ${header.takenAt}, in ${seconds.toFixed(1)} s`,
  );
  if (migrated.length > 0) io.stdout(`then migrated by ${migrated.join(", ")}`);
  io.stdout("the platform reads every known future shift when it starts");
  const { tokensEnded, erased, notErased = [] } = ended;
  if (tokensEnded > 0)
    io.stdout(
      `the tokens of ${tokensEnded} operators ended: give new ones with OPERATIONS_TOKEN, \`shiftpact operators rotate NAME\``,
    );
  if (erased === undefined)
    io.stdout("people who were erased after the backup are stored again: erase them again (see --erased)");
  else io.stdout(`${erased} people were erased again`);
  if (notErased.length > 0) io.stdout(`erase these once their bookings have ended: ${notErased.join(", ")}`);
}

function reportAdded(io: Io, { header, rows, isNew, joined }: Added, seconds: number): void {
  const id = header.organisation?.providerId;
  if (!isNew) {
    io.stdout(`the organisation ${id} is in this database already: nothing was changed`);
    return;
  }
  io.stdout(
    `organisation ${id}: ${rows} rows of ${header.tables.length} tables as of ${header.takenAt}, in ${seconds.toFixed(1)} s`,
  );
  if (joined > 0) io.stdout(`${joined} of its people were known here already`);
  io.stdout("lead its webhooks here, then activate it: the platform first reads every known future shift");
}
