import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CannotCompare } from "./cannot-compare.ts";

export interface Base {
  /** The full name of the commit. */
  commit: string;
  /** The reason of the choice. */
  why: string;
}

/**
 * Returns the commit to compare with: the requested one, or else the merge base of the branch, the last tag, or the last commit.
 * @throws CannotCompare where there is no such commit, or no repository
 */
export function findBase(folder: string, asked: string | undefined): Base {
  git(folder, ["rev-parse", "--git-dir"]);
  if (asked !== undefined) {
    const commit = answer(folder, [
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `${asked}^{commit}`,
    ]);
    if (commit) return { commit, why: asked };
    throw new CannotCompare(`${asked} is not a revision: give a commit, a tag or a branch after --base`);
  }
  const grown = answer(folder, ["merge-base", "HEAD", "origin/main"]);
  if (grown) return { commit: grown, why: "merge base with origin/main" };
  const tag = answer(folder, ["describe", "--tags", "--abbrev=0"]);
  if (tag) return { commit: git(folder, ["rev-parse", `${tag}^{commit}`]), why: `tag ${tag}` };
  const head = answer(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (head) return { commit: head, why: "the last commit" };
  throw new CannotCompare("The repository has no commit yet: there is nothing to compare with");
}

/**
 * Writes the folder at a commit to another place, without changing the index or files of the repository.
 * @throws CannotCompare where the commit has no such folder
 */
export function checkOut(folder: string, commit: string, into: string): void {
  const prefix = git(folder, ["rev-parse", "--show-prefix"]);
  const env = { GIT_INDEX_FILE: `${into}.index` };
  const tree = answer(folder, ["rev-parse", "--verify", "--quiet", `${commit}:${prefix}`]);
  if (!tree) throw new CannotCompare(`${commit.slice(0, 10)} has no folder ${prefix}: choose a later --base`);
  mkdirSync(into, { recursive: true });
  const top = git(folder, ["rev-parse", "--show-toplevel"]);
  git(top, ["read-tree", tree], env);
  git(top, ["checkout-index", "--all", `--prefix=${join(into, "/")}`], env);
}

/** Returns the output of git; undefined if it fails. */
function answer(cwd: string, args: readonly string[]): string | undefined {
  try {
    return git(cwd, args);
  } catch (error) {
    if (error instanceof CannotCompare) return undefined;
    throw error;
  }
}

function git(cwd: string, args: readonly string[], env: Record<string, string> = {}): string {
  try {
    const answered = execFileSync("git", [...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    return answered.trim();
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    if (code === "ENOENT")
      throw new CannotCompare("git is not installed: it holds the revision to compare with");
    const [reason = ""] = (stderr ?? "").split("\n");
    throw new CannotCompare(`git ${args[0]} failed in ${cwd}: ${reason}`);
  }
}
