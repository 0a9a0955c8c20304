import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMain } from "../src/cli/is-main.ts";
import { buildKit, buildPlatform, PLATFORM, PLATFORM_PACKAGE, PLATFORM_README } from "./build/bundles.ts";
import { imageProject } from "./build/image-lock.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OUT = join(ROOT, "dist");

const COMPILE = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"];

/** The pages that the platform serves. */
const PAGES = [
  ["node_modules/vite/bin/vite.js", "build", "src/console", "--logLevel", "warn"],
  ["--import", "tsx", "scripts/docs.ts"],
];

/** Runs a command. @throws Error when it fails; its output is on the terminal */
function run(command: readonly string[]): void {
  const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error(`${command[0]} ended with ${status}`);
}

/** Builds the library, module by module. tsc does not copy the generated validators and their types. */
function buildLibrary(): void {
  run(COMPILE);
  for (const name of filesBelow(join(ROOT, "generated"), /\.(js|d\.ts)$/)) {
    cpSync(join(ROOT, "generated", name), join(OUT, "generated", name));
  }
  // The kit is bundled: only the types of its modules are kept.
  for (const name of filesBelow(OUT, /^src\/verify\/.*\.js(\.map)?$/)) rmSync(join(OUT, name));
  for (const name of filesBelow(OUT, /\/types\.js$/)) dropEmptyMap(join(OUT, name));
}

/** Removes the source map of a module without code. */
function dropEmptyMap(file: string): void {
  if (!/^(\/\/.*\n)*export \{\};\n\/\/# .*$/.test(readFileSync(file, "utf8").trim())) return;
  writeFileSync(file, "export {};\n");
  rmSync(`${file}.map`);
}

function filesBelow(folder: string, which: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => which.test(name));
}

/** Builds the platform's package: a separate folder, with the console, the documentation and its migrations. */
async function writePlatform(): Promise<void> {
  const folder = join(OUT, PLATFORM);
  const dependencies = await buildPlatform(folder);
  for (const name of ["console", "docs"]) cpSync(join(OUT, name), join(folder, name), { recursive: true });
  cpSync(join(ROOT, "src", "platform", "db", "migrations"), join(folder, "migrations"), { recursive: true });
  cpSync(join(ROOT, "scripts", "deploy"), join(folder, "deploy"), { recursive: true });
  for (const name of ["LICENSE", "CHANGELOG.md"]) cpSync(join(ROOT, name), join(folder, name));
  writeFileSync(join(folder, "README.md"), PLATFORM_README);
  const { version, license, repository, engines, ...own } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  const versions = { ...own.devDependencies, ...own.dependencies };
  const manifest = {
    ...PLATFORM_PACKAGE,
    version,
    license,
    repository,
    engines,
    dependencies: Object.fromEntries(dependencies.map((name) => [name, versions[name]])),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Writes the files beside the packed packages in the build context of the image. */
function writeImageProject(): void {
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
  const manifests = [ROOT, join(OUT, PLATFORM)].map((folder) => read(join(folder, "package.json")));
  const { manifest, lock } = imageProject(read(join(ROOT, "package-lock.json")), manifests);
  const folder = join(OUT, "image");
  mkdirSync(folder);
  for (const [name, value] of Object.entries({ "package.json": manifest, "package-lock.json": lock }))
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Writes `dist/`: the targets of the exports and of the command of the package `shiftpact`, the package `@shiftpact/platform` in
 * `dist/platform/`, and in `dist/image/` the lock file of the image.
 */
async function build(): Promise<void> {
  rmSync(OUT, { recursive: true, force: true });
  buildLibrary();
  await buildKit(join(OUT, "kit"));
  for (const command of PAGES) run(command);
  await writePlatform();
  writeImageProject();
}

if (isMain(import.meta)) await build();
