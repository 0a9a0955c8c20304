import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Returns whether the process was started with this module. An installed command is reached through a symbolic link. */
export function isMain({ main, url }: ImportMeta): boolean {
  const [, started] = process.argv;
  // Node reports this since 24.2.
  return main ?? (started !== undefined && realpathSync(started) === fileURLToPath(url));
}
