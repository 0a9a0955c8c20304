import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Whether the process was started with this module; an installed command is reached through a symbolic link. */
export function isMain({ main, url }: ImportMeta): boolean {
  const [, started] = process.argv;
  // Node 24.2 was the first to say it.
  return main ?? (started !== undefined && realpathSync(started) === fileURLToPath(url));
}
