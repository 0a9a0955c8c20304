import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Job } from "../../generated/operations/types.ts";
import { HOUR_MS } from "../../src/contract/timestamp.ts";
import { inDatabase, insertJobs, insertPeople } from "../harness/many-rows.ts";
import { ok } from "../harness/operations.ts";
import type { Organisation } from "../harness/organisation.ts";
import {
  type Display,
  expectNoSidewaysScroll,
  expectNoViolation,
  PHONE,
  tabTo,
  useConsoleHarness,
} from "./harness.ts";

const harness = useConsoleHarness();
const DARK: Display = { colorScheme: "dark" };

/** The row of a table that contains a text. */
const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
const panel = (page: Page, name: string | RegExp) => page.getByRole("region", { name });
const badge = (page: Page, text: string) =>
  page.locator("h1 + * .badge, .page-head .badge").getByText(text, { exact: true });

/** Other tests leave their jobs on the platform. */
const visitJobsOf = ({ providerId }: Organisation, display?: Display) =>
  harness().visit(`?providerId=${providerId}`, display);

async function visitJob(job: Job, display?: Display): Promise<Page> {
  const page = await harness().visit(`jobs/${job.jobId}`, display);
  await panel(page, "Timeline").getByText("Stored: shift.create").waitFor();
  return page;
}

describe("the list of jobs", () => {
  it("shows a new shift without a reload", async () => {
    const organisation = await harness().onboard();
    const page = await visitJobsOf(organisation);
    await page.getByText("No job matches the filters").waitFor();
    await page.evaluate(() => Object.assign(window, { isTheSamePage: true }));
    organisation.provider.createShift({ positions: 2 });
    const row = rowOf(page, "Kvarteret");
    await row.getByText("0 of 2").waitFor();
    await page.locator("tr[data-marked=true]").waitFor();
    await page.locator("tr[data-marked=false]").waitFor();
    await page.getByRole("link", { name: "1 Open" }).waitFor();
    expect(await page.evaluate(() => "isTheSamePage" in window)).toBe(true);
  });

  it("shows new bookings, and removes a job that is over", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson({ firstName: "Astrid", lastName: "Lind" });
    const job = await organisation.open();
    const page = await visitJobsOf(organisation);
    await rowOf(page, "none").getByText("open").waitFor();
    await organisation.accept(job, person);
    await rowOf(page, "Astrid Lind").getByText("filled").waitFor();
    await organisation.cancel(job);
    await rowOf(page, "cancelled").waitFor();
    // It remains visible for a moment.
    await page.getByText("No job matches the filters").waitFor();
  });

  it("finds a job by place, day and what it needs", async () => {
    const organisation = await harness().onboard();
    const { workplaceId } = organisation;
    const body = { name: "Beckholmen" };
    ok(await harness().operations.changeWorkplace({ params: { path: { workplaceId } }, body }));
    const hour = 3_600_000;
    const open = (hours: number) => {
      const start = Math.ceil(Date.now() / hour) * hour + hours * hour;
      const [startTime, endTime] = [start, start + hour].map((at) => new Date(at).toISOString());
      return organisation.open({ startTime: startTime ?? "", endTime: endTime ?? "" });
    };
    const [soon] = [await open(3), await open(60)];
    const page = await harness().visit();
    await page.getByLabel("Place or id").fill("beckholm");
    const links = page.locator("table.jobs a");
    await expect.poll(() => links.count()).toBe(2);
    await page.getByLabel("Needs").selectOption("People within 24 hours");
    await expect.poll(() => links.count()).toBe(1);
    expect(await links.getAttribute("href")).toBe(`/console/jobs/${soon?.jobId}`);
    expect(new URL(page.url()).searchParams.get("needs")).toBe("soon");
    const day = new Date(soon?.startTime ?? "").toLocaleDateString("sv-SE", { timeZone: "Europe/Stockholm" });
    await page.getByLabel("Day").fill(day);
    await expect.poll(() => links.count()).toBe(1);
    await organisation.accept(soon as Job, await organisation.addPerson());
    await page.getByText("No job matches the filters").waitFor();
  });

  it("keeps its filters in the address", async () => {
    const [one, other] = [await harness().onboard(), await harness().onboard()];
    await one.open({ positions: 3 });
    await other.open({ positions: 4 });
    const page = await harness().visit();
    await rowOf(page, "0 of 4").waitFor();
    await page.getByLabel("Organisation").selectOption(one.providerId);
    await rowOf(page, "0 of 4").waitFor({ state: "detached" });
    await rowOf(page, "0 of 3").waitFor();
    await page.getByLabel("Status").selectOption("filled");
    await page.getByText("No job matches the filters").waitFor();
    const { search } = new URL(page.url());
    const shared = await harness().visit(search);
    await shared.getByText("No job matches the filters").waitFor();
    await shared.getByLabel("Status").selectOption("");
    await rowOf(shared, "0 of 3").waitFor();
    expect(await rowOf(shared, "0 of 4").count()).toBe(0);
  });
});

describe("2,000 open jobs", () => {
  const START = "2031-05-01T08:00:00.000Z";

  it("are counted, the one that starts earliest is first, and every one is reached", async () => {
    const organisation = await harness().onboard();
    await inDatabase(harness().location, (kysely) =>
      insertJobs(kysely, organisation, { count: 2_001, firstStart: START }),
    );
    const page = await visitJobsOf(organisation, { expected: [/\b404\b/] });
    await page.getByRole("link", { name: "2,001 Open" }).waitFor();
    const rows = page.locator("table.jobs tbody tr:not(.day)");
    const first = rows.first().locator("time");
    await first.waitFor();
    expect(await first.getAttribute("datetime")).toBe(START);
    await expectNoViolation(page);
    const more = page.getByRole("button", { name: "Show more" });
    for (let shown = 50; shown < 2_001; shown += 50) {
      await expect.poll(() => rows.count()).toBe(shown);
      await more.click();
    }
    await expect.poll(() => rows.count()).toBe(2_001);
    await more.waitFor({ state: "detached" });
    expect(await first.getAttribute("datetime")).toBe(START);
    const last = new Date(Date.parse(START) + 2_000 * HOUR_MS).toISOString();
    expect(await rows.last().locator("time").getAttribute("datetime")).toBe(last);
    await page.getByRole("link", { name: "List", exact: true }).and(page.locator("[aria-current]")).waitFor();
    // As if its steps were older than the platform keeps them.
    await rows.last().getByRole("link").click();
    await page.getByText("No steps are recorded any more").waitFor();
  });

  it("get a more urgent job at the top without a reload", async () => {
    const organisation = await harness().onboard();
    await inDatabase(harness().location, (kysely) =>
      insertJobs(kysely, organisation, { count: 300, firstStart: START }),
    );
    const page = await visitJobsOf(organisation);
    const rows = page.locator("table.jobs tbody tr:not(.day)");
    await expect.poll(() => rows.count()).toBe(50);
    await organisation.open();
    await page.locator("tr[data-marked=true]").waitFor();
    expect(Date.parse((await rows.first().locator("time").getAttribute("datetime")) ?? "")).toBeLessThan(
      Date.parse(START),
    );
    await page.getByRole("link", { name: "301 Open" }).waitFor();
  });

  it("have candidates who are found by name, however many there are", async () => {
    const organisation = await harness().onboard();
    const job = await organisation.open();
    const { candidateId } = await organisation.addPerson({ firstName: "Astrid", lastName: "Lind" });
    // Those who are inserted get no offer.
    await organisation.idle();
    await inDatabase(harness().location, (kysely) =>
      insertPeople(kysely, organisation, { candidateId, count: 2_001 }),
    );
    const page = await visitJob(job);
    await page.getByRole("combobox", { name: "Accept for a candidate" }).click();
    await page.getByText("The first 20. Type more of the name", { exact: false }).last().waitFor();
    const options = page.getByRole("listbox", { name: "Candidates" }).getByRole("option");
    const first = options.first();
    await first.getByText("Astrid Lind").waitFor();
    await first.getByText("has an offer").waitFor();
    await expectNoViolation(page);
    await page.keyboard.type("person 2001");
    await expect.poll(() => options.allTextContents()).toEqual([expect.stringContaining("Person 2001")]);
    await page.keyboard.press("Escape");
    await options.waitFor({ state: "hidden" });
    const field = page.getByRole("combobox", { name: "Accept for a candidate" });
    expect(await field.getAttribute("aria-expanded")).toBe("false");
  });
});

describe("the page of a job", () => {
  it("accepts for a candidate with the keyboard alone", async () => {
    const organisation = await harness().onboard();
    await organisation.addPerson({ firstName: "Astrid", lastName: "Lind" });
    const page = await visitJob(await organisation.open());
    const choice = page.getByRole("combobox", { name: "Accept for a candidate" });
    await choice.waitFor();
    await tabTo(page, choice);
    await page.keyboard.type("lind");
    // Others of this name are people of the tests before, who have no offer.
    const option = page.getByRole("option", { name: /Astrid Lind.*has an offer/ });
    await option.waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator("[role=option][data-active=true]").filter({ hasText: "Astrid" }).waitFor();
    expect(await choice.getAttribute("aria-activedescendant")).toBe(await option.getAttribute("id"));
    await page.keyboard.press("Enter");
    await option.waitFor({ state: "hidden" });
    expect(await choice.inputValue()).toBe("Astrid Lind");
    await page.getByText("Accepts for Astrid Lind", { exact: false }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const row = rowOf(page, "Astrid Lind");
    await row.getByText("confirmed").waitFor();
    await page.getByText("Astrid Lind is booked: the provider confirmed.").waitFor();
    await badge(page, "filled").waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Bookings");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Withdraw Astrid Lind");
  });

  it("asks for the next candidate once one is accepted", async () => {
    const organisation = await harness().onboard();
    await organisation.addPerson({ firstName: "Ylva", lastName: "Rask" });
    const page = await visitJob(await organisation.open({ positions: 2 }));
    const choice = page.getByRole("combobox", { name: "Accept for a candidate" });
    await choice.click();
    await page.getByRole("option", { name: /Ylva Rask.*has an offer/ }).click();
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    await rowOf(page, "Ylva Rask").getByText("confirmed").waitFor();
    await expect.poll(() => choice.inputValue()).toBe("");
  });

  it("shows why a candidate cannot be booked", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson({ firstName: "Astrid", lastName: "Lind" });
    await organisation.accept(await organisation.open(), person);
    const page = await visitJob(await organisation.open());
    await page.getByRole("combobox", { name: "Accept for a candidate" }).click();
    const option = page.getByRole("option", { name: /Astrid Lind/ });
    await option.getByText("busy at that time").waitFor();
    expect(await option.getAttribute("aria-disabled")).toBe("true");
    await option.click({ force: true });
    await page.getByText("Select a candidate.").waitFor();
    await panel(page, "Bookings").getByText("No candidate has accepted this job yet.").waitFor();
  });

  it("withdraws a candidate after a confirmation", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson({ firstName: "Astrid", lastName: "Lind" });
    const job = await organisation.open();
    await organisation.accept(job, person);
    const page = await visitJob(job);
    await page.getByRole("button", { name: "Withdraw Astrid Lind" }).click();
    const dialog = page.getByRole("dialog", { name: "Withdraw Astrid Lind from this job?" });
    await dialog.getByRole("button", { name: "Withdraw Astrid Lind" }).click();
    await rowOf(page, "Astrid Lind").getByText("released").waitFor();
    await dialog.waitFor({ state: "hidden" });
    await badge(page, "open").waitFor();
  });

  it("ends a booking that the provider keeps, with a reason", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson({ firstName: "Astrid", lastName: "Lind" });
    const job = await organisation.open();
    await organisation.accept(job, person);
    organisation.provider.setFault("unavailable");
    const page = await visitJob(job);
    await page.getByRole("button", { name: "End Astrid Lind" }).click();
    const dialog = page.getByRole("dialog", { name: "End the booking of Astrid Lind without the provider?" });
    await dialog.getByLabel("Reason").selectOption("provider_silent");
    await dialog.getByRole("button", { name: "End the booking of Astrid Lind" }).click();
    await rowOf(page, "Astrid Lind").getByText("released").waitFor();
  });

  it("cancels the job and shows the provider's echo in the timeline as skipped", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson({ firstName: "Astrid", lastName: "Lind" });
    const job = await organisation.open();
    await organisation.accept(job, person);
    const page = await visitJob(job);
    await page.getByRole("button", { name: "Cancel the job" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel this job?" });
    await dialog.getByText("1 booking is released").waitFor();
    await dialog.getByRole("button", { name: "Cancel the job" }).click();
    await badge(page, "cancelled").waitFor();
    await rowOf(page, "Astrid Lind").getByText("the employer cancelled the job").waitFor();
    await page.locator("li[data-tone=echo]").getByText("Skipped: echo of the platform's DELETE").waitFor();
    await panel(page, "Notifications").getByText("shift cancelled").waitFor();
    expect(await page.getByRole("button", { name: "Cancel the job" }).count()).toBe(0);
  });

  it("is filled only once the provider has confirmed", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    const page = await visitJob(job);
    organisation.provider.setFault("error-500", { operations: ["assignCandidate"] });
    // The response waits for the provider's, but not for ever: a slow page sees it say "pending".
    const accepting = organisation.accept(job, person);
    await badge(page, "filled, 1 not confirmed").waitFor();
    organisation.provider.clearFaults();
    await accepting;
    await badge(page, "filled").waitFor();
  });

  it("explains a blocked job until it is mapped", async () => {
    const organisation = await harness().onboard();
    const roleId = randomUUID();
    const page = await visitJob(await organisation.open({ roleId }));
    await badge(page, "blocked (not mapped)").waitFor();
    const why = panel(page, "Why is it not staffed?");
    await why.getByText(`Role ${roleId} is not mapped to a competence.`).waitFor();
    const link = await why.getByRole("link", { name: "Integration" }).getAttribute("href");
    expect(link).toBe(`/console/integrations/${organisation.providerId}#mapping`);
    await map(organisation, roleId);
    await badge(page, "open").waitFor();
  });

  it("requests other positions and times in the zone of the workplace", async () => {
    const organisation = await harness().onboard({ timeZone: "Europe/Stockholm" });
    const times = { startTime: "2030-01-10T08:00:00.000Z", endTime: "2030-01-10T16:00:00.000Z" };
    const job = await organisation.open(times);
    const page = await visitJob(job, { zone: "America/New_York" });
    await page.getByText("Thu 10 Jan 09:00 – 17:00").waitFor();
    await page.getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog", { name: "Change times or positions" });
    expect(await dialog.getByLabel("Start").inputValue()).toBe("2030-01-10T09:00");
    await dialog.getByLabel("Start").fill("2030-01-10T10:00");
    await dialog.getByLabel("Positions, in total").fill("3");
    await dialog.getByRole("button", { name: "Request the change" }).click();
    await page.getByText("Thu 10 Jan 10:00 – 17:00").waitFor();
    await page.getByText("0 of 3", { exact: true }).waitFor();
    expect(organisation.provider.shift(job.shiftId)).toMatchObject({
      startTime: "2030-01-10T09:00:00.000Z",
      positions: 3,
    });
  });

  it("asks for one of two times where the clock is set back", async () => {
    const organisation = await harness().onboard({ timeZone: "Europe/Stockholm" });
    const page = await visitJob(
      await organisation.open({ startTime: "2030-10-26T20:00:00.000Z", endTime: "2030-10-27T05:00:00.000Z" }),
    );
    await page.getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog", { name: "Change times or positions" });
    await dialog.getByLabel("End").fill("2030-10-27T02:30");
    const send = dialog.getByRole("button", { name: "Request the change" });
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByLabel("the second, UTC+01:00").check();
    await send.click();
    await page.locator("time[title^='2030-10-26T20:00:00.000Z to 2030-10-27T01:30:00.000Z']").waitFor();
  });

  it("reports a job that does not exist", async () => {
    await harness().onboard();
    const page = await harness().visit(`jobs/${randomUUID()}`, { expected: [/status of 404/] });
    await page.getByRole("heading", { name: "Job not found" }).waitFor();
  });
});

describe("the list of jobs and the page of a job", () => {
  it("fit a phone", async () => {
    const { organisation, job } = await jobWithTraces();
    const list = await visitJobsOf(organisation, PHONE);
    await rowOf(list, "Kvarteret").first().waitFor();
    await expectNoSidewaysScroll(list);
    const page = await visitJob(job, PHONE);
    await rowOf(page, "Astrid Lind").waitFor();
    await expectNoSidewaysScroll(page);
  });

  it.each([
    ["light", {}],
    ["dark", DARK],
  ])("have no serious axe violation, in %s colours", async (_name, display) => {
    const { organisation, job } = await jobWithTraces();
    const list = await visitJobsOf(organisation, display);
    await rowOf(list, "Kvarteret").first().waitFor();
    await expectNoViolation(list);
    const page = await visitJob(job, display);
    await page.getByText("Change requested").first().waitFor();
    await expectNoViolation(page);
    await page.getByRole("button", { name: "Cancel the job" }).click();
    await expectNoViolation(page);
  });
});

/** A job with several traces, beside a blocked job. */
async function jobWithTraces(): Promise<{ organisation: Organisation; job: Job }> {
  const organisation = await harness().onboard();
  const person = await organisation.addPerson({ firstName: "Astrid", lastName: "Lind" });
  const job = await organisation.open({ positions: 2, description: "Terrace" });
  await organisation.accept(job, person);
  await organisation.open({ roleId: randomUUID() });
  const body = { positions: 3 };
  ok(await harness().operations.changeJob({ params: { path: { jobId: job.jobId } }, body }));
  await organisation.idle();
  return { organisation, job };
}

async function map({ providerId, competenceId }: Organisation, roleId: string): Promise<void> {
  const body = { outlets: [], roles: [{ roleId, competenceId }] };
  ok(await harness().operations.updateMappings({ params: { path: { providerId } }, body }));
}
