import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ok } from "../harness/operations.ts";
import { DISPLAYS, expectNoSidewaysScroll, expectNoViolation, useConsoleHarness } from "./harness.ts";

const harness = useConsoleHarness();
const tokens = { karin: "", omar: "" };
beforeAll(async () => {
  const add = async (name: string) =>
    ok(await harness().operations.createOperator({ body: { name, role: "viewer" } })).token;
  tokens.karin = await add("Karin Holm");
  tokens.omar = await add("Omar Dahl");
});

const signedIn = (page: Page, name: string) => page.getByRole("button", { name: `Sign out ${name}` });
const signInPage = (page: Page) => page.getByRole("button", { name: "Sign in", exact: true });
const question = (page: Page) => page.getByRole("dialog", { name: "Change the operator?" });
const address = (page: Page) => page.evaluate(() => location.href);
const urlOf = (path: string) => `${harness().platform.url}/console/${path}`;
const cookies = (page: Page) => page.context().cookies();

async function enter(page: Page, token: string) {
  await page.getByLabel("Token").fill(token);
  await signInPage(page).click();
}

describe("signing in", () => {
  it("needs a token once: a new tab and a reload are signed in", async () => {
    const page = await harness().open("issues");
    await enter(page, tokens.karin);
    await signedIn(page, "Karin Holm").waitFor();
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: "People", exact: true }).click({ modifiers: ["ControlOrMeta"] }),
    ]);
    await signedIn(tab, "Karin Holm").waitFor();
    expect(new URL(tab.url()).pathname).toBe("/console/people");
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/issues");
  });

  it("keeps neither the token nor the session where a script reads it", async () => {
    const page = await harness().open(`#token=${tokens.karin}`);
    await signedIn(page, "Karin Holm").waitFor();
    expect(await cookies(page)).toMatchObject([
      { httpOnly: true, sameSite: "Strict", secure: false, path: "/", expires: -1 },
    ]);
    const readable = await page.evaluate(() =>
      JSON.stringify([document.cookie, { ...sessionStorage }, { ...localStorage }, location.href]),
    );
    expect(readable).toBe(JSON.stringify(["", {}, {}, urlOf("")]));
  });

  it("shows the reason of the platform when the token is rejected", async () => {
    const page = await harness().open("", { expected: [/401/] });
    await enter(page, "spo_unknown");
    await page.getByText("The token is unknown or no longer valid.").waitFor();
    await enter(page, tokens.karin);
    await signedIn(page, "Karin Holm").waitFor();
  });

  it.each(DISPLAYS)("has no serious axe violation, %s", async (_name, display) => {
    const page = await harness().open("", display);
    const check = async (shows: Locator) => {
      await shows.waitFor();
      await expectNoViolation(page);
      await expectNoSidewaysScroll(page);
    };
    await check(signInPage(page));
    await enter(page, tokens.karin);
    await signedIn(page, "Karin Holm").waitFor();
    await page.goto(urlOf(`#token=${tokens.omar}`));
    await check(question(page));
  });
});

describe("a link with a token", () => {
  it("signs in when no one is, and leaves the address at once", async () => {
    const page = await harness().open(`people?name=Ek#token=${tokens.karin}`);
    await signedIn(page, "Karin Holm").waitFor();
    expect(await address(page)).toBe(urlOf("people?name=Ek"));
  });

  it.each(["a new page", "the page that is open"])(
    "asks before it changes the operator, in %s",
    async (where) => {
      const page = await harness().visit("people", {}, tokens.karin);
      const follow = async (path: string) => {
        // Only the fragment changes: the page is not loaded again.
        if (where === "the page that is open") await page.evaluate((hash) => location.assign(hash), path);
        else await page.goto(`about:blank`).then(() => page.goto(urlOf(`people${path}`)));
        await question(page).getByText("Karin Holm (Viewer)").waitFor();
        await question(page).getByText("Omar Dahl (Viewer)").waitFor();
        expect(await address(page)).toBe(urlOf("people"));
      };
      await follow(`#token=${tokens.omar}`);
      await page.getByRole("button", { name: "Stay signed in as Karin Holm" }).click();
      await question(page).waitFor({ state: "detached" });
      await signedIn(page, "Karin Holm").waitFor();
      await follow(`#token=${tokens.omar}`);
      await page.keyboard.press("Escape");
      await question(page).waitFor({ state: "detached" });
      await signedIn(page, "Karin Holm").waitFor();
      await follow(`#token=${tokens.omar}`);
      await page.getByRole("button", { name: "Sign in as Omar Dahl" }).click();
      await signedIn(page, "Omar Dahl").waitFor();
      expect(await cookies(page)).toHaveLength(1);
    },
  );

  it("asks nothing when it is for the operator who is signed in", async () => {
    const page = await harness().visit("people", {}, tokens.karin);
    await page.evaluate((hash) => location.assign(hash), `#token=${tokens.karin}`);
    await expect.poll(() => address(page)).toBe(urlOf("people"));
    await page.getByRole("link", { name: "Events" }).click();
    await signedIn(page, "Karin Holm").waitFor();
    expect(await question(page).count()).toBe(0);
  });

  it("with an unknown token leaves the session as it is, and says why", async () => {
    const page = await harness().visit("people", { expected: [/401/] }, tokens.karin);
    await page.evaluate(() => location.assign("#token=spo_unknown"));
    await page.getByText("The token of the link is not used.").waitFor();
    await signedIn(page, "Karin Holm").waitFor();
  });
});

describe("signing out", () => {
  it("ends the session of every tab", async () => {
    const page = await harness().visit("", { expected: [/401/] }, tokens.karin);
    const tab = await page.context().newPage();
    await tab.goto(urlOf("people"));
    await signedIn(tab, "Karin Holm").click();
    await signInPage(tab).waitFor();
    await signInPage(page).waitFor();
    expect(await cookies(page)).toEqual([]);
    await page.reload();
    await signInPage(page).waitFor();
  });

  it("elsewhere shows the sign-in page at the next call", async () => {
    const page = await harness().visit("", { expected: [/401/] }, tokens.karin);
    const origin = harness().platform.url;
    const { headers, status } = await fetchWithCookies(page, "DELETE", { origin });
    expect([status, headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")]);
    // A page that becomes visible reads again.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByText("Your session has ended.").waitFor();
    await enter(page, tokens.karin);
    await signedIn(page, "Karin Holm").waitFor();
  });

  it("by signing in as another operator changes every tab", async () => {
    const page = await harness().visit("", { expected: [/401/] }, tokens.karin);
    const tab = await page.context().newPage();
    await tab.goto(urlOf(`#token=${tokens.omar}`));
    await tab.getByRole("button", { name: "Sign in as Omar Dahl" }).click();
    await signedIn(page, "Omar Dahl").waitFor();
  });
});

describe("a page of another port of the host, which is the same site for `SameSite`", () => {
  it("changes nothing with the cookie, although the browser sends it", async () => {
    // The browser asks for an icon of the response.
    const page = await harness().visit("", { expected: [/403/, /favicon\.ico$/] });
    const action = `${harness().platform.url}/operations/v1/issues/${randomUUID()}/resolve`;
    const form = `<form method="post" action="${action}"><button>Win</button></form>`;
    const server = createServer((_request, response) =>
      response.setHeader("Content-Type", "text/html").end(form),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const foreign = await page.context().newPage();
      await foreign.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      const [response] = await Promise.all([
        foreign.waitForResponse(action),
        foreign.getByRole("button", { name: "Win" }).click(),
      ]);
      expect((await response.request().allHeaders()).cookie).toContain("shiftpact-");
      expect(response.status()).toBe(403);
    } finally {
      server.close();
    }
  });
});

/** Sends what a browser would: the cookies of the page, with these headers. */
async function fetchWithCookies(page: Page, method: string, headers: Record<string, string>) {
  const cookie = (await cookies(page)).map(({ name, value }) => `${name}=${value}`).join("; ");
  return fetch(`${harness().platform.url}/operations/v1/session`, {
    method,
    headers: { ...headers, cookie },
  });
}
