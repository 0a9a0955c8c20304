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

/** What the platform serves to people. */
const PAGES = [
  ["node_modules/vite/bin/vite.js", "build", "src/console", "--logLevel", "warn"],
  ["--import", "tsx", "scripts/docs.ts"],
];

function writePages(): number {
  for (const command of PAGES) {
    const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: "inherit" });
    if (status !== 0) return status ?? 1;
  }
  return 0;
}

/** Writes `dist/`, what the package's exports and its command point at, the console and the documentation. Answers the exit code. */
function build(): number {
  rmSync(OUT, { recursive: true, force: true });
  const code = compile();
  if (code !== 0) return code;
  for (const folder of ["generated", "src"]) carryOver(folder);
  return writePages();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = build();
