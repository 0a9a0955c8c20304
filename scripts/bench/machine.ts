import { readFileSync } from "node:fs";
import { arch, cpus, release, type as system, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { isInMemory } from "./resources.ts";

const LOCK = fileURLToPath(new URL("../../package-lock.json", import.meta.url));

/** Returns the conditions of the figures: processor, memory, operating system, and the place of the data. */
export async function machineLine(dataPlace: string): Promise<string> {
  const [first, ...others] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = first?.model.trim() || "unknown processor";
  const place = (await isInMemory(dataPlace)) ? "in memory, where a sync costs nothing" : "on disk";
  return `${others.length + 1} cores of ${model}, ${memory} GiB, ${system()} ${release()} ${arch()}, data ${place}`;
}

/** Returns the versions of Node and of installed packages: `Node 24.21.0, express 5.3.0`. */
export function versionsLine(names: readonly string[]): string {
  const { packages } = JSON.parse(readFileSync(LOCK, "utf8"));
  const versions = names.map((name) => `${name} ${packages[`node_modules/${name}`]?.version ?? "?"}`);
  return [`Node ${process.versions.node}`, ...versions].join(", ");
}
