import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { build } from "vite";

/** The shell has no windows of its own to draw: a test takes half as long as with the whole browser, which works too. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
/** The browser's own requests, and requests of a page to another host, fail immediately. */
const ONLY_THIS_MACHINE = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  ONLY_THIS_MACHINE,
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @throws Error that names what is missing, without Chromium */
export function launchChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `a test needs Chromium here, and ${CHROMIUM} does not exist: install it (Debian: apt-get install chromium-headless-shell), or set CHROMIUM to its path`,
    );
  }
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** Builds the console into a folder. */
export async function buildConsole(outDir: string): Promise<void> {
  await build({
    root: fileURLToPath(new URL("../../src/console", import.meta.url)),
    configFile: fileURLToPath(new URL("../../src/console/vite.config.ts", import.meta.url)),
    logLevel: "warn",
    build: { outDir, emptyOutDir: true },
  });
}
