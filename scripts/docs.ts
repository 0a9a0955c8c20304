import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isMain } from "../src/cli/is-main.ts";
import { siteFiles } from "./docs/site.ts";
import type { Terminal } from "./terminal.ts";

const HELP = `Writes the documentation as a folder of self-contained pages.

  npm run docs                       writes dist/docs; open dist/docs/index.html
  npm run docs -- --out /tmp/docs    writes there instead

  --out DIR   the folder, whose pages are replaced   (dist/docs)
  --help      show this

Exit code: 0 written, 1 a document could not be rendered or the folder not written, 2 wrong arguments.
`;

const OPTIONS = {
  out: { type: "string", default: "dist/docs" },
  help: { type: "boolean", default: false },
} as const;

/** Runs the command. Resolves with the exit code. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const out = readOut(argv, terminal);
  if (typeof out === "number") return out;
  try {
    await write(resolve(out), terminal);
    return 0;
  } catch (error) {
    terminal.error(`${(error as Error).message}\n`);
    return 1;
  }
}

/** Returns the folder, or the exit code if there is nothing to write. */
function readOut(argv: readonly string[], terminal: Terminal): string | number {
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS, strict: true });
    if (!values.help) return values.out;
    terminal.out(HELP);
    return 0;
  } catch (error) {
    terminal.error(`${(error as Error).message} (see --help)\n`);
    return 2;
  }
}

async function write(folder: string, terminal: Terminal): Promise<void> {
  const started = performance.now();
  mkdirSync(folder, { recursive: true });
  const files = await siteFiles((file) => terminal.out(`  ${file}\n`));
  for (const [file, text] of files) writeFileSync(join(folder, file), text);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const shown = relative(process.cwd(), folder) || ".";
  terminal.out(`${files.size} files in ${shown}, in ${seconds} s\n`);
}

if (isMain(import.meta)) {
  process.exitCode = await main(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
  });
}
