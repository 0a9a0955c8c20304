import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placeOf } from "./database-url.ts";
import { syncOne } from "./sync.ts";

const pathIn = (folder: string) => join(folder, "moved");

/** Marks an embedded database as moved, so that no platform starts on it again. `url` of PostgreSQL; its password is not kept. */
export function markMoved(folder: string, url: string): void {
  writeFileSync(pathIn(folder), `${placeOf(url)}\n`);
  syncOne(pathIn(folder));
  syncOne(folder);
}

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
