import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "runtime");

/** The runtime that generated code imports: hand-written and type-checked here, copied into the output. */
export function emitRuntime(): [name: string, text: string][] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".ts"));
  return names.sort().map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]);
}
