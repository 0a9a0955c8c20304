import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import express from "express";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operationsIn } from "../../scripts/docs/redoc.ts";
import { main } from "../../scripts/docs.ts";
import { launchChromium } from "../harness/process.ts";

const SPEC = join(import.meta.dirname, "../../spec");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "docs-test-"));
let browser: Browser;
let server: Server;
let base: string;
let files: string[];
beforeAll(async () => {
  const lines: string[] = [];
  const write = (text: string) => lines.push(text);
  expect(await main(["--out", folder], { out: write, error: write }), lines.join("")).toBe(0);
  files = readdirSync(folder).filter((file) => file.endsWith(".html"));
  ({ server, base } = await serve(folder));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  rmSync(folder, { recursive: true });
});

/** Serves the site as the platform does: each page with its Content-Security-Policy. */
async function serve(root: string): Promise<{ server: Server; base: string }> {
  const policies = JSON.parse(readFileSync(join(root, "policies.json"), "utf8")) as Record<string, string>;
  const app = express();
  app.use("/docs", (request, response, next) => {
    const policy = policies[request.path.slice(1)] ?? policies["*"];
    response.set({ "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff" });
    next();
  });
  app.use("/docs", express.static(root));
  const listening = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => listening.once("listening", resolve));
  return { server: listening, base: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/docs/` };
}

interface Visit {
  page: Page;
  /** Console errors, and requests to other origins. */
  faults: string[];
}

async function visit(url: string, width: number, colorScheme: "light" | "dark"): Promise<Visit> {
  const visited = await newVisit(width, colorScheme);
  await go(visited.page, url);
  return visited;
}

async function newVisit(width: number, colorScheme: "light" | "dark"): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  page.setDefaultTimeout(0);
  const faults: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (!/^(data:|blob:|file:)/.test(request.url()) && !request.url().startsWith(base)) {
      faults.push(`requested ${request.url()}`);
    }
  });
  return { page, faults };
}

async function go(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "load" });
  // This picture appears once Redoc has replaced its prerendered text; on a phone, in a closed menu.
  if (await isRedoc(page))
    await page.locator('img[alt="redocly logo"]').first().waitFor({ state: "attached" });
}

const isRedoc = async (page: Page) => (await page.locator("#redoc").count()) > 0;

async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** A Redoc page takes half a minute on a busy machine. Milliseconds. */
const TIMEOUT_MS = 900_000;

describe("the site in a browser", { timeout: TIMEOUT_MS }, () => {
  it.each([
    [1280, "light"],
    [390, "dark"],
  ] as const)(
    "%i pixels wide, in %s colours, loads nothing from other hosts, fits, and has no serious accessibility fault",
    async (width, scheme) => {
      const { page, faults } = await newVisit(width, scheme);
      for (const file of files) {
        await go(page, base + file);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        const unusable = (await isRedoc(page)) ? [] : await seriousFaults(page);
        expect({ file, faults, wider, unusable }).toEqual({ file, faults: [], wider: 0, unusable: [] });
      }
      await page.close();
    },
  );

  it("works from the file system", async () => {
    const { page, faults } = await newVisit(1280, "light");
    for (const file of files) {
      await go(page, `file://${join(folder, file)}`);
      expect({ file, faults }).toEqual({ file, faults: [] });
    }
    await page.close();
  });

  it("shows each operation at the address that other pages link to", async () => {
    const operations = operationsIn(SPEC);
    for (const [file, ofFile] of Map.groupBy(operations, ({ href }) => href.slice(0, href.indexOf("#")))) {
      const { page, faults } = await visit(base + file, 1280, "light");
      for (const [tag, own] of Map.groupBy(ofFile, ({ href }) => href.slice(0, href.lastIndexOf("/")))) {
        const [first] = own;
        await page.evaluate((address) => location.assign(address), base + first?.href);
        await page
          .locator("main :is(h1, h2)", { hasText: first?.summary ?? "" })
          .first()
          .waitFor();
        // The menu of the current tag is open.
        const shown = await page.locator("a[href*='#/']").evaluateAll((links) => {
          return links.map((link) => link.getAttribute("href")?.replace(/^[^#]*/, ""));
        });
        const missing = own.filter(({ href }) => !shown.includes(href.slice(href.indexOf("#"))));
        expect({ tag, faults, missing }).toEqual({ tag, faults: [], missing: [] });
      }
      await page.close();
    }
  });

  it("opens the links of a reference in a new tab", async () => {
    for (const file of ["provider.html", "platform.html", "operations.html", "events.html"]) {
      const { page } = await visit(base + file, 1280, "light");
      const links = page.locator("#redoc a[href]:not([href^='http'])");
      const addresses = await links.evaluateAll((all) =>
        all.map((link) => {
          link.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
          return (link as HTMLAnchorElement).href;
        }),
      );
      expect(addresses.length).toBeGreaterThan(1);
      expect(addresses.filter((address) => !address.startsWith(`${base}${file}#/`))).toEqual([]);
      const link = page.locator("[data-component-name='Menu/MenuItem'] > a").nth(1);
      const title = (await link.locator("[data-text]").getAttribute("data-text")) ?? "";
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        link.click({ modifiers: ["ControlOrMeta"] }),
      ]);
      await tab.locator("main :is(h1, h2)", { hasText: title }).first().waitFor();
      await page.close();
      await tab.close();
    }
  });

  it("shows the fields of each event", async () => {
    const { page } = await visit(`${base}events.html#/channels/integrationwebhook`, 1280, "light");
    for (const title of ["A shift was created", "A shift was changed", "A shift was cancelled"]) {
      await page.locator("main").getByText(title).first().waitFor();
    }
    const text = await page.locator("main").first().textContent();
    for (const field of ["event", "providerId", "content", "shiftId", "traceId"]) {
      expect(text).toContain(`"${field}"`);
    }
    await page.close();
  });

  it("finds words of the guides, from the network and from the file system", async () => {
    for (const address of [base, `file://${folder}/`]) {
      const { page, faults } = await visit(`${address}index.html`, 390, "light");
      await page.getByRole("link", { name: "Search" }).click();
      await page.getByRole("searchbox").fill("restor backup");
      const found = page.locator("#found a");
      await expect
        .poll(async () => (await page.locator("#found mark").allTextContents()).join(" "))
        .toMatch(/backup/i);
      if (address === base) expect(await seriousFaults(page)).toEqual([]);
      await page.locator("#found a[href^='guide-operator.html#']").first().click();
      await page.waitForURL(/guide-operator\.html#/);
      await page.goBack();
      await page.waitForURL((url) => !url.pathname.endsWith("guide-operator.html"));
      expect(await page.getByRole("searchbox").inputValue()).toBe("restor backup");
      await expect.poll(() => found.count()).toBeGreaterThan(1);
      await page.getByRole("searchbox").fill("time_without_offset");
      expect(await found.first().getAttribute("href")).toBe("findings.html#time_without_offset");
      // Its sections have words with characters that mean something in an expression.
      await page.getByRole("searchbox").fill("OPERATIONS_TOKEN");
      await expect.poll(() => found.count()).toBeGreaterThan(5);
      await page.getByRole("searchbox").fill("why does verify say incomplete");
      expect(await found.first().getAttribute("href")).toMatch(/^guide-verify\.html#/);
      await page.getByRole("searchbox").fill("xyzzyplugh");
      await page.getByText("0 sections").waitFor();
      expect(faults).toEqual([]);
      await page.close();
    }
  });

  it("is usable with the keyboard: to the text past the menu, and in the menu on a phone", async () => {
    const { page } = await visit(`${base}contract.html`, 390, "light");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
    await page.locator("summary", { hasText: "Pages" }).press("Enter");
    await page.getByRole("link", { name: "Error codes" }).press("Enter");
    await page.waitForURL(`${base}problems.html`);
    await page.close();
  });
});
