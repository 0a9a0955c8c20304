import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ok } from "../harness/operations.ts";
import {
  DISPLAYS,
  expectNoSidewaysScroll,
  expectNoViolation,
  PHONE,
  tabTo,
  useConsoleHarness,
} from "./harness.ts";

const harness = useConsoleHarness();
const rows = (page: Page) => page.locator("tbody tr");
const hits = (page: Page) => page.getByRole("dialog", { name: "Search" }).locator("a.hit");

async function searchFor(page: Page, text: string): Promise<Locator> {
  await page.keyboard.press("Control+k");
  await page.getByLabel("Name, place and day, shift id, trace id, or person id").fill("");
  await page.keyboard.type(text);
  return hits(page);
}

describe("the search", () => {
  it("finds the job and the events of a shift and of a trace, with the keyboard alone", async () => {
    const organisation = await harness().onboard();
    const { jobId, shiftId } = await organisation.open();
    const [event] = await organisation.events({ shiftId });
    const page = await harness().visit("statistics");
    await searchFor(page, shiftId);
    await hits(page).filter({ hasText: "Events of this shift" }).waitFor();
    expect(await hits(page).first().getAttribute("href")).toBe(`/console/jobs/${jobId}`);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/console/events?shiftId=${encodeURIComponent(shiftId)}`);
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await searchFor(page, event?.traceId ?? "");
    await hits(page).filter({ hasText: "Events of this trace" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/console/jobs/${jobId}`);
  });

  it("finds jobs by place and day, and by the characters of an id that lists show", async () => {
    const organisation = await harness().onboard();
    const { operations } = harness();
    const { workplaceId } = organisation;
    const body = { name: "Kastellholmen" };
    ok(await operations.changeWorkplace({ params: { path: { workplaceId } }, body }));
    const open = (day: string) =>
      organisation.open({ startTime: `${day}T08:00:00Z`, endTime: `${day}T16:00:00Z` });
    const [first, second] = [await open("2031-06-03"), await open("2031-06-04")];
    const page = await harness().visit("people");
    const addresses = () => hits(page).evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    await searchFor(page, "2031-06-04 kastell");
    await expect.poll(addresses).toEqual([`/console/jobs/${second.jobId}`]);
    await searchFor(page, "kastellholm");
    await expect
      .poll(async () => (await addresses()).slice(0, 2))
      .toEqual([first, second].map(({ jobId }) => `/console/jobs/${jobId}`));
    await searchFor(page, second.shiftId.slice(0, 8));
    await expect.poll(addresses).toContain(`/console/jobs/${second.jobId}`);
  });

  it("finds people, organisations, workplaces and competences by name, and a person by candidateId", async () => {
    const { operations } = harness();
    const organisation = await harness().onboard();
    const { workplaceId, competenceId } = organisation;
    const body = { name: "Glimmingehus" };
    ok(await operations.changeWorkplace({ params: { path: { workplaceId } }, body }));
    ok(await operations.changeCompetence({ params: { path: { competenceId } }, body }));
    const person = await organisation.addPerson({ firstName: "Glimming", lastName: "Ek" });
    const page = await harness().visit("people");
    await searchFor(page, "glimming");
    await hits(page).nth(2).waitFor();
    const found = await hits(page).evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    expect(found).toEqual([
      `/console/people/${person.candidateId}`,
      "/console/workplaces?search=Glimmingehus",
      "/console/competences?search=Glimmingehus",
    ]);
    await searchFor(page, "no such name");
    await page.getByText("Nothing found.").waitFor();
    await searchFor(page, person.candidateId);
    await hits(page).filter({ hasText: "Glimming Ek" }).waitFor();
    await expect.poll(() => hits(page).count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByLabel("Name, place and day, shift id, trace id, or person id").waitFor();
  });
});

describe("workplaces and competences", () => {
  it("are added, renamed, and found by name, with their mappings", async () => {
    const { operations } = harness();
    const { workplaceId, provider } = await harness().onboard();
    const body = { name: "Kulturkvarteret" };
    ok(await operations.changeWorkplace({ params: { path: { workplaceId } }, body }));
    const page = await harness().visit("workplaces", { expected: [/400/] });
    await page.getByLabel("Name").fill("kulturkv");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/workplaces?search=kulturkv");
    await rows(page).nth(1).waitFor({ state: "detached" });
    await rows(page)
      .getByRole("link", { name: provider.outlets[0]?.name ?? "" })
      .waitFor();
    await page.getByRole("button", { name: "Edit … Kulturkvarteret" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.locator("[aria-invalid]").waitFor();
    await dialog.getByLabel("Name").fill("Kulturkvarnen");
    await dialog.getByLabel("Address").fill("Kvarngatan 4");
    await page.keyboard.press("Enter");
    await rows(page).getByText("Kvarngatan 4").waitFor();
    await page.getByRole("link", { name: "Competences" }).click();
    await page.getByRole("button", { name: "Add a competence" }).click();
    await dialog.getByLabel("Name").fill("Sommelier");
    await page.keyboard.press("Enter");
    const row = rows(page).filter({ hasText: "Sommelier" });
    await row.waitFor();
    await row.getByRole("link", { name: "People" }).click();
    await page.getByText("No person matches the filters").waitFor();
  });
});

describe("the health of providers", () => {
  it("shows those that need attention first, and keeps its filters in the address", async () => {
    const { operations } = harness();
    const [fine, broken] = [await harness().onboard(), await harness().onboard()];
    const rename = (providerId: string, name: string) =>
      operations.changeIntegration({ params: { path: { providerId } }, body: { name } });
    await Promise.all([rename(fine.providerId, "Fine place"), rename(broken.providerId, "Broken place")]);
    broken.provider.setFault("token-rejected");
    await broken.open().catch(() => undefined);
    const page = await harness().visit("integrations");
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Health" }).click();
    const first = rows(page).first();
    await first.getByText("Broken place").waitFor();
    await first.getByRole("link", { name: /open$/ }).waitFor();
    await page.getByLabel("Health").selectOption("reachable");
    await page.waitForURL("**/console/health?health=reachable");
    await rows(page).filter({ hasText: "Broken place" }).waitFor({ state: "detached" });
    await rows(page).filter({ hasText: "Fine place" }).waitFor();
  });

  it("is a view of the integrations, which are filtered by name and state", async () => {
    const { operations } = harness();
    const { providerId } = await harness().onboard();
    const body = { name: "Ljusterö Krog" };
    ok(await operations.changeIntegration({ params: { path: { providerId } }, body }));
    const page = await harness().visit("integrations");
    await tabTo(page, page.getByLabel("Name"));
    await page.keyboard.type("ljusterö");
    await page.keyboard.press("Enter");
    await rows(page).nth(1).waitFor({ state: "detached" });
    await page.getByLabel("State").selectOption("draft");
    await page.getByText("No organisation matches the filters").waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      search: "ljusterö",
      state: "draft",
    });
  });
});

describe("search and lists", () => {
  it.each(DISPLAYS)("have no serious axe violation and fit the window, %s", async (_, display) => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    await organisation.accept(await organisation.open(), person);
    const page = await harness().visit("workplaces", display);
    const check = async (shows: Locator) => {
      await shows.first().waitFor();
      await expectNoViolation(page);
      await expectNoSidewaysScroll(page);
    };
    await check(rows(page));
    await page.getByRole("button", { name: "Add a workplace" }).click();
    await check(page.getByRole("dialog"));
    await page.keyboard.press("Escape");
    await page.goto(`${harness().platform.url}/console/competences`);
    await check(rows(page));
    await page.goto(`${harness().platform.url}/console/health`);
    await check(rows(page));
    await check(await searchFor(page, "Robin"));
  });
});

describe("pages with long names", () => {
  /** The longest that the operations API accepts, without a place to break. */
  const LONG = "Intensivvårdssjuksköterska".repeat(4).slice(0, 100);
  const WORDS = "Legitimerad sjuksköterska med specialistutbildning inom intensivvård";

  const createLongNames = async () => {
    const { operations } = harness();
    const organisation = await harness().onboard();
    const { competenceId, workplaceId } = organisation;
    ok(await operations.createCompetence({ body: { name: WORDS } }));
    ok(await operations.createOperator({ body: { name: LONG, role: "people" } }));
    ok(await operations.changeCompetence({ params: { path: { competenceId } }, body: { name: LONG } }));
    ok(await operations.changeWorkplace({ params: { path: { workplaceId } }, body: { name: LONG } }));
    const booked = await organisation.addPerson({ firstName: LONG, lastName: LONG });
    await organisation.addPerson({ firstName: LONG, lastName: LONG });
    const job = await organisation.open({ positions: 2 });
    await organisation.accept(job, booked);
    return { job, booked };
  };

  it("fit the window of a phone and of a laptop", async () => {
    const { job, booked } = await createLongNames();
    const page = await harness().visit("people", PHONE);
    const paths = ["people", `people/${booked.candidateId}`, `jobs/${job.jobId}`, ""];
    for (const path of [...paths, "competences", "workplaces", "operators"]) {
      await page.goto(`${harness().platform.url}/console/${path}`);
      await page.locator("main").getByText(LONG).filter({ visible: true }).first().waitFor();
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        await expectNoSidewaysScroll(page);
      }
    }
  });
});
