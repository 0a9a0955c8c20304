import { randomUUID } from "node:crypto";
import type { Page, Route } from "playwright-core";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { ProviderFinding } from "../../src/platform/deps.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { mappingsOf, ok } from "../harness/operations.ts";
import { mapAll, startRegistry } from "../harness/responders.ts";
import {
  type ConsoleHarness,
  expectNoSidewaysScroll,
  expectNoViolation,
  useConsoleHarness,
} from "./harness.ts";

const KIND = "sandbox";
const FINDING: ProviderFinding = {
  code: "wrong_token_accepted",
  severity: "error",
  operation: "listRoles",
  section: "5",
  title: "A wrong token is accepted",
  expected: "401",
  actual: "200",
  reproduce: "",
  fix: "Refuse every token but the one that you issued.",
};
/** The browser logs every response with a status of 400 or more as an error. */
const refused = (status: number) => ({ expected: [new RegExp(`status of ${status}`)] });

describe("integrations", () => {
  /** The findings of the next provider check. */
  const findings: ProviderFinding[] = [];
  // A test may hold back a response for as long as the page needs to show it.
  const harness = useConsoleHarness({ checkProvider: async () => [...findings], providerTimeoutMs: 60_000 });
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

  it("register an organisation, map it, and activate it, and its shift becomes a job", async () => {
    const sandbox = await provider();
    const page = await harness().visit("integrations");
    await page.getByText("No organisation is registered").waitFor();
    await expectFit(page);
    await page.getByRole("link", { name: "Register an organisation" }).click();
    const platformToken = await register(page, sandbox);
    sandbox.connectPlatform({ url: harness().platform.url, token: platformToken, kind: KIND });
    // Its first event arrives before the integration is active, and waits.
    const { shiftId } = sandbox.createShift();
    await page.getByRole("link", { name: "Continue with outlets and roles" }).click();
    await page.getByRole("heading", { level: 1, name: "Nattkök" }).waitFor();
    expect(await page.content(), "the token is shown on one page only").not.toContain(platformToken);

    await page.getByRole("button", { name: "Read from the provider" }).click();
    await page.getByText("3 of 3 not mapped").waitFor();
    await page.getByRole("button", { name: "Add Kajen as a new workplace" }).click();
    await page.getByText("2 of 3 not mapped").waitFor();
    await expect.poll(() => focused(page)).toBe("Workplace for Kajen");
    await page.getByRole("button", { name: "Add all without a suggestion as workplaces" }).click();
    await page.getByRole("button", { name: "Add all without a suggestion as competences" }).click();
    await page.getByText("all 4").waitFor();
    await expectFit(page);
    await page.getByRole("button", { name: "Activate", exact: true }).click();
    await page.getByRole("button", { name: "Suspend …" }).waitFor();
    await expectFit(page);

    const { operations } = harness();
    const query = { providerId: sandbox.providerId, shiftId };
    await expect
      .poll(async () =>
        ok(await operations.listJobs({ params: { query } })).items.map(({ status }) => status),
      )
      .toEqual(["open"]);
    await expectMapped(harness(), sandbox);
  });

  it("show a fault of the registration at its field and focus it", async () => {
    const page = await harness().visit("integrations/new", refused(400));
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

  it("detect the routing and show it", async () => {
    const sandbox = await provider({ dialect: { routing: "header" } });
    const page = await harness().visit("integrations/new");
    expect(await page.getByRole("radio", { name: /^Detect/ }).isChecked()).toBe(true);
    await register(page, sandbox);
    await page.getByText("Header X-Provider-Id (detected)").waitFor();
    await page.getByRole("link", { name: "Continue with outlets and roles" }).click();
    const registered = page.getByRole("region", { name: "Registration" });
    await registered.getByText("Header X-Provider-Id (detected)").waitFor();
    await expectFit(page);
  });

  it("show the attempts if the routing is not detected, and activate the corrected draft", async () => {
    const sandbox = await provider({ dialect: { routing: "header" } });
    const page = await harness().visit("integrations/new");
    await register(page, { ...sandbox, url: `${sandbox.url}/wrong` });
    await page.getByText(/tried by path: GET \S+\/wrong\/providers\/\S+\/outlets returned 404/).waitFor();
    await page.getByText(/tried by headers: GET \S+\/wrong\/outlets returned 404/).waitFor();
    await page.getByRole("link", { name: "Continue with outlets and roles" }).click();
    const registered = page.getByRole("region", { name: "Registration" });
    await registered.getByText("Not detected yet").waitFor();
    await registered.getByText(/tried by headers/).waitFor();
    await expectFit(page);

    await registered.getByRole("button", { name: "Edit …" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit Nattkök" });
    await dialog.getByLabel("Base URL").fill(sandbox.url);
    await dialog.getByLabel("Name").fill("Nattkök norr");
    await dialog.getByLabel("English").check();
    await dialog.getByLabel("Phone for candidates").fill("+46701740605");
    await expectFit(page);
    await dialog.getByRole("button", { name: "Save the changes" }).click();
    await page.getByRole("heading", { level: 1, name: "Nattkök norr" }).waitFor();
    await registered.getByText("Header X-Provider-Id (detected)").waitFor();
    expect(await registered.getByText(/tried by/).count()).toBe(0);
    await registered.getByText("English").waitFor();
    await registered.getByText("+46701740605").waitFor();

    await mapAll(harness().operations, sandbox);
    const mapped = await harness().visit(`integrations/${sandbox.providerId}`);
    await mapped.getByRole("button", { name: "Activate", exact: true }).click();
    await mapped.getByRole("button", { name: "Suspend …" }).waitFor();
    expect(await mapped.getByRole("button", { name: "Delete …" }).count()).toBe(0);
  });

  it("show a fault of a correction at its field, and keep an active integration unchanged if the check fails", async () => {
    const { providerId } = await harness().onboard();
    const page = await harness().visit(`integrations/${providerId}`, { expected: [/status of (400|502)/] });
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
    await dialog.getByText(/^PROVIDER_TOKEN is required, because the base URL leaves http/).waitFor();
    await dialog.getByLabel("PROVIDER_TOKEN").fill("provider-token");
    await dialog.getByRole("button", { name: "Save the changes" }).click();
    await dialog.getByText(/^Nothing was changed.*tried by path: GET http:\/\/127\.0\.0\.1:9\//).waitFor();
    await expectFit(page);
  });

  it("offboard an organisation, and delete it", async () => {
    const { providerId } = await harness().onboard();
    // The page reads the integration once more after it is gone.
    const page = await harness().visit(`integrations/${providerId}`, refused(404));
    await page.getByRole("button", { name: "Offboard …" }).click();
    const dialog = page.getByRole("dialog", { name: "Offboard Kvarteret?" });
    await expectFit(page);
    await dialog.getByLabel("Leave everyone on the shifts").check();
    await dialog.getByRole("button", { name: "Offboard Kvarteret" }).click();
    const steps = page.getByRole("region", { name: "Offboarding" });
    await steps.getByText("No booking has to end at the provider.").waitFor();
    await expectFit(page);
    await steps.getByRole("button", { name: "Delete permanently …" }).click();
    const deleting = page.getByRole("dialog", { name: "Delete Kvarteret permanently?" });
    await deleting.getByText("Booked candidates stay on the provider's shifts", { exact: false }).waitFor();
    await expectFit(page);
    await deleting.getByLabel("Type Kvarteret to confirm").fill("kvarteret");
    await deleting.getByRole("button", { name: "Delete Kvarteret permanently" }).click();
    await deleting.getByRole("alert").getByText("Nothing is deleted", { exact: false }).waitFor();
    const { offboarding } = ok(
      await harness().operations.getIntegration({ params: { path: { providerId } } }),
    );
    expect(offboarding?.deletionRequestedAt).toBeUndefined();
    await deleting.getByLabel("Type Kvarteret to confirm").fill("Kvarteret");
    await page.keyboard.press("Enter");
    await page.getByText("All data of the organisation is being deleted").waitFor();
    await expectFit(page);
  });

  it("delete a draft after a confirmation", async () => {
    const sandbox = await provider();
    await registerThroughApi(harness(), sandbox);
    // The page may read the draft once more before it is left.
    const page = await harness().visit(`integrations/${sandbox.providerId}`, refused(404));
    await page.getByRole("button", { name: "Delete …" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Nattkök?" });
    await dialog.getByText("This cannot be undone", { exact: false }).waitFor();
    await expectFit(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => dialog.count()).toBe(0);
    ok(await harness().operations.getIntegration({ params: { path: sandbox } }));
    await page.getByRole("button", { name: "Delete …" }).click();
    await dialog.getByLabel("Type Nattkök to confirm").fill("Nattkök");
    await dialog.getByRole("button", { name: "Delete Nattkök" }).click();
    await page.getByRole("heading", { level: 1, name: "Integrations" }).waitFor();
    expect(
      await page
        .getByRole("row")
        .filter({ hasText: sandbox.providerId.slice(0, 8) })
        .count(),
    ).toBe(0);
  });

  it("replace the platform token: webhooks with the new one are accepted, and those with the old one rejected", async () => {
    const { provider: sandbox, providerId, platformToken } = await harness().onboard();
    const page = await harness().visit(`integrations/${providerId}`);
    await page.getByRole("button", { name: "Create a new platform token …" }).click();
    const dialog = page.getByRole("dialog", { name: "New platform token" });
    await dialog.getByLabel("Overlap in hours").fill("0");
    await expectFit(page);
    await dialog.getByRole("button", { name: "Create the token" }).click();
    const token = (await dialog.locator(".secret code").textContent()) ?? "";
    await dialog.getByText("The previous token is no longer valid.", { exact: false }).waitFor();
    await expectFit(page);
    await dialog.getByRole("button", { name: "Copy PLATFORM_TOKEN" }).click();
    // Browsers differ in access to the clipboard.
    await dialog.getByText(/^Copied\.$|copy it by hand/).waitFor();
    await page.keyboard.press("Escape");
    // The browser hides the dialog before the page learns that it was closed.
    await expect.poll(() => page.content()).not.toContain(token);

    const { url } = harness().platform;
    sandbox.connectPlatform({ url, token, kind: KIND });
    const accepted = sandbox.createShift();
    expect(await sandbox.delivered(accepted.traceId)).toMatchObject({ delivered: true });
    sandbox.connectPlatform({ url, token: platformToken, kind: KIND });
    const rejected = sandbox.createShift();
    expect(await sandbox.delivered(rejected.traceId)).toMatchObject({ delivered: false });
  });

  it("accept a new provider token and do not keep it in the page", async () => {
    const sandbox = await provider();
    await registerThroughApi(harness(), { ...sandbox, token: "provider_of_yesterday" });
    const page = await harness().visit(`integrations/${sandbox.providerId}`, refused(502));
    const onboarding = page.getByRole("region", { name: "Onboarding" });
    await onboarding.getByRole("button", { name: "Read from the provider" }).click();
    await onboarding.getByText(/tried by path: GET \S+\/outlets returned 401/).waitFor();
    await onboarding.getByText(/tried by headers: GET \S+\/outlets returned 40[014]/).waitFor();
    await page.getByRole("button", { name: "Enter a new provider token …" }).click();
    await page.getByText("It replaces the stored token", { exact: false }).waitFor();
    const field = page.locator("input[name=providerToken]");
    expect(await field.getAttribute("type")).toBe("password");
    expect(await field.getAttribute("autocomplete")).toBe("off");
    await field.fill(sandbox.token);
    await page.getByRole("button", { name: "Save the new token" }).click();
    await page.getByText("Provider token saved.", { exact: false }).waitFor();
    expect(await field.count()).toBe(0);
    await onboarding.getByRole("button", { name: "Read from the provider" }).click();
    await page.getByText("3 outlets, 4 roles.").waitFor();
  });

  it("import the registry and list its unusable entries", async () => {
    const { providerId } = await harness().onboard({ rewrite: withoutFirstNumber });
    const page = await harness().visit(`integrations/${providerId}`);
    const registry = page.getByRole("region", { name: "Registry" });
    await registry.getByRole("button", { name: "Import the registry" }).click();
    await registry.getByText("3 new candidates").waitFor();
    await registry.getByText("1 unusable entry").waitFor();
    await registry.getByRole("row", { name: /^1 its personal number/ }).waitFor();
    await expectFit(page);
  });

  it("show the result of an import that was started elsewhere", async () => {
    const { providerId } = await harness().onboard();
    const page = await harness().visit(`integrations/${providerId}`);
    const registry = page.getByRole("region", { name: "Registry" });
    await registry.getByRole("button", { name: "Import the registry" }).waitFor();
    ok(await harness().operations.importRegistry({ params: { path: { providerId } } }));
    await registry.getByText(/^\d new candidates?$/).waitFor();
  });

  it("show how far an import is, also after a reload of the page, and that it failed", async () => {
    const { promise: secondPage, resolve } = Promise.withResolvers<number>();
    const firstPage = { candidates: Array.from({ length: 1_200 }, () => "no entry"), nextCursor: "2" };
    const provider = await startRegistry(({ cursor }) => (cursor === null ? firstPage : secondPage));
    onTestFinished(provider.close);
    const providerId = randomUUID();
    const draft = {
      providerId,
      kind: KIND,
      name: "Nattkök",
      baseUrl: provider.url,
      routing: "path",
    } as const;
    ok(await harness().operations.createIntegration({ body: { ...draft, providerToken: "provider-token" } }));
    const page = await harness().visit(`integrations/${providerId}`);
    const registry = page.getByRole("region", { name: "Registry" });
    await registry.getByRole("button", { name: "Import the registry" }).click();
    await registry.getByText("1,200 read").waitFor();
    await page.reload();
    await registry.getByText("1,200 read").waitFor();
    await registry.getByRole("button", { name: "Importing …" }).waitFor();
    resolve(404);
    await registry.getByText(/^Page 2 of the registry could not be read/).waitFor();
    await registry.getByRole("button", { name: "Import the registry" }).waitFor();
  });

  it("show the findings of a check until the next check passes", async () => {
    findings.push(FINDING);
    const { providerId } = await harness().onboard();
    const page = await harness().visit(`integrations/${providerId}`);
    const check = page.getByRole("region", { name: "Provider check" });
    await check.getByRole("heading", { name: "listRoles: wrong_token_accepted" }).waitFor();
    await check.getByText(FINDING.fix).waitFor();
    await expectFit(page);
    findings.length = 0;
    const again = check.getByRole("button", { name: "Check again" });
    await again.click();
    await check.getByText("Passed: no finding").waitFor();
    await check.locator(".empty time").waitFor();
    expect(await again.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  it("keep unsaved choices during a visit to another page, and the focus in the section", async () => {
    const sandbox = await provider();
    await registerThroughApi(harness(), sandbox);
    Object.assign(sandbox.outlets[1] ?? {}, { name: "Kajens brygga", address: null });
    ok(await harness().operations.createWorkplace({ body: { name: "Kajens bryggan" } }));
    const page = await harness().visit(`integrations/${sandbox.providerId}`);
    await page.getByRole("button", { name: "Read from the provider" }).click();
    await page.getByRole("button", { name: "Map to Kajens bryggan" }).click();
    await page.getByText("1 change not saved").waitFor();
    await page.getByRole("link", { name: "Statistics" }).click();
    await page.getByRole("heading", { level: 1, name: "Statistics" }).waitFor();
    await page.goBack();
    await page.getByText("1 change not saved").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Activate", exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Mapping");
  });

  it("list the organisations with the next step and the open issues", async () => {
    findings.push(FINDING);
    const { providerId } = await harness().onboard();
    const sandbox = await provider();
    await registerThroughApi(harness(), sandbox);
    const page = await harness().visit("integrations");
    const row = (id: string) => page.getByRole("row").filter({ hasText: id.slice(0, 8) });
    await row(sandbox.providerId).getByText("1 of 4, next: read outlets and roles").waitFor();
    await row(sandbox.providerId).getByText("Draft").waitFor();
    await row(providerId).getByText("Active").waitFor();
    await row(providerId).getByRole("link", { name: "1 open" }).waitFor();
    await expectFit(page);
  });

  it("show what is missing when the activation is refused", async () => {
    const { provider: sandbox, providerId } = await harness().onboard({ activate: false });
    const page = await harness().visit(`integrations/${providerId}`, refused(409));
    const activate = page.getByRole("button", { name: "Activate", exact: true });
    // During the call the provider adds an outlet, and another operator reads it.
    const surprise = async (route: Route) => {
      Object.assign(sandbox.outlets, [...sandbox.outlets, { id: "new", name: "Taket", address: null }]);
      ok(await harness().operations.discoverIntegration({ params: { path: { providerId } } }));
      await route.continue();
    };
    await page.route("**/activate", surprise, { times: 1 });
    await activate.click();
    const alert = page.getByRole("region", { name: "Onboarding" }).getByRole("alert");
    await alert.getByText("Taket is not mapped").waitFor();
    await page.getByRole("button", { name: "Add Taket as a new workplace" }).click();
    await activate.waitFor();
    expect(await alert.count()).toBe(0);
    await activate.click();
    await page.getByRole("button", { name: "Suspend …" }).waitFor();
  });

  it("suspend and activate again", async () => {
    const { providerId } = await harness().onboard();
    const page = await harness().visit(`integrations/${providerId}`);
    await page.getByRole("button", { name: "Suspend …" }).click();
    await page.getByRole("dialog").getByText("Nothing is lost", { exact: false }).waitFor();
    await expectFit(page);
    await page.getByRole("dialog").getByRole("button", { name: "Suspend Kvarteret" }).click();
    await page.getByText("Suspended", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Activate again" }).click();
    await page.getByText("Active", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Suspend …" }).waitFor();
  });

  it("show the backlog: what waits, since when, and what limits it", async () => {
    const held: (() => void)[] = [];
    const gate = { isOpen: true };
    const { provider: sandbox, providerId } = await harness().onboard({
      onTheWay: async (_call, pass) => {
        if (!gate.isOpen) await new Promise<void>((resolve) => held.push(resolve));
        await pass();
      },
    });
    const page = await harness().visit(`integrations/${providerId}`);
    const backlog = page.getByRole("region", { name: "Backlog" });
    await backlog.getByText("Nothing waits.", { exact: false }).waitFor();
    await expectFit(page);

    gate.isOpen = false;
    const shifts = Array.from({ length: 13 }, () => sandbox.createShift());
    await Promise.all(shifts.map(({ traceId }) => sandbox.delivered(traceId)));
    await backlog.getByText("8 from events").waitFor();
    await backlog.getByText("Waiting since").waitFor();
    // Responses are what a latency is measured of: the calls must have arrived before some are released.
    await expect.poll(() => held.length).toBeGreaterThan(0);
    for (const release of held.splice(0)) release();
    await backlog.getByText(/^The provider takes .* for a response/).waitFor();
    await expectFit(page);
    gate.isOpen = true;
    for (const release of held.splice(0)) release();

    sandbox.setFault("token-rejected");
    sandbox.createShift();
    await backlog.getByText("Work is paused: token rejected.", { exact: false }).waitFor();
    await expectFit(page);
    sandbox.clearFaults();
    await backlog.getByText("Nothing waits.", { exact: false }).waitFor();
  });

  it("show what to do when the provider does not respond, and continue once it does", async () => {
    const sandbox = await provider();
    await registerThroughApi(harness(), sandbox);
    await sandbox.close();
    const page = await harness().visit(`integrations/${sandbox.providerId}`, refused(502));
    await page.getByRole("button", { name: "Read from the provider" }).click();
    const onboarding = page.getByRole("region", { name: "Onboarding" });
    await onboarding.getByText("The provider does not respond correctly").waitFor();
    await onboarding.getByText(/Check that the provider runs/).waitFor();
    await expectFit(page);
    const { port, providerId, token } = sandbox;
    await provider({ port, providerId, token });
    await onboarding.getByRole("button", { name: "Read from the provider" }).click();
    await page.getByText("3 outlets, 4 roles.").waitFor();
    expect(await onboarding.getByRole("alert").count()).toBe(0);
  });
});

/** Submits the form and returns the platform token that is shown. */
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

/** The first person of the registry gets an invalid personal number. */
function withoutFirstNumber(body: unknown): unknown {
  const { candidates } = body as { candidates?: object[] };
  if (!candidates) return body;
  return {
    candidates: candidates.map((each, at) => (at === 0 ? { ...each, personalNumber: "none" } : each)),
  };
}

async function registerThroughApi({ operations }: ConsoleHarness, sandbox: Sandbox): Promise<string> {
  const { providerId, url, token } = sandbox;
  const body = { providerId, kind: KIND, name: "Nattkök", baseUrl: url, providerToken: token };
  return ok(await operations.createIntegration({ body })).platformToken;
}

/** Every outlet is mapped to a workplace with its name, and every role to a competence. */
async function expectMapped({ operations }: ConsoleHarness, { providerId }: Sandbox): Promise<void> {
  const { outlets, roles } = await mappingsOf(operations, { providerId });
  const workplaces = ok(await operations.listWorkplaces({ params: {} })).items;
  for (const { name, workplaceId } of outlets) {
    expect(workplaces.find((each) => each.workplaceId === workplaceId)?.name).toBe(name);
  }
  expect(roles.map(({ competenceId }) => competenceId)).not.toContain(undefined);
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

/** Checks the page in light and in dark colours, and on a phone. */
async function expectFit(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 900 };
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectNoViolation(page);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(before);
}
