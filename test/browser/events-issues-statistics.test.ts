import { randomUUID } from "node:crypto";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Event, Job } from "../../generated/operations/types.ts";
import type { Channel, Delivery } from "../../src/platform/deps.ts";
import type { NewShift } from "../../src/sandbox/provider-actions.ts";
import type { Organisation } from "../harness/organisation.ts";
import { DISPLAYS, expectNoSidewaysScroll, expectNoViolation, tabTo, useConsoleHarness } from "./harness.ts";

/** The response of the mail server. */
let delivery: Delivery = { kind: "delivered" };
const channel: Channel = { name: "email", deliver: async () => delivery, close: () => undefined };

/** Few attempts, so that an event is given up soon. */
const harness = useConsoleHarness({ retries: { tries: 3 }, channel });

const region = (page: Page, name: string | RegExp) => page.getByRole("region", { name, exact: true });
const badge = (page: Page, text: string) =>
  page.locator(".page-head .badge").getByText(text, { exact: true });
const isFocused = (element: Locator) => element.evaluate((each) => each === document.activeElement);

/** Gives up the event of a shift that the provider cannot return. The provider recovers afterwards. */
async function givenUp(organisation: Organisation, shift?: NewShift): Promise<Event> {
  organisation.provider.setFault("error-500", { operations: ["getShift"] });
  const { traceId } = organisation.provider.createShift(shift);
  await organisation.idle();
  organisation.provider.clearFaults();
  return organisation.event(traceId);
}

// The file has its own database, which is empty before the first test.
describe("a platform without events", () => {
  it.each([
    ["events", "No event received yet"],
    ["issues", "No open issues"],
    ["statistics", "No shift starts in this period"],
  ])("explains the empty page of %s", async (path, title) => {
    const page = await harness().visit(path);
    await page.getByText(title).waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
    await expectNoViolation(page);
  });
});

describe("the event log", () => {
  it("shows a new event with its status and a link to its job", async () => {
    const organisation = await harness().onboard();
    const page = await harness().visit(`events?providerId=${organisation.providerId}`);
    await page.getByText("No event matches the filters").waitFor();
    const job = await organisation.open();
    const row = page.getByRole("row").filter({ hasText: "shift.create" });
    await row.getByText("Processed").waitFor();
    await row.getByText("Job created: open").waitFor();
    await row.getByRole("link", { name: job.shiftId.slice(0, 8) }).click();
    await page.waitForURL(`**/console/jobs/${job.jobId}`);
  });

  it("keeps its filters in the address", async () => {
    const organisation = await harness().onboard();
    const { shiftId } = await organisation.open();
    await organisation.send("shift.explode", shiftId);
    const page = await harness().visit(`events?providerId=${organisation.providerId}`);
    const rows = page.locator("tbody tr");
    await rows.nth(1).waitFor();
    const status = page.getByLabel("Status");
    await status.focus();
    await status.selectOption({ label: "Ignored" });
    await rows.filter({ hasText: "shift.create" }).waitFor({ state: "detached" });
    await rows.filter({ hasText: "shift.explode" }).waitFor();
    expect(new URL(page.url()).searchParams.get("status")).toBe("ignored");
    expect(await isFocused(status)).toBe(true);
    await page.getByLabel("Shift id").fill("no-such-shift");
    await page.keyboard.press("Enter");
    await page.getByText("No event matches the filters").waitFor();
    await page.reload();
    await page.getByText("No event matches the filters").waitFor();
    expect(await page.getByLabel("Shift id").inputValue()).toBe("no-such-shift");
  });

  it("replays the failed events of an organisation", async () => {
    const organisation = await harness().onboard();
    await givenUp(organisation);
    await givenUp(organisation);
    const page = await harness().visit(`events?providerId=${organisation.providerId}`);
    await page.getByText("No response").nth(1).waitFor();
    const opener = page.getByRole("button", { name: "Replay failed events" });
    await opener.click();
    const dialog = page.getByRole("dialog", { name: "Replay failed events" });
    await expectNoViolation(page);
    await dialog.getByRole("button", { name: "Replay" }).click();
    await page.getByText("2 events queued again.").waitFor();
    await page.locator("tbody tr").filter({ hasText: "Processed" }).nth(1).waitFor();
    expect(await isFocused(opener)).toBe(true);
    await opener.click();
    await dialog.getByRole("button", { name: "Replay" }).click();
    await dialog.getByText("No event received since then has failed.").waitFor();
  });
});

describe("the zone of times", () => {
  it("is one for all pages, and the viewer's once that is chosen", async () => {
    const organisation = await harness().onboard({ timeZone: "Asia/Tokyo" });
    const { eventId, receivedAt } = await givenUp(organisation);
    const page = await harness().visit(`events/${eventId}`);
    const clockIn = (timeZone: string) =>
      new Date(receivedAt).toLocaleTimeString("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
    await region(page, "Details").getByText(clockIn("Asia/Tokyo")).first().waitFor();
    await page.goto(`${harness().platform.url}/console/events?providerId=${organisation.providerId}`);
    await page.getByRole("cell").getByText(clockIn("Asia/Tokyo")).first().waitFor();
    await page.getByLabel("Times in").selectOption("viewer");
    await page.getByRole("cell").getByText(clockIn("America/New_York")).first().waitFor();
    await page.goto(`${harness().platform.url}/console/events/${eventId}`);
    await region(page, "Details").getByText(clockIn("America/New_York")).first().waitFor();
  });
});

describe("an event that was given up", () => {
  it("is replayed after a preview, and its outcome appears", async () => {
    const organisation = await harness().onboard();
    const { eventId, traceId } = await givenUp(organisation, { positions: 3 });
    const page = await harness().visit(`events/${eventId}`);
    await badge(page, "No response").waitFor();
    await region(page, "Payload").getByText(`"traceId": "${traceId}"`).waitFor();
    await region(page, "Trace")
      .getByText(/^Will retry/)
      .nth(2)
      .waitFor();
    const outcome = region(page, "Outcome");
    expect(await organisation.findJob((await organisation.event(traceId)).shiftId)).toBeUndefined();
    await outcome.getByRole("button", { name: "Replay", exact: true }).click();
    await badge(page, "Processed").waitFor();
    await region(page, "Trace").getByText("Queued again: shift.create").waitFor();
    const message = outcome.getByText("Queued again. The outcome appears here.");
    expect(await isFocused(message)).toBe(true);
    await region(page, "Details").getByRole("link", { name: "Job of the shift" }).waitFor();
  });
});

describe("a queued event", () => {
  it("is not queued a second time", async () => {
    const organisation = await harness().onboard({ activate: false, connect: false });
    const { shiftId } = organisation.provider.createShift();
    const { eventId } = await organisation.event(await organisation.send("shift.create", shiftId));
    const page = await harness().visit(`events/${eventId}`, { expected: [/409/] });
    await badge(page, "Queued").waitFor();
    const outcome = region(page, "Outcome");
    await outcome.getByRole("button", { name: "Replay", exact: true }).click();
    await outcome.getByText("The event waits to be processed", { exact: true }).waitFor();
    await organisation.activate();
    await badge(page, "Processed").waitFor();
  });
});

describe("an issue", () => {
  it("shows its remedy, links to its events, and is resolved", async () => {
    const organisation = await harness().onboard();
    const { traceId } = await givenUp(organisation);
    const page = await harness().visit(`issues?providerId=${organisation.providerId}`);
    const issue = page.getByRole("article", { name: "No usable response from the provider" });
    await issue.getByText("The provider gave no usable response after 3 attempts").waitFor();
    await issue
      .getByText(
        "Ask the provider to fix the response. The shift is read at least once an hour; a replay reads it immediately.",
      )
      .waitFor();
    const events = issue.getByRole("link", { name: "Events of the trace" });
    expect(await events.getAttribute("href")).toBe(`/console/events?traceId=${traceId}`);
    await tabTo(page, issue.getByRole("button", { name: "Resolve" }));
    await page.keyboard.press("Enter");
    await page.getByText("Resolved. The issue comes back if its cause remains.").waitFor();
    await page.getByText("No open issue matches the filters").waitFor();
    expect(await organisation.issueCodes()).toEqual([]);
    expect(await isFocused(region(page, "Open issues"))).toBe(true);
  });

  it("appears in order of urgency, and closes with its cause", async () => {
    const organisation = await harness().onboard({ connect: false });
    const page = await harness().visit(`issues?providerId=${organisation.providerId}`);
    await page.getByText("No open issue matches the filters").waitFor();
    const end = { endTime: "2031-05-05T10:00:00.000Z", startTime: "2031-05-05T12:00:00.000Z" };
    const { shiftId } = organisation.provider.createShift(end);
    await organisation.send("shift.create", shiftId);
    const titles = page.getByRole("article").getByRole("heading");
    await page.getByRole("heading", { name: "Shift unusable" }).waitFor();
    await givenUpBySending(organisation);
    await page.getByRole("heading", { name: "No usable response from the provider" }).waitFor();
    await expect
      .poll(() => titles.allTextContents())
      .toEqual(["No usable response from the provider", "Shift unusable"]);
    organisation.provider.updateShift(shiftId, { endTime: "2031-05-05T20:00:00.000Z" });
    await organisation.send("shift.update", shiftId);
    await page.getByRole("heading", { name: "Shift unusable" }).waitFor({ state: "detached" });
    await page.getByLabel("Kind").selectOption("provider_gave_no_answer");
    expect(new URL(page.url()).searchParams.get("code")).toBe("provider_gave_no_answer");
    await expect.poll(() => titles.count()).toBe(1);
  });
});

describe("issues with one cause", () => {
  const forty = 40;

  it("are one card, of which some are chosen and the rest are resolved at once", async () => {
    const organisation = await harness().onboard({ connect: false });
    const times = { startTime: "2031-05-05T12:00:00.000Z", endTime: "2031-05-05T10:00:00.000Z" };
    for (let nth = 0; nth < forty; nth += 1)
      await organisation.send("shift.create", organisation.provider.createShift(times).shiftId);
    await organisation.idle();
    const page = await harness().visit(`issues?providerId=${organisation.providerId}`);
    const card = page.getByRole("article", { name: "Shift unusable" });
    await card.getByText("40 issues of 40 shifts.").waitFor();
    await expect.poll(() => page.getByRole("article").count()).toBe(1);
    await card.getByText("Show the 40 issues").click();
    const boxes = card.getByRole("checkbox");
    await expect.poll(() => boxes.count()).toBe(forty);
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await card.getByRole("button", { name: "Assign … the chosen" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Assign", exact: true }).click();
    await card.getByText("assigned to first admin").nth(1).waitFor();
    await boxes.nth(0).check();
    await card.getByRole("button", { name: "Snooze … the chosen" }).click();
    await expectNoViolation(page);
    await page.getByRole("dialog").getByRole("button", { name: "Snooze", exact: true }).click();
    await card.getByText("39 issues of 39 shifts.").waitFor();
    await card.getByRole("button", { name: "Resolve 39" }).click();
    await page.getByText("39 issues resolved.").waitFor();
    await page.getByText("No open issue matches the filters").waitFor();
    await page.getByLabel("State").selectOption("Snoozed");
    await card.getByText("snoozed until").waitFor();
    await page.getByLabel("State").selectOption("Closed");
    await page.getByText("History").first().click();
    await page.getByText("resolved it").first().waitFor();
    await expectNoSidewaysScroll(page);
  });

  it("name the outlet, lead to its row in the mapping, and are on the page of the job", async () => {
    const organisation = await harness().onboard();
    const outletId = randomUUID();
    const { jobId } = await organisation.open({ outletId });
    const page = await harness().visit(`jobs/${jobId}`);
    const issues = region(page, "Open issues");
    await issues.getByText("1 shift waits for the outlet").waitFor();
    const link = issues.getByRole("link", { name: "Map it" });
    expect(await link.getAttribute("href")).toBe(
      `/console/integrations/${organisation.providerId}?outlets=${outletId}#mapping`,
    );
  });
});

async function givenUpBySending(organisation: Organisation): Promise<void> {
  organisation.provider.setFault("error-500", { operations: ["getShift"] });
  const { shiftId } = organisation.provider.createShift();
  await organisation.send("shift.create", shiftId);
  await organisation.idle();
  organisation.provider.clearFaults();
}

describe("a notification that the mail server refused", () => {
  it("is sent again, and its issue closes", async () => {
    delivery = { kind: "refused", code: "mail_server_refused", status: 550 };
    const organisation = await harness().onboard();
    await organisation.addPerson();
    await organisation.open();
    await organisation.idle();
    delivery = { kind: "delivered" };
    const page = await harness().visit(`issues?providerId=${organisation.providerId}`);
    const issue = page.getByRole("article", { name: "Notification not delivered" });
    await tabTo(page, issue.getByRole("button", { name: "Send again" }));
    await page.keyboard.press("Enter");
    await page.getByText("Queued. The notification is sent again.").waitFor();
    await page.getByText("No open issue matches the filters").waitFor();
    expect(await organisation.issueCodes()).toEqual([]);
  });
});

/** The day on which a job starts, where the organisation is: statistics count by it. */
async function dayOf(
  { startTime }: Job,
  { integration }: Pick<Organisation, "integration">,
): Promise<string> {
  const { timeZone } = await integration();
  return new Date(startTime).toLocaleDateString("sv-SE", { timeZone });
}

describe("the statistics", () => {
  it("show how the shifts of a period were filled, as charts and as tables", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open({ positions: 2 });
    expect(await organisation.accept(job, person)).toMatchObject({ code: "confirmed" });
    const until = await dayOf(job, organisation);
    const page = await harness().visit(`statistics?providerId=${organisation.providerId}&until=${until}`);
    const summary = "1 of 2 positions filled: 50 %.";
    const fill = region(page, "Fill rate");
    await fill.getByText(summary).waitFor();
    expect(await fill.getByRole("img").getAttribute("aria-label")).toBe(`Fill rate: ${summary}`);
    await expect.poll(() => isDrawn(fill.getByRole("img"))).toBe(true);
    for (const name of ["By week", "By organisation"])
      await region(page, name).getByRole("row").filter({ hasText: "50 %" }).waitFor();
    await page.getByLabel("Last day").fill("2020-01-01");
    await page.getByText("No shift starts in this period").waitFor();
  });
});

/** Whether the canvas has a pixel that is not transparent. */
const isDrawn = (canvas: Locator) =>
  canvas.evaluate((each: HTMLCanvasElement) => {
    const { data = [] } = each.getContext("2d")?.getImageData(0, 0, each.width, each.height) ?? {};
    return Array.from(data).some((value) => value > 0);
  });

describe("events, issues and statistics", () => {
  it.each(DISPLAYS)("have no serious axe violation and fit the window, %s", async (_, display) => {
    const organisation = await harness().onboard();
    const { eventId, providerId } = await givenUp(organisation);
    const until = await dayOf(await organisation.open(), organisation);
    const page = await harness().visit(`events?providerId=${providerId}`, display);
    const go = async (path: string, shows: Locator) => {
      await page.goto(`${harness().platform.url}/console/${path}`);
      await shows.first().waitFor();
      await expectNoViolation(page);
      await expectNoSidewaysScroll(page);
    };
    await go(`events?providerId=${providerId}`, page.getByText("No response", { exact: true }).last());
    await go(`issues?providerId=${providerId}`, page.getByRole("article"));
    const authorization = "Bearer wrong";
    await harness().send("/webhooks/scheduling-provider", { method: "POST", authorization, body: {} });
    await go("events/rejected", page.getByText("unknown: no valid token"));
    await go(`statistics?until=${until}`, page.getByRole("img"));
    await go(`events/${eventId}`, page.getByText("Webhook", { exact: true }));
    await page.getByRole("button", { name: "Replay", exact: true }).waitFor();
    await expectNoViolation(page);
    await expectNoSidewaysScroll(page);
  });
});
