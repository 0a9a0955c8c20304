import { existsSync } from "node:fs";
import { join } from "node:path";
import { refuseUnfinishedRestore } from "../platform/db/pglite/folder.ts";

/** Returns the folder of the embedded database, and throws one line when it does not exist. */
export function existingDatabase(dataDir: string): string {
  const folder = join(dataDir, "database");
  refuseUnfinishedRestore(folder);
  if (!existsSync(folder)) throw new Error(`there is no database in ${dataDir}: name the folder with --data`);
  return folder;
}
