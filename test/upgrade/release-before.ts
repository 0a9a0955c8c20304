import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MIGRATIONS = "src/platform/db/migrations";

export interface Release {
  revision: string;
  /** Its `src/cli/shiftpact.ts`. */
  command: string;
  remove(): Promise<void>;
}

/** The last commit whose platform does not know the newest migration, in a folder of its own; UPGRADE_FROM names another one. */
export async function checkOutBefore(): Promise<Release> {
  const revision = process.env.UPGRADE_FROM ?? (await revisionBefore());
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-before-"));
  await mkdir(join(folder, "checkout"));
  const checkout = join(folder, "checkout");
  await run("sh", [
    "-c",
    'git -C "$0" archive "$1" > "$2.tar" && tar -xf "$2.tar" -C "$2"',
    ROOT,
    revision,
    checkout,
  ]);
  await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  return {
    revision,
    command: join(checkout, "src/cli/shiftpact.ts"),
    remove: () => rm(folder, { recursive: true }),
  };
}

async function revisionBefore(): Promise<string> {
  const newest = (await readdir(join(ROOT, MIGRATIONS))).sort().at(-1);
  const git = async (...args: string[]) => (await run("git", ["-C", ROOT, ...args])).stdout.trim();
  // What was merged counts as one commit: on its branch, a migration could still change.
  const line = ["log", "--first-parent", "-m", "--diff-filter=A", "-1", "--format=%H"];
  const added = await git(...line, "--", `${MIGRATIONS}/${newest}`);
  // One that is not committed yet.
  if (added === "") return git("rev-parse", "HEAD");
  return git("rev-parse", "--verify", `${added}^`).catch((error) => {
    const advice = "fetch the whole history (git fetch --unshallow), or name a revision with UPGRADE_FROM";
    throw new Error(`the commit before ${newest} is not in this checkout: ${advice}`, { cause: error });
  });
}
