import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = join(PROJECT, "node_modules");
/** Folders that are not in a fresh checkout, or not needed to build and pack. */
const LEFT_OUT = new Set(["node_modules", "dist", "coverage", ".git", ".shiftpact"]);

export interface Manifest {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}

/** A folder outside of the project with installed packages. */
export interface Installed {
  folder: string;
  /** The folder of the package `shiftpact`. */
  path: string;
  manifest: Manifest;
  /** Its packed files; paths inside the package. */
  files: string[];
  /** The environment with the commands, and the Node that runs the tests, on the PATH. */
  env: NodeJS.ProcessEnv;
}

/** Returns the tarballs of a publication. */
export interface Packed {
  shiftpact: string;
  platform: string;
  /** The files beside them in the build context of the image. */
  image: string[];
  /** Installs with npm, from its registry, into a new folder. */
  install(...packages: string[]): Promise<Installed>;
  remove(): void;
}

/** Packs as a maintainer does, from a checkout without `dist/`. */
export async function packAll(): Promise<Packed> {
  const root = mkdtempSync(join(tmpdir(), "shiftpact-package-"));
  const checkout = checkOut(root);
  const pack = async (...folder: string[]) => {
    const { stdout } = await run("npm", ["pack", "--silent", "--offline", ...folder], { cwd: checkout });
    return join(checkout, stdout.trim().split("\n").at(-1) ?? "");
  };
  return {
    shiftpact: await pack(),
    platform: await pack("./dist/platform"),
    image: filesBelow(join(checkout, "dist/image")).map((file) => join(checkout, "dist/image", file)),
    install: (...packages) => install(mkdtempSync(join(root, "fresh-")), packages),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Copies the project into a folder, with its installed packages. Returns its path. */
export function checkOut(folder: string): string {
  const checkout = copyProject(folder);
  symlinkSync(PACKAGES, join(checkout, "node_modules"));
  return checkout;
}

/** Copies the project into a folder, as a fresh checkout. Returns its path. */
export function copyProject(folder: string): string {
  const checkout = join(folder, "checkout");
  mkdirSync(checkout);
  for (const name of readdirSync(PROJECT).filter((each) => !LEFT_OUT.has(each))) {
    cpSync(join(PROJECT, name), join(checkout, name), { recursive: true });
  }
  return checkout;
}

async function install(folder: string, packages: readonly string[]): Promise<Installed> {
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], { cwd: folder });
  const path = join(folder, "node_modules", "shiftpact");
  const commands = join(folder, "node_modules", ".bin");
  const PATH = [commands, dirname(process.execPath), process.env.PATH].join(delimiter);
  const { LOG_LEVEL, DATABASE_URL, ...env } = process.env;
  const manifest: Manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  return { folder, path, manifest, files: filesBelow(path), env: { ...env, PATH } };
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** The tools that are tested on the published documents, in the versions of the guide "Use your tools". */
export const GENERATORS = {
  oazapfts: "7.5.0",
  orval: "8.38.0",
  "openapi-typescript-codegen": "0.31.0",
  "openapi-zod-client": "1.18.3",
};

export const TOOLS = {
  "@stoplight/spectral-cli": "6.16.3",
  quicktype: "26.0.0",
  "@apidevtools/swagger-parser": "13.1.0",
  "openapi-backend": "5.21.2",
  "@usebruno/cli": "4.1.0",
};

/** Other runtimes in which the clients are tested. */
export const RUNTIMES = { bun: "1.4.5", deno: "2.9.6" };

/** Checks of published packages. */
export const PACKAGE_CHECKS = { publint: "0.3.25", "@arethetypeswrong/cli": "0.18.5" };
