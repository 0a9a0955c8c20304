import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import type { PlatformOptions } from "../../src/platform/main.ts";
import { type Harness, useHarness } from "../harness/platform.ts";

/** A running platform that serves the console, and a browser to look at it. */
export interface Theatre extends Harness {
  /** A page of the console, signed in, in a fresh window; what goes wrong in it fails the test. */
  visit(path?: string, look?: Look): Promise<Page>;
}

/** How somebody looks at the console. */
export interface Look {
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
  /** IANA zone of the reader's machine; one that is no integration's, unless given. */
  zone?: string;
  /** Complaints of the browser that the test provokes, such as the 409 of a refused call. */
  expected?: RegExp[];
}

export const PHONE: Look = { width: 390, height: 844 };

/** How each page is checked with axe. */
export const LOOKS: [string, Look][] = [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["on a phone", PHONE],
];

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Whatever the browser wants of its own, and whatever a page might ask of another host, fails at once. */
const ONLY_THIS_MACHINE = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1";
const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", ONLY_THIS_MACHINE],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** One platform and one browser for the whole file; windows and organisations end with their test. */
export function useTheatre(options: PlatformOptions = {}): () => Theatre {
  const pages = { console: { folder: consoleFolder() }, docs: { folder: join(consoleFolder(), "no-docs") } };
  const harness = useHarness("postgres", { ...options, pages });
  const windows: BrowserContext[] = [];
  const faults: string[] = [];
  let browser: Browser | undefined;
  beforeAll(async () => {
    const [launched] = await Promise.all([launch(), builtConsole()]);
    browser = launched;
  });
  afterEach(async () => {
    await Promise.all(windows.splice(0).map((window) => window.close()));
    expect(faults.splice(0), "what the browser complained of").toEqual([]);
  });
  afterAll(() => browser?.close());
  return () => ({
    ...harness(),
    visit: async (path = "", look = {}) => {
      if (!browser) throw new Error("the browser is started before the first test, not before");
      const window = await openWindow(browser, look);
      windows.push(window);
      const page = await window.newPage();
      noteFaults(page, look.expected ?? [], faults);
      const { url, operationsToken } = harness().platform;
      await page.goto(`${url}/console/${path}#token=${operationsToken}`);
      // What is shown from now on follows the stream.
      await page.getByText("Live", { exact: true }).waitFor();
      return page;
    },
  });
}

function launch(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `the browser tests need Chromium: install it (Debian: apt-get install chromium), or name it with CHROMIUM=path; ${CHROMIUM} is not there`,
    );
  }
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

function openWindow(browser: Browser, look: Look): Promise<BrowserContext> {
  const { width = 1280, height = 900, colorScheme = "light", zone = "America/New_York" } = look;
  return browser.newContext({ viewport: { width, height }, colorScheme, timezoneId: zone });
}

/** Chromium tells violations of the policy as errors on the console. */
function noteFaults(page: Page, expected: RegExp[], faults: string[]): void {
  page.on("pageerror", (error) => faults.push(`page error: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    const text = `${message.text()} ${message.location().url}`;
    if (message.type() !== "error" || expected.some((pattern) => pattern.test(text))) return;
    faults.push(`console: ${text}`);
  });
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (hostname !== "127.0.0.1" && protocol !== "data:" && protocol !== "blob:")
      faults.push(`a request that leaves this machine: ${request.url()}`);
  });
}

let built: Promise<void> | undefined;

/** Built from the sources as they are, once for all files that share this process. */
function builtConsole(): Promise<void> {
  built ??= build({
    root: fileURLToPath(new URL("../../src/console", import.meta.url)),
    configFile: fileURLToPath(new URL("../../src/console/vite.config.ts", import.meta.url)),
    logLevel: "warn",
    // Not the one for production, which tests must never overwrite while somebody's platform serves it.
    build: { outDir: consoleFolder(), emptyOutDir: true },
  }).then(() => undefined);
  return built;
}

/** Beside the databases, so that the end of the run removes it. */
function consoleFolder(): string {
  return join(dirname(inject("pgliteTemplate")), `console-${process.pid}`);
}

/** Neither serious nor critical: what remains is a matter of taste. */
export async function expectNoSeriousAxeFault(page: Page): Promise<void> {
  // Through the debugger, because the page's policy allows no script but its own.
  await page.evaluate(await axeSource());
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  const serious = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
  expect(serious).toEqual([]);
}

function axeSource(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}

/** On a phone the page moves up and down only; what is wider moves within its own box. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wider = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll("body *")]
      .filter((element) => element.getBoundingClientRect().right > clientWidth && !element.closest(".bar ul"))
      .map((element) => `${element.tagName}.${element.className} ${element.textContent?.slice(0, 40)}`);
  });
  expect(wider, "what is wider than the window").toEqual([]);
}

/** Presses Tab until the focus is there: somebody without a mouse gets to it. */
export async function tabTo(page: Page, target: Locator, most = 80): Promise<void> {
  for (let pressed = 0; pressed < most; pressed += 1) {
    await page.keyboard.press("Tab");
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`the focus did not come to ${target} in ${most} steps`);
}
