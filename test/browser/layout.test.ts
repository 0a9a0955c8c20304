import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectNoSeriousViolation, expectNoSidewaysScroll, useConsoleHarness } from "./harness.ts";
import { channel, go, populate } from "./pages.ts";

const harness = useConsoleHarness({ channel, retries: { tries: 2 } });

const WIDTHS = [390, 768, 1_024, 1_440];
/** A folder for a picture of each page, to be looked at. */
const { SCREENSHOTS } = process.env;

describe("every page", () => {
  it("has no serious axe violation and fits the window, in both themes and four widths", async () => {
    const pages = await populate(harness());
    const faults: string[] = [];
    const check = (what: string, checked: Promise<void>) =>
      checked.catch((error) => faults.push(`${what}: ${error}`));
    const page = await harness().visit("", { expected: [/\b404\b/] });
    for (const [nth, path] of pages.entries()) {
      await go(harness(), page, path);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await check(`${path} at ${width}`, expectNoSidewaysScroll(page));
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await check(`${path} at ${width}, ${colorScheme}`, expectNoSeriousViolation(page));
        }
        if (!SCREENSHOTS) continue;
        await page.emulateMedia({ colorScheme: "light" });
        const name = `${nth}-${path.replaceAll(/\W+/g, "-").slice(0, 20)}-${width}.png`;
        await page.screenshot({ path: join(SCREENSHOTS, name) });
      }
    }
    expect(faults).toEqual([]);
  });
});
