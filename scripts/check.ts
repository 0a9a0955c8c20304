import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** The static checks, the longest first: all of them run at the same time. */
const CHECKS: readonly (readonly string[])[] = [["typecheck"], ["lint"], ["generate", "--", "--check"]];

/** Runs an npm script. Returns whether it succeeded, and prints its output only if it failed. */
async function check(script: readonly string[]): Promise<boolean> {
  const child = spawn("npm", ["run", "-s", ...script], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return true;
  process.stderr.write(`npm run ${script.join(" ")} failed:\n${out}${error}`);
  return false;
}

const areRight = await Promise.all(CHECKS.map(check));
process.exitCode = areRight.every(Boolean) ? 0 : 1;
