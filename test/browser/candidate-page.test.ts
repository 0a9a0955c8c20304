import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Language } from "../../generated/operations/types.ts";
import { linksIn, PUBLIC_URL } from "../harness/candidate-links.ts";
import { type MailServer, startMailServer } from "../harness/mail-server.ts";
import { ok } from "../harness/operations.ts";
import { startHarness } from "../harness/platform.ts";
import { launchChromium } from "../harness/process.ts";
import { expectNoSidewaysScroll, expectNoViolation, PHONE } from "./harness.ts";

const WORDS: Record<
  Language,
  Record<"offered" | "accept" | "confirmed" | "withdraw" | "confirm" | "withdrawn" | "list" | "other", string>
> = {
  en: {
    offered: "A shift for you",
    accept: "Accept the shift",
    confirmed: "Your shift is confirmed",
    withdraw: "Withdraw",
    confirm: "Yes, withdraw",
    withdrawn: "You have withdrawn",
    list: "Your shifts",
    other: "Svenska",
  },
  sv: {
    offered: "Ett pass för dig",
    accept: "Ta passet",
    confirmed: "Ditt pass är bekräftat",
    withdraw: "Avboka",
    confirm: "Ja, avboka",
    withdrawn: "Du har avbokat",
    list: "Dina pass",
    other: "English",
  },
};

describe("a candidate with a phone and without scripts", () => {
  let browser: Browser;
  let server: MailServer;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  const start = async () => {
    server = await startMailServer();
    const mail = { url: server.url, from: "shifts@platform.example" };
    const harness = await startHarness("postgres", {
      config: { publicUrl: PUBLIC_URL, mail },
    });
    onTestFinished(async () => {
      await harness.close();
      await server.close();
    });
    return harness;
  };

  const window = async (
    colorScheme: "light" | "dark",
    javaScriptEnabled: boolean,
  ): Promise<BrowserContext> => {
    const { width = 390, height = 844 } = PHONE;
    const opened = await browser.newContext({ viewport: { width, height }, colorScheme, javaScriptEnabled });
    onTestFinished(() => opened.close());
    return opened;
  };

  it.each(["en", "sv"] as const)("opens the mail, accepts, and withdraws, in %s", async (language) => {
    const harness = await start();
    const organisation = await harness.onboard();
    const person = await organisation.addPerson({ language, firstName: "Åsa 👩🏽" });
    const job = await organisation.open();
    const words = WORDS[language];
    await expect.poll(() => server.mails.length).toBe(1);
    const [link = "", list = ""] = linksIn({ text: server.mails[0]?.body ?? "" });
    const page = await (await window("light", false)).newPage();
    const faults = faultsOf(page);
    await page.goto(harness.platform.url + link);
    await page.getByRole("heading", { name: words.offered }).waitFor();
    await page.getByRole("button", { name: words.accept }).click();
    await page.getByRole("heading", { name: words.confirmed }).waitFor();
    expect((await organisation.booking(job, person))?.status).toBe("confirmed");
    expect(organisation.provider.shift(job.shiftId)?.assigned).toHaveLength(1);
    await page.reload();
    await page.goto(harness.platform.url + list);
    await page.locator("li a").click();
    await page.getByRole("heading", { name: words.confirmed }).waitFor();
    await page.getByRole("link", { name: words.withdraw, exact: true }).click();
    await page.getByRole("button", { name: words.confirm }).click();
    await page.getByRole("heading", { name: words.withdrawn }).waitFor();
    expect(organisation.provider.shift(job.shiftId)?.assigned).toHaveLength(0);
    await page.goto(harness.platform.url + list);
    await page.getByRole("heading", { name: words.list }).waitFor();
    await page.goto(harness.platform.url + link);
    await page.getByRole("link", { name: words.other }).click();
    await page.getByText(words.other === "English" ? "You have withdrawn" : "Du har avbokat").waitFor();
    expect(faults).toEqual([]);
  });

  it.each(["light", "dark"] as const)(
    "has no serious axe violation, and fits a phone, %s",
    async (scheme) => {
      const harness = await start();
      const organisation = await harness.onboard();
      const { params, operations } = organisation;
      ok(await operations.changeIntegration({ params, body: { contactPhone: "+46701740605" } }));
      await organisation.addPerson({ firstName: "A".repeat(100) });
      await organisation.open();
      await expect.poll(() => server.mails.length).toBe(1);
      const [link = "", list = ""] = linksIn({ text: server.mails[0]?.body ?? "" });
      const page = await (await window(scheme, true)).newPage();
      const faults = faultsOf(page, /the server responded with a status of 404/);
      for (const path of [link, `${link}?language=sv`, list, `${list}?language=sv`, "/c/unknown"]) {
        await page.goto(harness.platform.url + path);
        await expectNoViolation(page);
        await expectNoSidewaysScroll(page);
      }
      await page.goto(harness.platform.url + link);
      await page.locator("summary").click();
      await page.getByRole("button", { name: "This is not me" }).waitFor();
      await expectNoViolation(page);
      expect(faults).toEqual([]);
    },
  );
});

/** Chromium reports violations of the content security policy as console errors. */
function faultsOf(page: Page, expected?: RegExp): string[] {
  const faults: string[] = [];
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !expected?.test(text) && !/favicon/.test(message.location().url))
      faults.push(text);
  });
  page.on("request", (request) => {
    expect(new URL(request.url()).hostname).toBe("127.0.0.1");
    expect(request.headers()).not.toHaveProperty("referer");
  });
  return faults;
}
