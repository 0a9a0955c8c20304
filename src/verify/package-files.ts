import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));

/**
 * Where a file of this package is: looked for from here upwards, because modules are at another depth once they are built.
 * @param path as seen from package.json: `contracts/...`
 * @throws Error when the package is not complete
 */
export function packageFile(path: string): string {
  for (let folder = HERE; ; folder = dirname(folder)) {
    if (existsSync(join(folder, path))) return join(folder, path);
    if (folder === dirname(folder)) throw new Error(`${path} is missing: install shiftpact again`);
  }
}

const manifest = () => JSON.parse(readFileSync(packageFile("package.json"), "utf8"));

/** Version of this package. */
export const kitVersion = (): string => manifest().version;

/** The oldest Node that this package supports, such as `22.12`. */
export const supportedNode = (): string => manifest().engines.node.replace(/^>=/, "");
