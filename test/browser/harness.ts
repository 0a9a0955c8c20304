import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { type Harness, type HarnessOptions, useHarness } from "../harness/platform.ts";
import { buildConsole, launchChromium } from "../harness/process.ts";

/** A running platform that serves the console, and a browser that visits it. */
export interface ConsoleHarness extends Harness {
  /** Opens the console in a new window. */
  open(path: string, display?: Display): Promise<Page>;
  /** Opens a page of the console, signed in, in a new window: with OPERATIONS_TOKEN unless given. Errors in the page fail the test. */
  visit(path?: string, display?: Display, token?: string): Promise<Page>;
}

/** The window and the browser settings of a visit. */
export interface Display {
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
  /** IANA zone of the reader's machine. The default is not the zone of any integration. */
  zone?: string;
  /** Errors of the browser that the test provokes, such as the 409 of a refused call. */
  expected?: RegExp[];
}

export const PHONE: Display = { width: 390, height: 844 };

/** Each page is checked with axe in each of these. */
export const DISPLAYS: [string, Display][] = [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["on a phone", PHONE],
];

/** The console asks who is signed in, and no one is. */
const NO_SESSION = /\b401\b.*\/operations\/v1\/me$/;

/** Starts one platform and one browser for the test file. Windows and organisations end with their test. */
export function useConsoleHarness(options: HarnessOptions = {}): () => ConsoleHarness {
  const pages = { console: { folder: consoleFolder() }, docs: { folder: join(consoleFolder(), "no-docs") } };
  const harness = useHarness("postgres", { ...options, pages });
  const windows: BrowserContext[] = [];
  const faults: string[] = [];
  let browser: Browser | undefined;
  beforeAll(async () => {
    const [launched] = await Promise.all([launchChromium(), builtConsole()]);
    browser = launched;
  });
  afterEach(async () => {
    await Promise.all(windows.splice(0).map((window) => window.close()));
    expect(faults.splice(0), "errors in the browser").toEqual([]);
  });
  afterAll(() => browser?.close());
  const open = async (path: string, display: Display = {}) => {
    if (!browser) throw new Error("the browser starts before the first test");
    const window = await openWindow(browser, display);
    windows.push(window);
    window.on("page", (page) => noteFaults(page, [NO_SESSION, ...(display.expected ?? [])], faults));
    const page = await window.newPage();
    await page.goto(`${harness().platform.url}/console/${path}`);
    return page;
  };
  return () => ({
    ...harness(),
    open,
    visit: async (path = "", display = {}, token = harness().platform.operationsToken) => {
      const page = await open(`${path}#token=${token}`, display);
      // From now on the page follows the stream.
      await page.getByText("Live", { exact: true }).waitFor();
      return page;
    },
  });
}

/** Waits without a limit of its own: the test runner ends what hangs. */
async function openWindow(browser: Browser, display: Display): Promise<BrowserContext> {
  const { width = 1280, height = 900, colorScheme = "light", zone = "America/New_York" } = display;
  const window = await browser.newContext({ viewport: { width, height }, colorScheme, timezoneId: zone });
  window.setDefaultTimeout(0);
  return window;
}

/** Chromium reports violations of the content security policy as console errors. */
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
      faults.push(`a request to another machine: ${request.url()}`);
  });
}

let built: Promise<void> | undefined;

/** Builds the console once for all test files in this process. */
function builtConsole(): Promise<void> {
  // Not the production folder, which a running platform may serve.
  built ??= buildConsole(consoleFolder());
  return built;
}

/** Beside the databases, so that the end of the test run removes it. */
function consoleFolder(): string {
  return join(dirname(inject("pgliteTemplate")), `console-${process.pid}`);
}

/** axe finds nothing, of whatever weight. */
export async function expectNoViolation(page: Page): Promise<void> {
  // Through the debugger, because the content security policy allows no foreign script.
  await page.evaluate(await axeSource());
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
  expect(found, found.join("\n")).toEqual([]);
}

function axeSource(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}

/** A page scrolls vertically only. Wider content scrolls within its own box. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wider = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll("body *")]
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        // Text may be wider than its element.
        return Math.max(right, left + element.scrollWidth) > clientWidth && !element.closest(".bar ul");
      })
      .map((element) => `${element.tagName}.${element.className} ${element.textContent?.slice(0, 40)}`);
  });
  expect(wider, "elements wider than the window").toEqual([]);
}

/** Presses Tab until the target has the focus: it can be reached without a mouse. */
export async function tabTo(page: Page, target: Locator, most = 80): Promise<void> {
  for (let pressed = 0; pressed < most; pressed += 1) {
    await page.keyboard.press("Tab");
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`the focus did not reach ${target} in ${most} steps`);
}
