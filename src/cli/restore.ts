import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { BackupError } from "../platform/backup/after-restore.ts";
import { restore as restoreInto } from "../platform/backup/restore.ts";
import { dataDirOf, readEnvironment } from "../platform/environment.ts";
import { createLog } from "../platform/log.ts";
import { erasedIn, reportEnded } from "./after-restore.ts";
import type { Io } from "./io.ts";
import { reportFailure } from "./run-command.ts";
import { readFlags, UsageError } from "./usage.ts";

const HELP = `shiftpact restore FILE: restores a backup of the embedded database, completely or not at all, and does what \`shiftpact after-restore\` does.

  --data DIR   SHIFTPACT_DATA or .shiftpact unless given: the embedded database is made there
  --erased LIST
               a file with the candidateIds, one a line, of people who were erased after the backup: they are erased again

FILE - is the standard input. The platform then needs the SECRET_KEY of the one that was backed up, from the environment or the file secret-key
in the data folder. PostgreSQL is restored with its own tools, and \`shiftpact after-restore\`.

Exit code 0: restored; 1: it failed, and nothing was changed; 2: flags or settings that cannot be used.

Examples:
  mkdir -m 700 restored && cp data/secret-key data/operations-token restored/ && shiftpact restore monday.tar.gz --data restored
  age -d -i key.txt monday.tar.gz.age | shiftpact restore - --data restored`;

/** Returns the exit code: 0 restored; 1 the restore failed; 2 unusable flags or settings. */
export async function restore(argv: string[], io: Io): Promise<number> {
  try {
    const { values, positionals } = readFlags({
      args: argv,
      options: {
        data: { type: "string" },
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
    const env = readEnvironment(io.env, ["LOG_LEVEL"]);
    if (env.DATABASE_URL)
      throw new UsageError(
        "DATABASE_URL is set: PostgreSQL is restored with its own tools, such as pg_restore, and then `shiftpact after-restore`",
      );
    if (file !== "-" && !existsSync(file)) throw new BackupError(`there is no file ${file}`);
    const erased = erasedIn(values.erased);
    const begun = performance.now();
    const restored = await restoreInto(
      {
        database: join(dataDirOf(env, values.data), "database"),
        erased,
        log: createLog(env.LOG_LEVEL || "warn"),
      },
      file === "-" ? process.stdin : createReadStream(file),
    );
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    io.stdout(`restored as of ${restored.takenAt}, in ${seconds} s`);
    reportEnded(io, restored);
    return 0;
  } catch (error) {
    return reportFailure("restore", error, io);
  }
}
