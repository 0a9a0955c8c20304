import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Output } from "./emit.ts";

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Returns the same texts as the project's formatter prints them, with imports in its order; one process for all. */
export async function formatted(output: Output, configuration: string): Promise<Output> {
  const folder = mkdtempSync(join(tmpdir(), "generate-"));
  try {
    const names = [...output.keys()].filter((name) => /\.(ts|md)$/.test(name));
    for (const name of names) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), output.get(name) ?? "");
    }
    await biome(folder, configuration);
    const texts = names.map((name): [string, string] => [name, readFileSync(join(folder, name), "utf8")]);
    return new Map([...output, ...texts]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function biome(folder: string, configuration: string): Promise<void> {
  const binary = join(dirname(require.resolve("@biomejs/biome/package.json")), "bin", "biome");
  const options = [
    "--write",
    "--linter-enabled=false",
    "--vcs-enabled=false",
    "--max-diagnostics=20",
    "--colors=off",
  ];
  const argv = [binary, "check", ...options, `--config-path=${configuration}`, folder];
  try {
    await run(process.execPath, argv, { cwd: folder });
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    throw new Error(`the generated text cannot be formatted, an error in its emitter:\n${output}`);
  }
}
