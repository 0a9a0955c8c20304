import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OrganisationSnapshot } from "../../sandbox/provider-actions.ts";

/** Beside the data of the platform, which knows the organisation. It holds the provider's token. */
const pathIn = (dataDir: string) => join(dataDir, "demo-organisation.json");

/**
 * Returns the organisation of the demo that last ran on this data folder; undefined for the first one.
 * @throws Error when the file is damaged.
 */
export function readDemo(dataDir: string): OrganisationSnapshot | undefined {
  const path = pathIn(dataDir);
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as OrganisationSnapshot;
  } catch {
    throw new Error(`${path} cannot be read: delete it, and the demo creates a new organisation`);
  }
}

export function writeDemo(dataDir: string, snapshot: OrganisationSnapshot): void {
  const path = pathIn(dataDir);
  const draft = `${path}.new`;
  writeFileSync(draft, JSON.stringify(snapshot), { mode: 0o600 });
  renameSync(draft, path);
}
