import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * Names, versions and licences of the packages whose code is in a bundle.
 * @throws Error when one of them has no licence that could be given along
 */
export function noticesOf(root: string, { inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []);
  const notices = [...new Set(folders)].sort().map((folder) => noticeOf(join(root, folder)));
  return `The code of these packages is in the bundles of this folder.\n\n${notices.join("\n")}`;
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (license === undefined && file === undefined) throw new Error(`${name} has no licence`);
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8");
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
