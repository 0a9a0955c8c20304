import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Language } from "../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS } from "../../src/contract/timestamp.ts";
import { answerOn, catchMail, linksIn, PUBLIC_URL } from "../harness/candidate-links.ts";
import { send } from "../harness/http.ts";
import type { Organisation } from "../harness/organisation.ts";
import { useHarness } from "../harness/platform.ts";
import { launchChromium } from "../harness/process.ts";

/** What a candidate was mailed about a shift. */
interface Mailed {
  organisation: Organisation;
  shiftId: string;
  url: string;
  /** The paths of the links: to the shift, to all shifts, and to the end of mail with offers. */
  shift: string;
  list: string;
  unsubscribe: string;
  language: Language;
}

/** A page of a candidate. `prepare` returns its path; `meanwhile` runs once the page is shown. */
interface State {
  prepare: (mailed: Mailed) => Promise<string>;
  meanwhile?: (mailed: Mailed) => Promise<void>;
}

const answered =
  (answers: readonly string[], ask = "") =>
  async ({ url, shift, organisation, language }: Mailed) => {
    for (const answer of answers) {
      expect((await answerOn(url, shift, answer)).status).toBe(303);
      await organisation.idle();
    }
    return `${shift}?language=${language}${ask && `&ask=${ask}`}`;
  };

const STATES: Readonly<Record<string, State>> = {
  "an offer": { prepare: answered([]) },
  "an offer whose provider does not respond": {
    prepare: async (mailed) => {
      mailed.organisation.provider.setFault("unavailable");
      return mailed.shift;
    },
  },
  "an offer that is moved meanwhile": {
    prepare: answered([]),
    meanwhile: async ({ organisation, shiftId }) => {
      const endTime = "2027-06-05T14:59:00Z";
      organisation.provider.updateShift(shiftId, { startTime: "2027-06-04T03:30:00Z", endTime });
      await organisation.process("shift.update", shiftId);
    },
  },
  "an offer that is cancelled meanwhile": {
    prepare: answered([]),
    meanwhile: async ({ organisation, shiftId }) => {
      organisation.provider.deleteShift(shiftId);
      await organisation.process("shift.delete", shiftId);
    },
  },
  "a booking": { prepare: answered(["accept"]) },
  "a booking, and the question whether to withdraw": { prepare: answered(["accept"], "withdraw") },
  "a withdrawal": { prepare: answered(["accept", "withdraw"]) },
  "a declined offer": { prepare: answered(["decline"]) },
  "a declined offer, and the question whether to accept": { prepare: answered(["decline"], "accept") },
  "all shifts": { prepare: async ({ list }) => list },
  "all shifts, without mail": {
    prepare: async ({ url, list, unsubscribe }) => {
      await send(url, unsubscribe, { method: "POST" });
      return list;
    },
  },
  "the end of mail with offers": { prepare: async ({ unsubscribe }) => unsubscribe },
};

/** What opens a page, or sends an answer. The dialler and the calendar are other programs. */
const LINKS = "a:not([href^='tel:'], [href^='webcal:'])";
const CONTROLS = `${LINKS}, button, summary`;

describe.each([
  [360, "sv"],
  [390, "en"],
] as const)("a second press at the same point, %i px wide, in %s", (width, language) => {
  const { channel, mails } = catchMail();
  const harness = useHarness("postgres", {
    channel,
    config: { publicUrl: PUBLIC_URL },
    timing: { answerWithinMs: 2_000 },
  });
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  const open = async () => {
    const context = await browser.newContext({ viewport: { width, height: 740 } });
    onTestFinished(() => context.close());
    return context.newPage();
  };

  /** A person, the `nth` of the organisation, with an offer. */
  const mailedTo = async (organisation: Organisation, nth: number): Promise<Mailed> => {
    organisation.provider.clearFaults();
    const email = `${organisation.providerId}-${nth}@example.com`;
    await organisation.addPerson({ email, language, firstName: "Astrid" });
    const start = Date.now() + (nth + 2) * DAY_MS;
    const timeAfter = (ms: number) => new Date(start + ms).toISOString();
    const { shiftId } = await organisation.open({ startTime: timeAfter(0), endTime: timeAfter(8 * HOUR_MS) });
    await expect.poll(() => mails.some(({ address }) => address === email)).toBe(true);
    const [shift = "", list = "", unsubscribe = ""] = linksIn(
      mails.find(({ address }) => address === email) ?? { text: "" },
    );
    return { organisation, shiftId, url: harness().platform.url, shift, list, unsubscribe, language };
  };

  it.each(Object.entries(STATES))("gives no answer, on %s", async (_name, { prepare, meanwhile }) => {
    const organisation = await harness().onboard({ connect: false });
    const page = await open();
    const posts: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") posts.push(request.postData() ?? "");
    });
    let count = 1;
    for (let [nth, isUsed, path, people] = [0, true, "", 0]; nth < count; nth += 1) {
      let mailed: Mailed | undefined;
      if (isUsed) {
        mailed = await mailedTo(organisation, people);
        people += 1;
        path = await prepare(mailed);
      }
      await page.goto(harness().platform.url + path);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      await expectHalves(page, width);
      if (mailed) await meanwhile?.(mailed);
      count = await page.locator(CONTROLS).count();
      const { label, point } = await firstPress(page, page.locator(CONTROLS).nth(nth));
      const before = posts.splice(0);
      // "This is not me" is behind its question.
      if (before.length > 0) expect(await page.locator("button:visible").count(), label).toBe(0);
      await expectHalves(page, width);
      await pressAt(page, point);
      expect(posts.splice(0), `a second press on ${label}, on ${path}`).toEqual([]);
      isUsed = before.length > 0 || meanwhile !== undefined;
    }
    expect(count).toBeGreaterThan(1);
  });
});

interface Point {
  x: number;
  y: number;
}

async function firstPress(page: Page, control: Locator): Promise<{ label: string; point: Point }> {
  await control.scrollIntoViewIfNeeded();
  const label = (await control.textContent()) ?? "";
  const { x, y, width, height } = (await control.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const point = { x: x + width / 2, y: y + height / 2 };
  expect(await pressAt(page, point), label).toBe(true);
  return { label, point };
}

/** Returns whether something is there. A click and no tap: Chromium may take two taps for one gesture, which presses nothing. It drops what comes before the first frame. */
async function pressAt(page: Page, { x, y }: Point): Promise<boolean> {
  await page.evaluate(
    () => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))),
  );
  const control = await page.evaluate(
    ({ left, top, controls }) => document.elementFromPoint(left, top)?.closest(controls)?.tagName,
    { left: x, top: y, controls: CONTROLS },
  );
  const loads = control === "A" || control === "BUTTON";
  await Promise.all([loads && page.waitForEvent("load", { timeout: 0 }), page.mouse.click(x, y)]);
  return control !== undefined;
}

/** Wherever a page is scrolled to, what opens it is beside what it sends: its buttons are in the right half, its links in the left one. */
async function expectHalves(page: Page, width: number): Promise<void> {
  for (const [what, isOutside] of [
    [LINKS, ({ x, width: own }: Box) => x + own > width / 2],
    ["button", ({ x }: Box) => x < width / 2],
  ] as const) {
    for (const each of await page.locator(what).filter({ visible: true }).all()) {
      const box = await each.boundingBox();
      const name = `${await each.textContent()} ${JSON.stringify(box)}`;
      expect(box && isOutside(box), name).toBe(false);
    }
  }
}

interface Box extends Point {
  width: number;
}
