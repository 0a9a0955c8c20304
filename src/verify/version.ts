import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Version of this package, from the nearest package.json upwards: this file is at another depth once it is built. */
export function kitVersion(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    const { name, version } = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    if (name === "shiftpact") return String(version);
    if (folder === dirname(folder)) return "unknown";
  }
}
