import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Writes every file and folder below `path` through to the disk. */
export function syncTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) syncOne(join(entry.parentPath, entry.name));
  }
  syncOne(path);
}

/** Writes one file, or the names in one folder, through to the disk. */
export function syncOne(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
