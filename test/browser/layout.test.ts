import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectNoSidewaysScroll, expectNoViolation, useConsoleHarness } from "./harness.ts";
import { channel, go, populate } from "./pages.ts";

const harness = useConsoleHarness({ channel, retries: { tries: 2 } });

const WIDTHS = [390, 768, 1_024, 1_440];
const SCHEMES = ["light", "dark"] as const;
/** A folder for a picture of each page, to be looked at. */
const { SCREENSHOTS } = process.env;

/** Checks what the page shows, in both themes. Returns what is wrong. */
async function faultsOf(page: Page, what: string, widths = WIDTHS): Promise<string[]> {
  const faults: string[] = [];
  const check = (where: string, checked: Promise<void>) =>
    checked.catch((error) => faults.push(`${what} ${where}: ${error}`));
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await check(`at ${width}`, expectNoSidewaysScroll(page));
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await check(`at ${width}, ${colorScheme}`, expectNoViolation(page));
    }
    if (!SCREENSHOTS) continue;
    await page.emulateMedia({ colorScheme: "light" });
    await page.screenshot({ path: join(SCREENSHOTS, `${what.replaceAll(/\W+/g, "-")}-${width}.png`) });
  }
  return faults;
}

/** Those of the page that open a dialog, one of each kind. */
async function openersOf(page: Page, seen: Set<string>): Promise<Locator[]> {
  const buttons = await page
    .locator("header button, main button:visible")
    .filter({ hasText: /…|^(Search|Change$|Cancel the job|Withdraw)/ })
    .all();
  const fresh = [];
  for (const button of buttons) {
    const name = ((await button.textContent()) ?? "").split("…")[0] ?? "";
    if (!seen.has(name)) fresh.push(button);
    seen.add(name);
  }
  return fresh;
}

describe("every page", () => {
  it("and every dialog has no axe violation and fits the window, in both themes and four widths", async () => {
    const pages = await populate(harness());
    const faults: string[] = [];
    const seen = new Set<string>();
    const page = await harness().visit("", { expected: [/\b404\b/] });
    for (const [nth, path] of pages.entries()) {
      await go(harness(), page, path);
      const name = `${nth} ${path.slice(0, 20)}`;
      faults.push(...(await faultsOf(page, name)));
      for (const opener of await openersOf(page, seen)) {
        await opener.click();
        const dialog = page.locator("dialog[open]");
        await dialog.waitFor();
        const title = await dialog.locator("h2").textContent();
        faults.push(...(await faultsOf(page, `${name}, ${title}`, [390, 1_440])));
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
      }
    }
    expect(faults).toEqual([]);
    expect(seen.size).toBeGreaterThan(15);
  });
});
