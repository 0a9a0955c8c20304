import type { Locator, Page, Request, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { scopes } from "../../generated/operations/client.ts";
import { operationsTable } from "../../generated/operations/server.ts";
import type { Role } from "../../generated/operations/types.ts";
import { EXAMPLE } from "../../src/console/people/import-page.tsx";
import { ROLE_NAMES } from "../../src/contract/role.ts";
import { ok } from "../harness/operations.ts";
import { useConsoleHarness } from "./harness.ts";
import { channel, go, populate } from "./pages.ts";

const harness = useConsoleHarness({ channel, retries: { tries: 2 } });

type Operation = keyof typeof scopes;

const TESTED = operationsTable.map(({ operationId, method, path }) => ({
  operationId: operationId as Operation,
  method,
  path: new RegExp(`/operations/v1${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

interface Walk {
  /** The operations that the page has called. */
  called: ReadonlySet<Operation>;
  /** Resolves when no call is under way, and what followed from them is drawn. */
  settled(): Promise<void>;
}

/** Notes what the page calls from now on. What changes something is not carried out. */
async function follow(page: Page): Promise<Walk> {
  const called = new Set<Operation>();
  const underWay = new Set<object>();
  const isCall = (request: Request) => /\/operations\/v1\/(?!stream)/.test(request.url());
  page.on("request", (request) => isCall(request) && underWay.add(request));
  page.on("requestfinished", (request) => underWay.delete(request));
  page.on("requestfailed", (request) => underWay.delete(request));
  await page.route("**/operations/v1/**", async (route: Route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    const operation = TESTED.find(({ method, path }) => method === request.method() && path.test(pathname));
    if (operation) called.add(operation.operationId);
    if (request.method() === "GET") return route.continue();
    await route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: '{"title":"Not now"}',
    });
  });
  const drawn = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(0)))));
  const settled = async () => {
    do {
      await drawn();
      await drawn();
    } while (underWay.size > 0);
  };
  return { called, settled };
}

/** Of a competence that is not there, the page itself would find fault. */
const PEOPLE = EXAMPLE.replace("Waiter; Bartender", "");

const MOST_BUTTONS = 60;

/** Presses each button of the page, and of the dialogs that they open. */
async function pressEverything(page: Page, { settled }: Walk): Promise<void> {
  await settled();
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("main details"))
      (details as HTMLDetailsElement).open = true;
  });
  await fill(page.locator("main"));
  const buttons = page.locator("main button:visible:not([disabled])");
  for (let nth = 0; nth < Math.min(await buttons.count(), MOST_BUTTONS); nth += 1) {
    await buttons.nth(nth).click();
    await settled();
    const dialog = page.locator("dialog[open]");
    if ((await dialog.count()) === 0) continue;
    await fill(dialog);
    const submits = dialog.locator("form button:not([disabled])");
    for (let each = 0; each < (await submits.count()); each += 1) {
      await submits.nth(each).click();
      await settled();
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" }).catch(() => undefined);
  }
}

/** Fills in and chooses what forms ask for, so that they call the platform. */
async function fill(area: Locator): Promise<void> {
  for (const box of await area.getByRole("checkbox", { disabled: false }).all())
    await box.check({ force: true });
  for (const file of await area.locator("input[type=file]").all())
    await file.setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(PEOPLE) });
  const picker = area.getByRole("combobox").and(area.page().locator("input"));
  if ((await picker.count()) > 0) {
    await picker.click();
    await area.locator("[role=option]:not([aria-disabled=true])").first().click();
  }
  for (const form of await area.locator("form:not(.filters)").all())
    await form.evaluate((element) => {
      const { elements } = element as HTMLFormElement;
      (element as HTMLFormElement).noValidate = true;
      for (const input of elements) {
        if (!(input instanceof HTMLInputElement) || input.role === "combobox") continue;
        const wanted = input.closest("label")?.querySelector("strong")?.textContent;
        if (input.type === "number") input.value = "7";
        else if (wanted) input.value = wanted;
        else if (input.value === "" && /^(text|password|url)$/.test(input.type)) input.value = "x";
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }
    });
}

/** The console does without: it resolves with `changeIssues`, lists operators, and leaves the log level to those who run the platform. */
const NOT_OFFERED: ReadonlySet<Operation> = new Set(["resolveIssue", "getOperator"]);

const allowed = (role: Role) => {
  const held: readonly string[] = ROLE_NAMES.slice(0, ROLE_NAMES.indexOf(role) + 1);
  return (operation: Operation) => held.includes(scopes[operation][0]);
};

describe("every page", () => {
  it.each(["viewer", "operator", "admin"] as const)(
    "offers nothing that the role may not call, to one who signs in as %s",
    async (role) => {
      const pages = await populate(harness());
      const body = { name: `Walks as ${role}`, role };
      const { token } = ok(await harness().operations.createOperator({ body }));
      const page = await harness().visit("", { expected: [/\b503\b/] }, token);
      page.setDefaultTimeout(60_000);
      const walk = await follow(page);
      const { called } = walk;
      for (const path of pages) {
        await go(harness(), page, path);
        await pressEverything(page, walk);
        expect(
          [...called].filter((operation) => !allowed(role)(operation)),
          path,
        ).toEqual([]);
      }
      // The walk proves nothing unless it finds what a role may call.
      const pressed = (operation: string) =>
        called.has(operation as Operation) || NOT_OFFERED.has(operation as Operation);
      const changing = Object.entries(scopes).filter(
        ([operation, [needed]]) => needed !== "viewer" && allowed(role)(operation as Operation),
      );
      expect(changing.map(([operation]) => operation).filter((each) => !pressed(each))).toEqual([]);
    },
  );
});
