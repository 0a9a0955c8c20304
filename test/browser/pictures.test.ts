import { readFileSync, statSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ok } from "../harness/operations.ts";
import { useConsoleHarness } from "./harness.ts";
import { draftOf, go } from "./pages.ts";

const harness = useConsoleHarness({ retries: { tries: 2 } });

const GUIDE = new URL("../../spec/guides/console.md", import.meta.url);
const MOST_BYTES = 100_000;
/** An image with a text of some words. */
const PICTURE = /!\[[^\]]{20,}\]\(console\/(\w+)\.webp\)/g;

/** The pages in the pictures of the guide, by the names of the files. */
async function shownPages(): Promise<Record<string, string>> {
  const { operations } = harness();
  const organisation = await harness().onboard();
  const { workplaceId, competenceId } = organisation;
  ok(await operations.changeWorkplace({ params: { path: { workplaceId } }, body: { name: "Kvarteret" } }));
  ok(await operations.changeCompetence({ params: { path: { competenceId } }, body: { name: "Waiter" } }));
  const robin = await organisation.addPerson();
  await organisation.addPerson({ firstName: "Elin" });
  const open = await organisation.open({ positions: 3 });
  await organisation.open({ positions: 2 });
  await organisation.accept(open, robin);
  organisation.provider.setFault("error-500", { operations: ["getShift"] });
  for (let nth = 0; nth < 3; nth += 1) organisation.provider.createShift();
  await organisation.idle();
  organisation.provider.clearFaults();
  const draft = await draftOf(operations);
  return { jobs: "", job: `jobs/${open.jobId}`, issues: "issues", onboarding: `integrations/${draft}` };
}

async function pictureOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 60 });
  return Buffer.from(data, "base64");
}

describe("the guide to the console", () => {
  it("has a small picture of each of its pages, with a text; PICTURES=write writes them", async () => {
    const pages = await shownPages();
    const named = [...readFileSync(GUIDE, "utf8").matchAll(PICTURE)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(pages));
    const page = await harness().visit("", { width: 1_024, height: 720, zone: "Europe/Stockholm" });
    for (const [name, path] of Object.entries(pages)) {
      await go(harness(), page, path);
      const file = new URL(`console/${name}.webp`, GUIDE);
      const picture = await pictureOf(page);
      expect(picture.byteLength).toBeLessThan(MOST_BYTES);
      if (process.env.PICTURES === "write") writeFileSync(file, picture);
      expect(statSync(file).size).toBeLessThan(MOST_BYTES);
    }
  });
});
