import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CouldNotRun } from "../verify/could-not-run.ts";
import { codeOf } from "./io.ts";

export interface NewFile {
  /** Relative to the folder. */
  path: string;
  text: string;
}

/**
 * Checks that no file would be overwritten.
 * @throws CouldNotRun that names them all
 */
export function refuseExisting(folder: string, paths: readonly string[]): void {
  const existing = paths.map((path) => join(folder, path)).filter(isThere);
  if (existing.length === 0) return;
  const verb = existing.length === 1 ? "exists" : "exist";
  throw new CouldNotRun(
    `${existing.join(" and ")} ${verb}, and nothing was written: --force replaces, --ci none writes no job, --dir DIR writes elsewhere`,
  );
}

/** @throws CouldNotRun when the folder is not writable */
export function writeFiles(folder: string, files: readonly NewFile[]): void {
  for (const { path, text } of files) {
    const file = join(folder, path);
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    } catch (error) {
      throw new CouldNotRun(`${file} cannot be written (${codeOf(error)})`);
    }
  }
}

/** A broken link counts as present, too. */
function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
