import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placeOf } from "./database-url.ts";
import { syncOne } from "./sync.ts";

const pathIn = (folder: string) => join(folder, "moved");

/** Marks an embedded database as moved, so that no platform starts on it again. `url` of PostgreSQL; its password is not kept. */
export function markMoved(folder: string, url: string): void {
  const draft = `${pathIn(folder)}.new`;
  writeFileSync(draft, `${placeOf(url)}\n`);
  syncOne(draft);
  renameSync(draft, pathIn(folder));
  syncOne(folder);
}

/** Whether the mark names the hosts and the database of `url`. */
export const isMarkedAsMovedTo = (folder: string, url: string): boolean => readMark(folder) === placeOf(url);

/** Throws one line if the database was moved. */
export function refuseMoved(folder: string): void {
  const to = readMark(folder);
  if (to === undefined) return;
  throw new Error(
    `the database in ${folder} was moved to PostgreSQL at ${to}: start with DATABASE_URL, and with the same SECRET_KEY and OPERATIONS_TOKEN`,
  );
}

function readMark(folder: string): string | undefined {
  try {
    return readFileSync(pathIn(folder), "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
