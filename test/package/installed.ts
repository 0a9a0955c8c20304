import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = join(PROJECT, "node_modules");
/** Not of a fresh checkout, or not needed to build and pack. */
const LEFT_OUT = new Set(["node_modules", "dist", "coverage", ".git", ".shiftpact"]);

export interface Manifest {
  name: string;
  bin: Record<string, string>;
  dependencies: Record<string, string>;
}

/** A folder outside of the project with nothing in it but the packed package and the dependencies that npm would bring. */
export interface Installed {
  folder: string;
  /** Where the package is. */
  path: string;
  manifest: Manifest;
  /** What was packed; paths inside the package. */
  files: string[];
  /** With the command, and the Node that runs the tests, on the PATH. */
  env: NodeJS.ProcessEnv;
  remove(): void;
}

export async function install(): Promise<Installed> {
  const root = mkdtempSync(join(tmpdir(), "shiftpact-package-"));
  const tarball = await pack(join(root, "checkout"));
  const folder = join(root, "fresh");
  const path = join(folder, "node_modules", "shiftpact");
  mkdirSync(path, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", path, "--strip-components=1"]);
  linkDependencies(join(folder, "node_modules"));
  const manifest: Manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  const commands = linkCommands(manifest, path);
  const PATH = [commands, dirname(process.execPath), process.env.PATH].join(delimiter);
  const { LOG_LEVEL, DATABASE_URL, ...env } = process.env;
  return {
    ...{ folder, path, manifest, files: filesBelow(path), env: { ...env, PATH } },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** As a maintainer does it, from a checkout without `dist/`. Answers the tarball. */
async function pack(checkout: string): Promise<string> {
  mkdirSync(checkout);
  for (const name of readdirSync(PROJECT).filter((each) => !LEFT_OUT.has(each))) {
    cpSync(join(PROJECT, name), join(checkout, name), { recursive: true });
  }
  symlinkSync(PACKAGES, join(checkout, "node_modules"));
  await run("npm", ["pack", "--silent", "--offline"], { cwd: checkout });
  const name = readdirSync(checkout).find((each) => each.endsWith(".tgz"));
  if (name === undefined) throw new Error("npm pack wrote no tarball");
  return join(checkout, name);
}

interface Lock {
  packages: Record<string, { dev?: boolean }>;
}

/** What the lock file has for those who install the package: none of what only its makers need. */
function linkDependencies(folder: string): void {
  const { packages }: Lock = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8"));
  for (const [place, { dev = false }] of Object.entries(packages)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? [];
    // Binaries for other systems are in the lock file, and not on this machine.
    if (name === undefined || dev || !existsSync(join(PACKAGES, name))) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(join(PACKAGES, name), join(folder, name));
  }
}

/** As npm does it: executable, and reached through a link. Answers the folder of the links. */
function linkCommands({ bin }: Manifest, path: string): string {
  const folder = join(dirname(path), ".bin");
  mkdirSync(folder);
  for (const [name, file] of Object.entries(bin)) {
    chmodSync(join(path, file), 0o755);
    symlinkSync(join(path, file), join(folder, name));
  }
  return folder;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
