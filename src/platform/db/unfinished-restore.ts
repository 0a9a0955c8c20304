import { existsSync } from "node:fs";

/** The folder that a restore fills; it is renamed to `folder` when it is complete. */
export const draftOf = (folder: string): string => `${folder}.restoring`;

/** Throws one line if a restore into `folder` has begun and has not finished: an empty database must not take its place. */
export function refuseUnfinishedRestore(folder: string): void {
  if (existsSync(folder) || !existsSync(draftOf(folder))) return;
  throw new Error(
    `a restore into ${folder} is not finished: wait until it ends or, if it was interrupted, run \`shiftpact restore\` again; ` +
      `to give it up, remove ${draftOf(folder)}`,
  );
}
