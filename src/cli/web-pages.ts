import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WebPages } from "../platform/http/web-pages.ts";

/** The platform's package has them beside the code; a checkout has them in `dist/`. */
const IS_BUILT = import.meta.url.endsWith(".js");
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The source and the build of each page. */
const CONSOLE = {
  name: "console",
  sources: ["src/console", "generated/operations"],
  command: ["node_modules/vite/bin/vite.js", "build", "src/console", "--logLevel", "warn"],
};
const DOCS = {
  name: "docs",
  sources: [
    "spec",
    "generated/spec",
    "scripts/docs",
    "scripts/docs.ts",
    "src/verify/codes",
    "src/contract",
    "src/platform/issues",
  ],
  command: ["--import", "tsx", "scripts/docs.ts"],
};

/**
 * Returns the console and the documentation. The package holds them. A checkout builds them on first use, and again when the platform
 * restarts after a change of their sources.
 */
export function webPages(): { console: WebPages; docs: WebPages } {
  return { console: pagesOf(CONSOLE), docs: pagesOf(DOCS) };
}

function pagesOf(pages: typeof CONSOLE): WebPages {
  if (IS_BUILT) return { folder: fileURLToPath(new URL(`./${pages.name}`, import.meta.url)) };
  const folder = join(ROOT, "dist", pages.name);
  return { folder, prepare: () => buildIfOlder(pages, join(folder, "index.html")) };
}

async function buildIfOlder({ name, sources, command }: typeof CONSOLE, built: string): Promise<void> {
  const newest = Math.max(...sources.map((source) => changedAt(join(ROOT, source))));
  if (changedAt(built) >= newest) return;
  const child = spawn(process.execPath, command, { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"] });
  const complaints: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  const [code] = await once(child, "close");
  if (code === 0) return;
  throw new Error(`the ${name} could not be built: ${Buffer.concat(complaints).toString("utf8").trim()}`);
}

/** Returns when it, or anything in it, was last written; 0 when it does not exist. Milliseconds. */
function changedAt(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return Math.max(0, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}
