import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OUT = join(ROOT, "dist");

/** Migrations, which are read at run time, and the generated validators with their types: tsc leaves them where they are. */
const CARRIED = /\.(sql|js|d\.ts)$/;

function compile(): number {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", join(ROOT, "tsconfig.build.json")], {
    stdio: "inherit",
  });
  return status ?? 1;
}

function carryOver(folder: string): void {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  for (const name of names.filter((each) => CARRIED.test(each))) {
    cpSync(join(ROOT, folder, name), join(OUT, folder, name));
  }
}

/** Writes `dist/`, what the package's exports and its command point at. Answers the exit code. */
function build(): number {
  rmSync(OUT, { recursive: true, force: true });
  const code = compile();
  if (code === 0) for (const folder of ["generated", "src"]) carryOver(folder);
  return code;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = build();
