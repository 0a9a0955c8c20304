import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));

/**
 * Returns the path of a file in this package. It searches upwards, because built modules have a different depth.
 * @param path relative to package.json: `contracts/...`
 * @throws Error when the package is not complete
 */
export function packageFile(path: string): string {
  for (let folder = HERE; ; folder = dirname(folder)) {
    if (existsSync(join(folder, path))) return join(folder, path);
    if (folder === dirname(folder)) throw new Error(`${path} is missing: reinstall shiftpact`);
  }
}

const manifest = () => JSON.parse(readFileSync(packageFile("package.json"), "utf8"));

export const kitVersion = (): string => manifest().version;

/** Returns the oldest supported Node version, such as `22.12`. */
export const supportedNode = (): string => manifest().engines.node.replace(/^>=/, "");
