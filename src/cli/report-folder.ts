import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CouldNotRun } from "../verify/could-not-run.ts";
import { codeOf } from "./io.ts";

/** Where the reports of one run are written. */
export type ReportFolder = (name: string) => (text: string) => void;

/**
 * Creates the folder when missing. Reports of an earlier run are removed, so all files belong to this run.
 * @throws CouldNotRun when the folder is not writable
 */
export function openReportFolder(folder: string, names: readonly string[]): ReportFolder {
  inFolder(folder, () => {
    mkdirSync(folder, { recursive: true });
    rmdirSync(mkdtempSync(join(folder, ".shiftpact-")));
    for (const name of names) rmSync(join(folder, name), { force: true });
  });
  return (name) => (text) => inFolder(folder, () => writeFileSync(join(folder, name), text));
}

function inFolder(folder: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new CouldNotRun(`--report ${folder}: not writable (${codeOf(error)}); give a writable folder`);
  }
}
