import { readFileSync } from "node:fs";
import { isUuid } from "../contract/uuid.ts";
import { type Ended, afterRestore as prepare } from "../platform/backup/after-restore.ts";
import { openConfigured, readDatabaseConfig } from "../platform/config.ts";
import { openUnmigrated } from "../platform/db/database.ts";
import { adoptPlace } from "../platform/db/postgres/server.ts";
import { dataDirOf, readEnvironment } from "../platform/environment.ts";
import { createLog } from "../platform/log.ts";
import { existingDatabase } from "./existing-database.ts";
import { codeOf, type Io } from "./io.ts";
import { reportFailure } from "./run-command.ts";
import { readFlags, UsageError } from "./usage.ts";

const HELP = `shiftpact after-restore: prepares a database that was restored from a backup, before a platform starts on it.

  --taken-at TIME
               when the backup was made, such as 2027-03-01T02:00:00Z; unless given, when a platform was last seen in it
  --erased LIST
               a file with the candidateIds, one a line, of people who were erased after the backup: they are erased again
  --same       only records that the database is used here from now on: after it was moved with the platform stopped, or upgraded
  --data DIR   SHIFTPACT_DATA or .shiftpact unless given

Nothing of the backup is sent: mail and messages that were not sent, and changes of shifts, may have been sent since. Every future shift is due to
be read at its provider. The tokens and sessions of all operators end, and so do the links of candidates. That is one transaction. To repeat it
does no harm, with --erased for example.

With DATABASE_URL it works on PostgreSQL; behind a pooler in transaction mode, give DIRECT_DATABASE_URL beside it. Without, on the embedded
database in the data folder, where \`shiftpact restore\` has done all this already. It refuses while a platform is at work there.

Exit code 0: done; 1: it failed, and nothing was changed; 2: flags, settings or a database that cannot be used.

Examples:
  DATABASE_URL=postgres://localhost/shiftpact shiftpact after-restore --taken-at 2027-03-01T02:00:00Z --erased erased.txt
  DATABASE_URL=postgres://localhost/shiftpact shiftpact after-restore --same`;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/;

/** Returns the exit code: 0 done; 1 it failed; 2 unusable flags, settings or database. */
export async function afterRestore(argv: string[], io: Io): Promise<number> {
  try {
    const text = { type: "string" } as const;
    const { values } = readFlags({
      args: argv,
      options: {
        "taken-at": text,
        erased: text,
        same: { type: "boolean" },
        data: text,
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help) {
      io.stdout(HELP);
      return 0;
    }
    const { "taken-at": takenAt, erased: list, same } = values;
    if (same && (takenAt ?? list) !== undefined) throw new UsageError("--same stands alone (see --help)");
    if (takenAt !== undefined && !(TIME.test(takenAt) && Date.parse(takenAt) <= Date.now()))
      throw new UsageError("--taken-at must be a time in the past, such as 2027-03-01T02:00:00Z");
    const erased = erasedIn(list);
    const env = readEnvironment(io.env, ["LOG_LEVEL"]);
    const config = { ...readDatabaseConfig(env), dataDir: dataDirOf(env, values.data) };
    if (!config.databaseUrl) existingDatabase(config.dataDir);
    const database = await openConfigured(config, createLog(env.LOG_LEVEL || "warn"), openUnmigrated);
    try {
      if (same) await adoptPlace(database.raw.executeSql);
      else
        reportEnded(
          io,
          await prepare(database, {
            takenAt: takenAt === undefined ? undefined : new Date(takenAt).toISOString(),
            erased,
          }),
        );
      io.stdout("the database is used here from now on");
      return 0;
    } finally {
      await database.close();
    }
  } catch (error) {
    return reportFailure("after-restore", error, io);
  }
}

/** @throws UsageError */
export function erasedIn(path: string | undefined): string[] | undefined {
  if (path === undefined) return undefined;
  const lines = textOf(path)
    .split("\n")
    .map((line) => line.trim());
  const fault = lines.findIndex((line) => line !== "" && !isUuid(line));
  if (fault !== -1) throw new UsageError(`line ${fault + 1} of ${path} is not a candidateId`);
  return lines.filter((line) => line !== "");
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${codeOf(error)})`);
  }
}

export function reportEnded(io: Io, { tokensEnded, erased, notErased = [] }: Ended): void {
  io.stdout("the platform reads every known future shift when it starts");
  if (tokensEnded > 0)
    io.stdout(
      `the tokens of ${tokensEnded} operators ended: give new ones with OPERATIONS_TOKEN, \`shiftpact operators rotate NAME\``,
    );
  if (erased === undefined)
    io.stdout("people who were erased after the backup are stored again: erase them again (see --erased)");
  else io.stdout(`${erased} people are erased again`);
  if (notErased.length > 0) io.stdout(`erase these once their bookings have ended: ${notErased.join(", ")}`);
}
