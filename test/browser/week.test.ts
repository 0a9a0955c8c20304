import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { inDatabase, insertJobs } from "../harness/many-rows.ts";
import type { Organisation } from "../harness/organisation.ts";
import { DISPLAYS, expectNoSidewaysScroll, expectNoViolation, useConsoleHarness } from "./harness.ts";

const harness = useConsoleHarness();
const MONDAY = "2031-05-05";

const openOn = (organisation: Organisation, day: string, positions: number) =>
  organisation.open({ startTime: `${day}T08:00:00Z`, endTime: `${day}T16:00:00Z`, positions });

const shift = (page: Page, tone: string) => page.locator(`.shift[data-tone=${tone}]`);

describe("the week", () => {
  it("shows shifts by outlet and day, coloured by staffing, with links", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const empty = await openOn(organisation, "2031-05-06", 1);
    const partly = await openOn(organisation, "2031-05-07", 2);
    const page = await harness().visit(`week?providerId=${organisation.providerId}&week=2031-05-09`);
    await shift(page, "bad").nth(1).waitFor();
    await organisation.accept(partly, person);
    await shift(page, "warn").getByText("1 of 2").waitFor();
    const columns = await page.getByRole("columnheader").allTextContents();
    expect(columns.slice(0, 3)).toEqual(["Outlet", "Mon 5 May", "Tue 6 May"]);
    // In the zone of the organisation, not of the reader.
    await page.getByRole("cell", { name: "10:00 – 18:00" }).first().waitFor();
    await shift(page, "bad").click();
    await page.waitForURL(`**/console/jobs/${empty.jobId}`);
  });

  it("names who holds the seats, and keeps the days in view; of many outlets it shows some at a time", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson({ firstName: "Ylva", lastName: "Rask" });
    await organisation.accept(await openOn(organisation, "2031-05-20", 1), person);
    const firstStart = "2031-05-21T08:00:00Z";
    await inDatabase(harness().location, (kysely) =>
      insertJobs(kysely, organisation, { count: 60, firstStart, areApart: true }),
    );
    const page = await harness().visit(`week?providerId=${organisation.providerId}&week=2031-05-20`);
    await shift(page, "good").getByText("Ylva Rask").waitFor();
    const rows = page.locator("table.week tbody tr");
    await expect.poll(() => rows.count()).toBe(40);
    await page.getByRole("button", { name: "Show more outlets" }).click();
    await expect.poll(() => rows.count()).toBe(61);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectNoViolation(page);
    }
    await rows.last().scrollIntoViewIfNeeded();
    const day = page.getByRole("columnheader", { name: "Wed 21 May" });
    expect((await day.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await page.getByLabel("Place").fill("Kajen 17");
    await expect.poll(() => rows.count()).toBe(1);
  });

  it("is a view of the jobs, and keeps the organisation and the week in the address", async () => {
    const organisation = await harness().onboard();
    await openOn(organisation, "2031-05-14", 1);
    const page = await harness().visit(`?providerId=${organisation.providerId}`);
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Week" }).click();
    await page.getByText("No shifts in this week").waitFor();
    await page.getByLabel("Week of").fill(MONDAY);
    await page.waitForURL(({ pathname, searchParams }) => {
      const expected = { week: MONDAY, providerId: organisation.providerId };
      return pathname === "/console/week" && isDeepStrictEqual(Object.fromEntries(searchParams), expected);
    });
    await page.getByRole("link", { name: "Next week" }).click();
    await shift(page, "bad").waitFor();
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "List" }).click();
    await page.waitForURL(`**/console/?providerId=${organisation.providerId}`);
  });

  it.each(DISPLAYS)("have no serious axe violation and fit the window, %s", async (_, display) => {
    const organisation = await harness().onboard();
    await organisation.accept(await openOn(organisation, "2031-05-06", 1), await organisation.addPerson());
    await openOn(organisation, "2031-05-11", 2);
    const page = await harness().visit(`week?providerId=${organisation.providerId}&week=${MONDAY}`, display);
    await shift(page, "good").waitFor();
    await expectNoViolation(page);
    await expectNoSidewaysScroll(page);
  });
});
