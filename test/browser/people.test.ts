import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ok } from "../harness/operations.ts";
import { numberAt } from "../harness/responders.ts";
import { DISPLAYS, expectNoSidewaysScroll, expectNoViolation, tabTo, useConsoleHarness } from "./harness.ts";

const harness = useConsoleHarness();
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const rows = (page: Page) => page.locator("tbody tr");

describe("the people", () => {
  it("are found by name and competence, with the filters in the address", async () => {
    const [one, other] = [await harness().onboard(), await harness().onboard()];
    await one.addPerson({ firstName: "Astrid", lastName: "Zetterlund" });
    await one.addPerson({ firstName: "Nils", lastName: "Zetterlund" });
    await other.addPerson({ firstName: "Astrid", lastName: "Zetterlund" });
    const page = await harness().visit("people");
    await tabTo(page, page.getByLabel("Name"));
    await page.keyboard.type("astrid zetter");
    await page.keyboard.press("Enter");
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByLabel("Competence").selectOption(one.competenceId);
    await rows(page).nth(1).waitFor({ state: "detached" });
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      search: "astrid zetter",
      competenceId: one.competenceId,
    });
    await page.reload();
    await rows(page).first().waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole("link", { name: "Astrid Zetterlund" }).click();
    await page.getByRole("heading", { name: "Astrid Zetterlund", level: 1 }).waitFor();
  });
});

describe("a file of people", () => {
  it("is looked at line by line, and added; sent again, it changes nothing", async () => {
    await harness().onboard();
    const { competences } = await competencesByName();
    const [competence = ""] = competences.values();
    const page = await harness().visit("people");
    await page.getByRole("link", { name: "Import a file …" }).click();
    const heading = "Personnummer;Förnamn;Efternamn;E-post;Telefon;Kompetenser;Anställningsnummer";
    const line = (nth: number, rest: string) =>
      `${numberAt(nth)};Åsa;Filström;asa@example.com;+46701740605;${rest}`;
    const choose = (...lines: string[]) =>
      page.getByLabel("CSV file").setInputFiles({
        name: "people.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(`${[heading, ...lines].join("\r\n")}\r\n`, "latin1"),
      });
    await choose("no people at all");
    await page.getByText("The line has 1 cells, and the heading 7.").waitFor();
    const lines = [
      line(500, `${competence};A-1`),
      line(501, ";A-2"),
      line(502, "Unknown trade;A-3"),
      ";;;;;;x",
    ];
    await choose(...lines);
    const preview = page.getByRole("region", { name: "Preview" });
    await preview
      .getByText("2 people would be added, 0 known already and left as they are, 2 lines have errors.")
      .waitFor();
    await preview.getByText('There is no competence "Unknown trade".').waitFor();
    await expectNoViolation(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(page);
    await preview.getByRole("button", { name: "Add 2 people" }).click();
    await page
      .getByRole("region", { name: "Result" })
      .getByText("2 people are added, 0 known already and left as they are, 2 lines have errors.")
      .waitFor();
    await choose(...lines);
    await preview
      .getByText("0 people would be added, 2 known already and left as they are, 2 lines have errors.")
      .waitFor();
    expect(await preview.getByRole("button", { name: /^Add/ }).count()).toBe(0);
  });

  it("gives those who were added a competence together", async () => {
    const organisation = await harness().onboard();
    const { competences } = await competencesByName();
    const name = competences.get(organisation.competenceId) ?? "";
    const lastName = "Gunnarsdotter";
    await organisation.addPerson({ lastName, competenceIds: [] });
    await organisation.addPerson({ lastName, competenceIds: [] });
    const page = await harness().visit(`people?search=${lastName}`);
    await page.getByRole("button", { name: "Choose all shown" }).click();
    await page.getByRole("button", { name: "Competence of 2 people …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(name).check();
    await expectNoViolation(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("2 people are changed.").waitFor();
    await expect.poll(() => rows(page).filter({ hasText: name }).count()).toBe(2);
  });
});

describe("a person", () => {
  it("is added in the console, with faults at their fields", async () => {
    const organisation = await harness().onboard();
    const { competences } = await competencesByName();
    const page = await harness().visit("people", { expected: [/400/] });
    await page.getByRole("button", { name: "Add a person …" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a person" });
    const values = {
      "First name": "Vera",
      "Last name": "Lind",
      "E-mail": "vera@example.com",
      Phone: "+46701740611",
    };
    for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label).fill(value);
    await dialog.getByLabel("Personal number").fill("199007212394");
    await dialog.getByLabel(competences.get(organisation.competenceId) ?? "").check();
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Personal number").and(page.locator("[aria-invalid]")).waitFor();
    await expectNoViolation(page);
    await dialog.getByLabel("Personal number").fill(numberAt(480));
    await dialog.getByRole("button", { name: "Add the person" }).click();
    await page.getByRole("heading", { name: "Vera Lind", level: 1 }).waitFor();
    await region(page, "Details")
      .getByText(competences.get(organisation.competenceId) ?? "")
      .waitFor();
    const { items } = ok(
      await harness().operations.listCandidates({ params: { query: { search: "vera lind" } } }),
    );
    expect(items).toMatchObject([{ shared: true, competenceIds: [organisation.competenceId] }]);
  });

  it("has bookings and notifications, which appear immediately", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const page = await harness().visit(`people/${person.candidateId}`);
    await region(page, "Bookings").getByText("The person has accepted no job yet.").waitFor();
    const job = await organisation.open();
    await region(page, "Notifications").getByRole("link").first().waitFor();
    await organisation.accept(job, person);
    const row = region(page, "Bookings").getByRole("row").nth(1);
    await row.getByText("confirmed").waitFor();
    expect(await row.getByRole("link").getAttribute("href")).toBe(`/console/jobs/${job.jobId}`);
  });

  it("is revealed for a reason and hidden again", async () => {
    const organisation = await harness().onboard();
    const { candidateId, personalNumber } = await organisation.addPerson({ email: "asta.holm@example.com" });
    const page = await harness().visit(`people/${candidateId}`, { expected: [/400/] });
    expect(await page.getByText(personalNumber).count()).toBe(0);
    await page.getByRole("button", { name: "Reveal …" }).click();
    const dialog = page.getByRole("dialog", { name: "Reveal personal data" });
    await dialog.getByRole("button", { name: "Reveal", exact: true }).click();
    await dialog.locator("[aria-invalid]").waitFor();
    await dialog.getByLabel("Reason").fill("The provider asks");
    await page.keyboard.press("Enter");
    await dialog.getByText(personalNumber).waitFor();
    await dialog.getByText("asta.holm@example.com").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByText(personalNumber).waitFor({ state: "detached" });
    const query = { subject: candidateId, operation: "revealCandidate" };
    const { items } = ok(await harness().operations.listAudit({ params: { query } }));
    expect(items.map(({ reason }) => reason)).toEqual(["The provider asks"]);
  });

  it("can get another competence and another address", async () => {
    const organisation = await harness().onboard();
    const { candidateId } = await organisation.addPerson({ competenceIds: [] });
    const { competences } = await competencesByName();
    const page = await harness().visit(`people/${candidateId}`);
    await region(page, "Details").getByText("none").waitFor();
    await page.getByRole("button", { name: "Edit …" }).click();
    await page.getByLabel("E-mail").fill("new.address@example.com");
    await page.getByLabel("Swedish").check();
    await page.getByRole("button", { name: "Save the changes" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await region(page, "Details").getByText("Swedish").waitFor();
    await page.getByRole("button", { name: "Competences …" }).click();
    await page.getByLabel(competences.get(organisation.competenceId) ?? "").check();
    await page.getByRole("button", { name: "Save the competences" }).click();
    await region(page, "Details")
      .getByText(competences.get(organisation.competenceId) ?? "")
      .waitFor();
    const path = { candidateId };
    const body = { reason: "was it stored" };
    const shown = ok(await harness().operations.revealCandidate({ params: { path }, body }));
    expect(shown.email).toBe("new.address@example.com");
  });

  it("is erased after a confirmation, but not while booked", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson({ firstName: "Asta", lastName: "Holm" });
    const job = await organisation.open();
    await organisation.accept(job, person);
    const page = await harness().visit(`people/${person.candidateId}`, { expected: [/409/, /404/] });
    await page.getByRole("button", { name: "Erase …" }).click();
    const erase = page.getByRole("button", { name: "Erase Asta Holm" });
    await erase.click();
    await page.getByRole("alert").getByText("The candidate holds a seat").waitFor();
    await organisation.withdraw(job, person);
    await erase.click();
    await page.getByText("The person is erased.").waitFor();
    await page.waitForURL("**/console/people");
    await page.goto(`${harness().platform.url}/console/people/${person.candidateId}`);
    await page.getByText("No person has this id").waitFor();
  });
});

/** A person whom two registries name differently, beside others whom one names. */
async function inTwoRegistries() {
  const { operations } = harness();
  const [one, other] = [await harness().onboard(), await harness().onboard()];
  const [role] = one.provider.roles;
  const workHistory = role ? [{ roleId: role.id }] : [];
  const lastName = `Ek ${one.providerId.slice(0, 4)}`;
  named += 3;
  const number = numberAt(500 + named);
  one.provider.addCandidate({ personalNumber: number, firstName: "Anna", lastName, workHistory });
  other.provider.addCandidate({ personalNumber: number, firstName: "Mallory", lastName });
  for (const nth of [1, 2])
    one.provider.addCandidate({
      personalNumber: numberAt(500 + named + nth),
      firstName: `Bo ${nth}`,
      lastName,
    });
  for (const { params } of [other, one]) ok(await operations.importRegistry({ params }));
  const query = { search: `Anna ${lastName}` };
  const [person] = ok(await operations.listCandidates({ params: { query } })).items;
  return { ...one, lastName, candidateId: person?.candidateId ?? "" };
}

/** Each organisation has people of its own. */
let named = 0;

describe("the people of a registry", () => {
  it("are released many at once, but not those about whom the sources differ", async () => {
    const { providerId, lastName } = await inTwoRegistries();
    const page = await harness().visit(`integrations/${providerId}`);
    await page.getByRole("button", { name: "Import the registry" }).click();
    await region(page, "Registry")
      .getByRole("link", { name: /people$/ })
      .click();
    await page.getByLabel("Sources").waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ providerId, state: "unreleased" });
    const boxOf = (firstName: string) =>
      page.getByRole("checkbox", { name: `Choose ${firstName} ${lastName}` });
    // Another registry named the person first, as Mallory.
    expect(await boxOf("Anna").isDisabled()).toBe(true);
    await boxOf("Bo 1").check();
    await boxOf("Bo 2").check();
    await page.getByRole("button", { name: "Release 2 people …" }).click();
    await page.getByRole("button", { name: "Release 2 people", exact: true }).click();
    await page.getByText("2 people are released.").waitFor();
    await boxOf("Bo 1").waitFor({ state: "detached" });
    const query = { search: lastName, providerId, state: "unreleased" as const };
    const { items } = ok(await harness().operations.listCandidates({ params: { query } }));
    expect(items.map(({ firstName }) => firstName)).toEqual(["Mallory"]);
  });

  it("show what each source asserts, and are released by an operator who has read it", async () => {
    const { providerId, candidateId, lastName } = await inTwoRegistries();
    const page = await harness().visit(`people/${candidateId}`);
    const sources = region(page, "Sources");
    const own = sources.getByRole("row", { name: `Anna ${lastName}` });
    await own.getByText("differs").waitFor();
    await sources
      .getByRole("row", { name: `Mallory ${lastName}` })
      .getByText("differs")
      .waitFor();
    await own.getByRole("button", { name: "Release …" }).click();
    await page.getByRole("dialog").getByText("The sources differ").waitFor();
    await page.getByRole("button", { name: `Release Anna ${lastName}`, exact: true }).click();
    await page.getByText(`Anna ${lastName} is released.`).waitFor();
    await page.getByRole("heading", { name: `Anna ${lastName}`, level: 1 }).waitFor();
    await sources.getByRole("row", { name: "The company" }).waitFor();
    const params = { path: { candidateId } };
    const { memberships } = ok(await harness().operations.getCandidate({ params }));
    expect(memberships.find((each) => each.providerId === providerId)?.released).toBe(true);
  });
});

async function competencesByName() {
  const { items } = ok(await harness().operations.listCompetences({ params: { query: { limit: 200 } } }));
  return { competences: new Map(items.map(({ competenceId, name }) => [competenceId, name])) };
}

describe("people", () => {
  it.each(DISPLAYS)("have no serious axe violation and fit the window, %s", async (_, display) => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    await organisation.accept(await organisation.open(), person);
    const page = await harness().visit("people", display);
    const check = async (shows: Locator) => {
      await shows.first().waitFor();
      await expectNoViolation(page);
      await expectNoSidewaysScroll(page);
    };
    await check(page.getByRole("link", { name: "Robin Ek" }));
    await page.goto(`${harness().platform.url}/console/people/${person.candidateId}`);
    await check(region(page, "Bookings").getByText("confirmed"));
    await page.getByRole("button", { name: "Edit …" }).click();
    await check(page.getByRole("dialog"));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Reveal …" }).click();
    await check(page.getByRole("dialog"));
  });

  it.each(DISPLAYS)(
    "of a registry have no serious axe violation and fit the window, %s",
    async (_, display) => {
      const { providerId, candidateId } = await inTwoRegistries();
      const page = await harness().visit(`people?providerId=${providerId}&state=unreleased`, display);
      await page.getByRole("button", { name: "Choose all shown" }).click();
      await page.getByRole("button", { name: /^Release \d+ people …$/ }).waitFor();
      await expectNoViolation(page);
      await expectNoSidewaysScroll(page);
      await page.goto(`${harness().platform.url}/console/people/${candidateId}`);
      await region(page, "Sources").getByText("differs").first().waitFor();
      await expectNoViolation(page);
      await expectNoSidewaysScroll(page);
    },
  );
});
