import { counted } from "../../contract/operator-text/phrases.ts";
import { type Database, inTransaction } from "../db/engine.ts";
import { migrate } from "../db/migrate.ts";
import { adoptPlace } from "../db/place.ts";
import { countProcesses } from "../db/processes.ts";
import { BackupError } from "./backup-error.ts";
import { prepareCatchUp } from "./catch-up.ts";
import { type Ended, endRevoked } from "./ending.ts";

export interface Restored {
  /** When the backup was made, if that is known. ISO 8601. */
  takenAt?: string | undefined;
  /** The candidateIds of people who were erased after the backup, if that is known. */
  erased?: readonly string[] | undefined;
}

/**
 * Prepares a restored database for a platform, in one transaction: what may have happened since the backup is neither undone nor repeated. The schema
 * is migrated before. May be repeated. Rejects with BackupError while a platform is at work.
 */
export async function afterRestore(
  { raw }: Pick<Database, "raw">,
  { takenAt, erased }: Restored,
): Promise<Ended> {
  await migrate(raw);
  return raw.alone((run) =>
    inTransaction(run, async () => {
      await run("set local search_path to shiftpact, public");
      // A process that starts meanwhile waits here, and works on what is prepared.
      await run("lock table processes in exclusive mode");
      const count = await countProcesses(run);
      if (count > 0)
        throw new BackupError(
          `${counted(count, "platform process", "platform processes")} at work on this database (\`select * from shiftpact.processes\`): ` +
            "stop the platform, and repeat the command 15 s later",
        );
      const { rows } = await run("select max(seen_at) as at from processes");
      const ended = await endRevoked(run, erased);
      await prepareCatchUp(run, takenAt ?? rows[0].at?.toISOString(), ended);
      await run("delete from processes");
      await adoptPlace(run);
      return ended;
    }),
  );
}
