import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createClient } from "../../generated/operations/client.ts";
import type { Role } from "../../generated/operations/types.ts";
import { ok } from "../harness/operations.ts";
import { DISPLAYS, expectNoSidewaysScroll, expectNoViolation, useConsoleHarness } from "./harness.ts";

const harness = useConsoleHarness();
const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

const addOperator = async (name: string, role: Role) =>
  ok(await harness().operations.createOperator({ body: { name, role } }));

/** The status of a call with this token. */
async function statusOf(token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  const client = createClient({ baseUrl: `${harness().platform.url}/operations/v1`, headers });
  return (await client.getMe()).response.status;
}

describe("the operators", () => {
  it("are added with a role, and the token is shown once", async () => {
    const page = await harness().visit("operators", { expected: [/400/, /409/] });
    await page.getByRole("button", { name: "Add an operator …" }).click();
    const dialog = page.getByRole("dialog", { name: "Add an operator" });
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.locator("[aria-invalid]").waitFor();
    await dialog.getByLabel("Name").fill("Karin Holm");
    await dialog.getByRole("radio", { name: /^People/ }).check();
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    const token = (await dialog.locator(".secret code").textContent()) ?? "";
    expect(await statusOf(token)).toBe(200);
    await dialog.getByRole("button", { name: "Close" }).click();
    await rowOf(page, "Karin Holm").getByText("People").waitFor();
    expect(await page.content()).not.toContain(token);
    await page.getByRole("button", { name: "Add an operator …" }).click();
    await dialog.getByLabel("Name").fill("Karin Holm");
    await page.keyboard.press("Enter");
    await dialog.getByText("The operator exists already").waitFor();
  });

  it("get a new token and another role", async () => {
    const { token } = await addOperator("Nils Berg", "viewer");
    const page = await harness().visit("operators");
    const row = rowOf(page, "Nils Berg");
    await row.getByRole("button", { name: "New token … for Nils Berg" }).click();
    const dialog = page.getByRole("dialog", { name: "New token for Nils Berg" });
    await dialog.getByLabel("Overlap in hours").fill("0");
    await dialog.getByLabel("Valid for days").fill("10");
    await dialog.getByRole("button", { name: "Create the token" }).click();
    const next = (await dialog.locator(".secret code").textContent()) ?? "";
    await dialog.getByText("The previous token is no longer valid.").waitFor();
    expect(await statusOf(next)).toBe(200);
    await expect.poll(() => statusOf(token)).toBe(401);
    await dialog.getByRole("button", { name: "Close" }).click();
    await row.getByText("expires soon").waitFor();
    await row.getByRole("button", { name: "Role … of Nils Berg" }).click();
    await page
      .getByRole("dialog", { name: "Role of Nils Berg" })
      .getByRole("radio", { name: /^Operator/ })
      .check();
    await page.getByRole("button", { name: "Change the role" }).click();
    await row.getByText("Operator", { exact: true }).waitFor();
  });

  it("are revoked after a confirmation, and filtered by state and role", async () => {
    const { token } = await addOperator("Sara Ek", "operator");
    const page = await harness().visit("operators");
    await rowOf(page, "Sara Ek").getByRole("button", { name: "Revoke … Sara Ek" }).click();
    await page.getByRole("button", { name: "Revoke Sara Ek", exact: true }).click();
    await page.getByText("Sara Ek is revoked.").waitFor();
    await rowOf(page, "Sara Ek").waitFor({ state: "detached" });
    await expect.poll(() => statusOf(token)).toBe(401);
    await page.getByLabel("State").selectOption("revoked");
    await rowOf(page, "Sara Ek").getByText("revoked").waitFor();
    expect(new URL(page.url()).search).toBe("?state=revoked");
    await page.getByLabel("Role").selectOption("admin");
    await page.getByText("No operator matches the filters").waitFor();
    await page.reload();
    await page.getByText("No operator matches the filters").waitFor();
  });

  it("see only the actions of their role", async () => {
    const organisation = await harness().onboard();
    const { candidateId } = await organisation.addPerson();
    const { token } = await addOperator("Omar Dahl", "viewer");
    const pagesOf = (page: Page) => page.getByRole("navigation", { name: "Pages" });
    await pagesOf(await harness().visit())
      .getByRole("link", { name: "Audit" })
      .waitFor();
    const page = await harness().visit(`people/${candidateId}`, {}, token);
    await page.getByRole("heading", { name: "Robin Ek" }).waitFor();
    await page.getByRole("button", { name: "Sign out Omar Dahl" }).waitFor();
    expect(await page.getByRole("button", { name: /Edit|Reveal|Erase/ }).count()).toBe(0);
    expect(
      await pagesOf(page)
        .getByRole("link", { name: /Audit|Operators/ })
        .count(),
    ).toBe(0);
  });
});

describe("a token that expires within 14 days", () => {
  it.each([
    ["viewer", "Ask an admin for another."],
    ["admin", "Make another under Operators."],
  ] as const)("is a notice on the pages of its holder, a %s", async (role, advice) => {
    const body = { name: `Ending ${role}`, role, validDays: 13 };
    const { token } = ok(await harness().operations.createOperator({ body }));
    const page = await harness().visit("", {}, token);
    await page.locator("p", { hasText: "Your token expires" }).filter({ hasText: advice }).waitFor();
    await expectNoViolation(page);
  });

  it("is no notice before", async () => {
    const body = { name: "Not ending", role: "viewer", validDays: 15 } as const;
    const { token } = ok(await harness().operations.createOperator({ body }));
    const page = await harness().visit("", {}, token);
    await page.getByRole("button", { name: "Sign out Not ending" }).waitFor();
    expect(await page.getByText("Your token expires").count()).toBe(0);
  });
});

describe("the audit log", () => {
  it("lists changes by the filters in the address, with links", async () => {
    const organisation = await harness().onboard();
    const { candidateId } = await organisation.addPerson({ competenceIds: [] });
    const path = { candidateId };
    const { competenceId } = organisation;
    ok(
      await harness().operations.changeCandidate({
        params: { path },
        body: { competenceIds: [competenceId], email: "secret.address@example.com" },
      }),
    );
    const page = await harness().visit("audit");
    await page.getByLabel("Subject id").fill(candidateId);
    await page.keyboard.press("Enter");
    await rowOf(page, "first admin added Robin Ek").waitFor();
    await page.getByLabel("Action").selectOption({ label: "changed …" });
    await rowOf(page, "first admin added Robin Ek").waitFor({ state: "detached" });
    const row = rowOf(page, "first admin changed Robin Ek");
    const { name } = ok(await harness().operations.listCompetences()).items.find(
      (each) => each.competenceId === competenceId,
    ) ?? { name: "" };
    await row.getByText(`competences: none → ${name}`).waitFor();
    expect(await page.content()).not.toContain("secret.address@example.com");
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      subject: candidateId,
      operation: "changeCandidate",
    });
    await row.getByRole("link", { name: "Robin Ek" }).click();
    await page.waitForURL(`**/console/people/${candidateId}`);
  });

  it("is limited to days, the last one included", async () => {
    const organisation = await harness().onboard();
    const { candidateId } = await organisation.addPerson();
    const { timeZone } = await organisation.integration();
    const today = new Date().toLocaleDateString("sv-SE", { timeZone });
    const page = await harness().visit(`audit?subject=${candidateId}&from=${today}&to=${today}`);
    await rowOf(page, "added Robin Ek").waitFor();
    await page.getByLabel("To (").fill("2020-01-01");
    await page.getByText("No entry matches the filters").waitFor();
    expect(new URL(page.url()).searchParams.get("to")).toBe("2020-01-01");
  });

  it("is saved with its filters as CSV, in its words, with complete times and ids", async () => {
    const organisation = await harness().onboard();
    const robin = await organisation.addPerson({ lastName: "=SUM(A1)" });
    const job = await organisation.open();
    await organisation.accept(job, robin);
    const page = await harness().visit(`audit?subject=${robin.candidateId}`);
    await rowOf(page, "accepted").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("audit.csv");
    const [head, accepted, added] = (await readFile(await download.path(), "utf8")).split("\r\n");
    expect(head).toBe("\uFEFFWhen,What,Changes,Address");
    expect(accepted).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z,"first admin accepted .+, .+ for Robin =SUM\(A1\)",,/,
    );
    expect(added).toMatch(/Z,first admin added Robin =SUM\(A1\),/);
  });
});

describe("operators and the audit log", () => {
  it.each(DISPLAYS)("have no serious axe violation and fit the window, %s", async (name, display) => {
    await addOperator(`Elin Strand, ${name}`, "people");
    const page = await harness().visit("operators", display);
    const check = async (shows: Locator) => {
      await shows.first().waitFor();
      await expectNoViolation(page);
      await expectNoSidewaysScroll(page);
    };
    await check(rowOf(page, "Elin Strand"));
    await page.getByRole("button", { name: "Add an operator …" }).click();
    await check(page.getByRole("dialog"));
    await page.goto(`${harness().platform.url}/console/audit`);
    await check(rowOf(page, "added the operator"));
  });
});
