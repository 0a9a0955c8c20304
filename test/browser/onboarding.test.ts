import { readFileSync } from "node:fs";
import type { Page, Route } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import type { ProviderFinding } from "../../src/platform/deps.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { ok } from "../harness/operations.ts";
import { mapAll } from "../platform/integrations/providers.ts";
import { expectNoSeriousAxeFault, expectNoSidewaysScroll, type Theatre, useTheatre } from "./harness.ts";

const KIND = "sandbox";
const FINDING: ProviderFinding = {
  ...{ code: "wrong_token_accepted", severity: "error", operation: "listRoles", section: "5" },
  ...{ title: "A wrong token is accepted", expected: "401", actual: "200", reproduce: "" },
  fix: "Refuse every token but the one that you issued.",
};
/** The browser notes every answer of 400 and more as an error. */
const refused = (status: number) => ({ expected: [new RegExp(`status of ${status}`)] });

describe("integrations", () => {
  /** What the next check of any provider finds. */
  const findings: ProviderFinding[] = [];
  // A test may hold back a response for as long as the page needs to show it.
  const theatre = useTheatre({ checkProvider: async () => [...findings], providerTimeoutMs: 60_000 });
  const sandboxes: Sandbox[] = [];
  afterEach(async () => {
    findings.length = 0;
    await Promise.all(sandboxes.splice(0).map((sandbox) => sandbox.close()));
  });
  const provider = async (options: SandboxOptions = {}) => {
    const sandbox = await startSandbox(options);
    sandboxes.push(sandbox);
    return sandbox;
  };

  it("takes an organisation from nothing to active, and a shift of it becomes a job", async () => {
    const sandbox = await provider();
    const page = await theatre().visit("integrations");
    await page.getByText("No organisation is registered").waitFor();
    await expectFit(page);
    await page.getByRole("link", { name: "Register an organisation" }).click();
    const platformToken = await register(page, sandbox);
    sandbox.connectPlatform({ url: theatre().platform.url, token: platformToken, kind: KIND });
    // Its first shift comes before the integration is active, and waits.
    const { shiftId } = sandbox.createShift();
    await page.getByRole("link", { name: "Continue with outlets and roles" }).click();
    await page.getByRole("heading", { level: 1, name: "Nattkök" }).waitFor();
    expect(await page.content(), "the token is gone with the page that showed it").not.toContain(
      platformToken,
    );

    await page.getByRole("button", { name: "Read from the provider" }).click();
    await page.getByText("3 of 3 not mapped").waitFor();
    await page.getByRole("button", { name: "Add Kajen as a new workplace" }).click();
    await page.getByText("1 change not saved").waitFor();
    await expect.poll(() => focused(page)).toBe("Workplace for Kajen");
    await page.getByRole("button", { name: "Add 2 workplaces with these names" }).click();
    await page.getByRole("button", { name: "Add 4 competences with these names" }).click();
    await page.getByText("7 changes not saved").waitFor();
    await expectFit(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Activate", exact: true }).click();
    await page.getByRole("button", { name: "Suspend …" }).waitFor();
    await expectFit(page);

    const { operations } = theatre();
    const query = { providerId: sandbox.providerId, shiftId };
    await expect
      .poll(async () =>
        ok(await operations.listJobs({ params: { query } })).items.map(({ status }) => status),
      )
      .toEqual(["open"]);
    // The report follows by itself. The check reads a shift too.
    await page.getByText(/^Optional fields in \d reads? of shifts$/).waitFor();
    await expectMapped(theatre(), sandbox);
  });

  it("shows what is wrong with a registration at its field, and goes there", async () => {
    const page = await theatre().visit("integrations/new", refused(400));
    await page.getByLabel("Name").fill("Nattkök");
    await page.getByLabel("providerId", { exact: true }).fill("no-uuid");
    await page.getByLabel("Kind").fill("Sandbox!");
    await page.getByLabel("Base URL").fill("https://provider.example");
    await page.getByLabel("PROVIDER_TOKEN").fill("provider_0123456789");
    await page.getByRole("button", { name: "Register" }).click();
    await page.getByText(/^providerId must/).waitFor();
    await page.getByText(/^Kind must/).waitFor();
    expect(
      await page
        .getByLabel("providerId", { exact: true })
        .evaluate((field) => field === document.activeElement),
    ).toBe(true);
    await expectFit(page);
  });

  it("detects the routing, and shows it", async () => {
    const sandbox = await provider({ dialect: { routing: "header" } });
    const page = await theatre().visit("integrations/new");
    expect(await page.getByRole("radio", { name: /^Detect/ }).isChecked()).toBe(true);
    await register(page, sandbox);
    await page.getByText("Header X-Provider-Id (detected)").waitFor();
    await page.getByRole("link", { name: "Continue with outlets and roles" }).click();
    const registered = page.getByRole("region", { name: "Registered as" });
    await registered.getByText("Header X-Provider-Id (detected)").waitFor();
    await expectFit(page);
  });

  it("shows what was tried when the routing is not detected; the draft is corrected and activated", async () => {
    const sandbox = await provider({ dialect: { routing: "header" } });
    const page = await theatre().visit("integrations/new");
    await register(page, { ...sandbox, url: `${sandbox.url}/wrong` });
    await page.getByText(/tried by path: GET \S+\/wrong\/providers\/\S+\/outlets answered 404/).waitFor();
    await page.getByText(/tried by headers: GET \S+\/wrong\/outlets answered 404/).waitFor();
    await page.getByRole("link", { name: "Continue with outlets and roles" }).click();
    const registered = page.getByRole("region", { name: "Registered as" });
    await registered.getByText("Not detected yet").waitFor();
    await registered.getByText(/tried by headers/).waitFor();
    await expectFit(page);

    await registered.getByRole("button", { name: "Edit …" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit Nattkök" });
    await dialog.getByLabel("Base URL").fill(sandbox.url);
    await dialog.getByLabel("Name").fill("Nattkök norr");
    await expectFit(page);
    await dialog.getByRole("button", { name: "Save the changes" }).click();
    await page.getByRole("heading", { level: 1, name: "Nattkök norr" }).waitFor();
    await registered.getByText("Header X-Provider-Id (detected)").waitFor();
    expect(await registered.getByText(/tried by/).count()).toBe(0);

    await mapAll(theatre().operations, sandbox);
    const mapped = await theatre().visit(`integrations/${sandbox.providerId}`);
    await mapped.getByRole("button", { name: "Activate", exact: true }).click();
    await mapped.getByRole("button", { name: "Suspend …" }).waitFor();
    expect(await mapped.getByRole("button", { name: "Delete …" }).count()).toBe(0);
  });

  it("shows the fault of a correction at its field, and changes nothing of an active integration when the check fails", async () => {
    const { providerId } = await theatre().onboard();
    const page = await theatre().visit(`integrations/${providerId}`, { expected: [/status of (400|502)/] });
    await page.getByRole("button", { name: "Edit …" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit Kvarteret" });
    expect(await dialog.getByLabel("Kind").inputValue()).toBe("sandbox");
    await dialog.getByLabel("Base URL").fill("ftp://provider.example");
    await dialog.getByRole("button", { name: "Save the changes" }).click();
    await dialog.getByText(/^Base URL only https/).waitFor();
    await expect
      .poll(() => dialog.getByLabel("Base URL").evaluate((field) => field === document.activeElement))
      .toBe(true);
    await expectFit(page);
    await dialog.getByLabel("Base URL").fill("http://127.0.0.1:9");
    await dialog.getByRole("button", { name: "Save the changes" }).click();
    await dialog.getByText(/^Nothing was changed.*tried by path: GET http:\/\/127\.0\.0\.1:9\//).waitFor();
    await expectFit(page);
  });

  it("offboards an organisation: takes it out of work, saves its export, and deletes it", async () => {
    const { providerId } = await theatre().onboard();
    // The page reads the integration once more after it is gone.
    const page = await theatre().visit(`integrations/${providerId}`, refused(404));
    await page.getByRole("button", { name: "Offboard …" }).click();
    const dialog = page.getByRole("dialog", { name: "Offboard Kvarteret?" });
    await expectFit(page);
    await dialog.getByLabel("Leave everyone on the shifts").check();
    await dialog.getByRole("button", { name: "Offboard Kvarteret" }).click();
    const steps = page.getByRole("region", { name: "Offboarding" });
    await steps.getByText("No booking has to end at the provider.").waitFor();
    await expectFit(page);
    const saving = page.waitForEvent("download");
    await steps.getByRole("button", { name: "Save the export" }).click();
    const lines = readFileSync(await (await saving).path(), "utf8")
      .trim()
      .split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ complete: true, lines: lines.length });
    await steps.getByRole("button", { name: "Delete Kvarteret for good" }).click();
    await page.getByText("Everything of the organisation is being deleted").waitFor();
    await expectFit(page);
  });

  it("deletes a draft once that is confirmed", async () => {
    const sandbox = await provider();
    await registerThroughApi(theatre(), sandbox);
    // The page may read the draft once more before it is left.
    const page = await theatre().visit(`integrations/${sandbox.providerId}`, refused(404));
    await page.getByRole("button", { name: "Delete …" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Nattkök?" });
    await dialog.getByText("This cannot be undone", { exact: false }).waitFor();
    await expectFit(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => dialog.count()).toBe(0);
    ok(await theatre().operations.getIntegration({ params: { path: sandbox } }));
    await page.getByRole("button", { name: "Delete …" }).click();
    await dialog.getByRole("button", { name: "Delete Nattkök" }).click();
    await page.getByRole("heading", { level: 1, name: "Integrations" }).waitFor();
    expect(
      await page
        .getByRole("row")
        .filter({ hasText: sandbox.providerId.slice(0, 8) })
        .count(),
    ).toBe(0);
  });

  it("exchanges the platform token: webhooks with the new one are taken, and those with the old one are not", async () => {
    const { provider: sandbox, providerId, platformToken } = await theatre().onboard();
    const page = await theatre().visit(`integrations/${providerId}`);
    await page.getByRole("button", { name: "Create a new platform token …" }).click();
    const dialog = page.getByRole("dialog", { name: "New platform token" });
    await dialog.getByLabel("Overlap in hours").fill("0");
    await expectFit(page);
    await dialog.getByRole("button", { name: "Create the token" }).click();
    const token = (await dialog.locator(".secret code").textContent()) ?? "";
    await dialog.getByText("The previous token is no longer valid.", { exact: false }).waitFor();
    await expectFit(page);
    await dialog.getByRole("button", { name: "Copy PLATFORM_TOKEN" }).click();
    // Whether a browser lets it be copied is its own affair.
    await dialog.getByText(/^Copied\.$|copy it by hand/).waitFor();
    await page.keyboard.press("Escape");
    // The browser hides the dialog before the page learns that it was closed.
    await expect.poll(() => page.content()).not.toContain(token);

    const { url } = theatre().platform;
    sandbox.connectPlatform({ url, token, kind: KIND });
    const told = sandbox.createShift();
    expect(await sandbox.delivered(told.traceId)).toMatchObject({ delivered: true });
    sandbox.connectPlatform({ url, token: platformToken, kind: KIND });
    const untold = sandbox.createShift();
    expect(await sandbox.delivered(untold.traceId)).toMatchObject({ delivered: false });
  });

  it("takes the provider's new token and does not keep it in the page", async () => {
    const sandbox = await provider();
    await registerThroughApi(theatre(), { ...sandbox, token: "provider_of_yesterday" });
    const page = await theatre().visit(`integrations/${sandbox.providerId}`, refused(502));
    const onboarding = page.getByRole("region", { name: "Onboarding" });
    await onboarding.getByRole("button", { name: "Read from the provider" }).click();
    await onboarding.getByText(/tried by path: GET \S+\/outlets answered 401/).waitFor();
    await onboarding.getByText(/tried by headers: GET \S+\/outlets answered 40[014]/).waitFor();
    const field = page.getByLabel("New provider token");
    expect(await field.getAttribute("type")).toBe("password");
    expect(await field.getAttribute("autocomplete")).toBe("off");
    await field.fill(sandbox.token);
    await page.getByRole("button", { name: "Save the new token" }).click();
    await page.getByText("Provider token saved.", { exact: false }).waitFor();
    expect(await field.inputValue()).toBe("");
    await onboarding.getByRole("button", { name: "Read from the provider" }).click();
    await page.getByText("3 outlets, 4 roles.").waitFor();
  });

  it("imports the registry and tells what could not be used", async () => {
    const { providerId } = await theatre().onboard({ rewrite: withoutFirstNumber });
    const page = await theatre().visit(`integrations/${providerId}`);
    const registry = page.getByRole("region", { name: "Registry" });
    await registry.getByRole("button", { name: "Import the registry" }).click();
    await registry.getByText("3 new candidates").waitFor();
    await registry.getByText("1 unusable entries").waitFor();
    await registry.getByRole("row", { name: /^1 its personal number/ }).waitFor();
    await expectFit(page);
  });

  it("follows an import that somebody else started", async () => {
    const { providerId } = await theatre().onboard();
    const page = await theatre().visit(`integrations/${providerId}`);
    const registry = page.getByRole("region", { name: "Registry" });
    await registry.getByRole("button", { name: "Import the registry" }).waitFor();
    ok(await theatre().operations.importRegistry({ params: { path: { providerId } } }));
    await registry.getByText("An import read 4 entries").waitFor();
  });

  it("shows what a check found, and that it is gone with the next", async () => {
    findings.push(FINDING);
    const { providerId } = await theatre().onboard();
    const page = await theatre().visit(`integrations/${providerId}`);
    const check = page.getByRole("region", { name: "Check of the provider" });
    await check.getByRole("heading", { name: "listRoles: wrong_token_accepted" }).waitFor();
    await check.getByText(FINDING.fix).waitFor();
    await expectFit(page);
    findings.length = 0;
    const again = check.getByRole("button", { name: "Check again" });
    await again.click();
    await check.getByText("No findings").waitFor();
    expect(await again.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  it("keeps what is not saved while another page is looked at, and the focus in the section", async () => {
    const sandbox = await provider();
    await registerThroughApi(theatre(), sandbox);
    Object.assign(sandbox.outlets[1] ?? {}, { name: "Kajens brygga", address: null });
    const page = await theatre().visit(`integrations/${sandbox.providerId}`);
    await page.getByRole("button", { name: "Read from the provider" }).click();
    await page.getByRole("button", { name: "Add Kajens brygga as a new workplace" }).click();
    await page.getByText("1 change not saved").waitFor();
    await page.getByRole("link", { name: "Figures" }).click();
    await page.getByRole("heading", { level: 1, name: "Figures" }).waitFor();
    await page.goBack();
    await page.getByText("1 change not saved").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Activate", exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Mapping");
  });

  it("lists the organisations with what is next and what is open", async () => {
    findings.push(FINDING);
    const { providerId } = await theatre().onboard();
    const sandbox = await provider();
    await registerThroughApi(theatre(), sandbox);
    const page = await theatre().visit("integrations");
    const row = (id: string) => page.getByRole("row").filter({ hasText: id.slice(0, 8) });
    await row(sandbox.providerId).getByText("1 of 4, next: read outlets and roles").waitFor();
    await row(sandbox.providerId).getByText("Draft").waitFor();
    await row(providerId).getByText("Active").waitFor();
    await row(providerId).getByRole("link", { name: "1 open" }).waitFor();
    await expectFit(page);
  });

  it("tells what is missing when activation is refused", async () => {
    const { provider: sandbox, providerId } = await theatre().onboard({ activate: false });
    const page = await theatre().visit(`integrations/${providerId}`, refused(409));
    const activate = page.getByRole("button", { name: "Activate", exact: true });
    // While the call is on its way the provider opens another outlet, and somebody else reads it.
    const surprise = async (route: Route) => {
      Object.assign(sandbox.outlets, [...sandbox.outlets, { id: "new", name: "Taket", address: null }]);
      ok(await theatre().operations.discoverIntegration({ params: { path: { providerId } } }));
      await route.continue();
    };
    await page.route("**/activate", surprise, { times: 1 });
    await activate.click();
    const alert = page.getByRole("region", { name: "Onboarding" }).getByRole("alert");
    await alert.getByText("Taket is not mapped").waitFor();
    await page.getByRole("button", { name: "Add Taket as a new workplace" }).click();
    await page.getByRole("button", { name: "Save the mapping" }).click();
    await activate.waitFor();
    expect(await alert.count()).toBe(0);
    await activate.click();
    await page.getByRole("button", { name: "Suspend …" }).waitFor();
  });

  it("suspends and activates again", async () => {
    const { providerId } = await theatre().onboard();
    const page = await theatre().visit(`integrations/${providerId}`);
    await page.getByRole("button", { name: "Suspend …" }).click();
    await page.getByRole("dialog").getByText("Nothing is lost", { exact: false }).waitFor();
    await expectFit(page);
    await page.getByRole("dialog").getByRole("button", { name: "Suspend Kvarteret" }).click();
    await page.getByText("Suspended", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Activate again" }).click();
    await page.getByText("Active", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Suspend …" }).waitFor();
  });

  it("shows the backlog: what waits, since when, what limits it, and when it is done", async () => {
    const held: (() => void)[] = [];
    const gate = { isOpen: true };
    const { provider: sandbox, providerId } = await theatre().onboard({
      onTheWay: async (_call, pass) => {
        if (!gate.isOpen) await new Promise<void>((resolve) => held.push(resolve));
        await pass();
      },
    });
    const page = await theatre().visit(`integrations/${providerId}`);
    const backlog = page.getByRole("region", { name: "Backlog" });
    await backlog.getByText("Nothing waits.", { exact: false }).waitFor();
    await expectFit(page);

    gate.isOpen = false;
    const shifts = Array.from({ length: 13 }, () => sandbox.createShift());
    await Promise.all(shifts.map(({ traceId }) => sandbox.delivered(traceId)));
    await backlog.getByText("8 from events").waitFor();
    await backlog.getByText("Unknown until something is finished").waitFor();
    for (const release of held.splice(0)) release();
    await backlog.getByText(/^The provider takes .* for a response/).waitFor();
    await backlog.getByText(/^in (under a minute|\d+ min), at this pace$/).waitFor();
    await expectFit(page);
    gate.isOpen = true;
    for (const release of held.splice(0)) release();

    sandbox.setFault("token-rejected");
    sandbox.createShift();
    await backlog.getByText("Work is paused: token rejected.", { exact: false }).waitFor();
    await backlog.getByText("Unknown until the provider has recovered").waitFor();
    await expectFit(page);
    sandbox.clearFaults();
    await backlog.getByText("Nothing waits.", { exact: false }).waitFor();
  });

  it("says what to do when the provider does not answer, and goes on once it does", async () => {
    const sandbox = await provider();
    await registerThroughApi(theatre(), sandbox);
    await sandbox.close();
    const page = await theatre().visit(`integrations/${sandbox.providerId}`, refused(502));
    await page.getByRole("button", { name: "Read from the provider" }).click();
    const onboarding = page.getByRole("region", { name: "Onboarding" });
    await onboarding.getByText("The provider does not answer as it should").waitFor();
    await onboarding.getByText(/Check that the provider runs/).waitFor();
    await expectFit(page);
    const { port, providerId, token } = sandbox;
    await provider({ port, providerId, token });
    await onboarding.getByRole("button", { name: "Read from the provider" }).click();
    await page.getByText("3 outlets, 4 roles.").waitFor();
    expect(await onboarding.getByRole("alert").count()).toBe(0);
  });
});

/** Fills in the form, and answers the platform token that is shown. */
async function register(page: Page, { providerId, url, token }: Sandbox): Promise<string> {
  await page.getByRole("heading", { level: 1, name: "Register an organisation" }).waitFor();
  await page.getByLabel("Name").fill("Nattkök");
  await page.getByLabel("providerId", { exact: true }).fill(providerId);
  await page.getByLabel("Kind").fill(KIND);
  await page.getByLabel("Base URL").fill(url);
  await page.getByLabel("PROVIDER_TOKEN").fill(token);
  await expectFit(page);
  await page.getByRole("button", { name: "Register" }).click();
  await page.getByRole("heading", { name: "Give this to the provider" }).waitFor();
  await expectFit(page);
  return (await page.locator(".secret code").textContent()) ?? "";
}

/** The first person of the registry has a personal number that is none. */
function withoutFirstNumber(body: unknown): unknown {
  const { candidates } = body as { candidates?: object[] };
  if (!candidates) return body;
  return {
    candidates: candidates.map((each, at) => (at === 0 ? { ...each, personalNumber: "none" } : each)),
  };
}

async function registerThroughApi({ operations }: Theatre, sandbox: Sandbox): Promise<string> {
  const { providerId, url, token } = sandbox;
  const body = { providerId, kind: KIND, name: "Nattkök", baseUrl: url, providerToken: token };
  return ok(await operations.createIntegration({ body })).platformToken;
}

/** Every outlet and role has one of ours with its own name. */
async function expectMapped({ operations }: Theatre, { providerId }: Sandbox): Promise<void> {
  const { outlets, roles } = ok(await operations.getMappings({ params: { path: { providerId } } }));
  const workplaces = ok(await operations.listWorkplaces({ params: {} })).items;
  for (const { name, workplaceId } of outlets) {
    expect(workplaces.find((each) => each.workplaceId === workplaceId)?.name).toBe(name);
  }
  expect(roles.map(({ competenceId }) => competenceId)).not.toContain(undefined);
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

/** On a screen in light and in dark, and on a phone. */
async function expectFit(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 900 };
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectNoSeriousAxeFault(page);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(before);
}
