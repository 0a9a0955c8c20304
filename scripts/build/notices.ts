import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** A package whose code is in a bundle. */
interface Bundled {
  name: string;
  version: string;
  /** SPDX. */
  license: string;
  /** The text of its licence file; empty when it has none. */
  text: string;
}

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * Returns the packages whose code is in the bundles.
 * @throws Error when one of them names no licence
 */
export function bundledIn(root: string, { inputs }: Metafile): Bundled[] {
  const folders = Object.keys(inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []);
  const all = [...new Set(folders)].map((folder) => packageIn(join(root, folder)));
  return all.sort((left, right) => (left.name < right.name ? -1 : 1));
}

function packageIn(folder: string): Bundled {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${name} names no licence`);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8");
  return { name, version, license, text: text.trim() };
}

/** Returns names, versions and licences as text. */
export function noticesOf(packages: readonly Bundled[]): string {
  const notices = packages.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`,
  );
  return `The code of these packages is in the bundles of this folder.\n\n${notices.join("\n")}`;
}

/** Returns a bill of materials (CycloneDX 1.6) for scanners, which cannot see bundled packages. */
export function billOf(own: { name: string; version: string }, packages: readonly Bundled[]): string {
  const component = ({ name, version }: { name: string; version: string }) => ({
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  });
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component(own) },
    components: packages.map((each) => ({
      ...component(each),
      licenses: [{ license: { id: each.license } }],
    })),
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}
