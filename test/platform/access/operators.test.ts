import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type {
  Operator,
  OperatorCreated,
  OperatorTokenRotated,
  Problem,
} from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS } from "../../../src/contract/timestamp.ts";
import { featureEngines } from "../../harness/engines.ts";
import { expectProblem } from "../../harness/http.ts";
import { withDatabase } from "../../harness/platform.ts";
import { startWithTenants, type TenantHarness, useTenants } from "../../harness/tenants.ts";
import { addOperator } from "./documented.ts";

const me = ({ send }: TenantHarness, token: string) =>
  send("/operations/v1/me", { authorization: `Bearer ${token}` });

describe.each(featureEngines)("operators, on %s", (engine) => {
  const clock = { ahead: 0 };
  const harness = useTenants(engine, { now: () => new Date(Date.now() + clock.ahead) });

  it("are added with a token that is shown once, and listed without it", async () => {
    const { token, operatorId, validUntil, ...rest } = await addOperator(harness(), "people");
    expect(token).toMatch(/^spo_[\w-]{43}$/);
    const list = await harness().operate("GET", "/operators?limit=200");
    const { items } = list.body as { items: Operator[] };
    expect(items).toContainEqual({
      operatorId,
      ...rest,
      tokens: [{ createdAt: rest.createdAt, validUntil }],
    });
    expect(list.text).not.toContain(token);
    expect((await harness().operate("GET", `/operators/${operatorId}`)).text).not.toContain(token);
  });

  it("have unique names until they are revoked", async () => {
    const { name, operatorId } = await addOperator(harness(), "viewer");
    const order = { name, role: "admin" };
    expectProblem(await harness().operate("POST", "/operators", order), "operator_exists");
    const first = { name: "First admin", role: "viewer" };
    expectProblem(await harness().operate("POST", "/operators", first), "operator_exists");
    expect((await harness().operate("DELETE", `/operators/${operatorId}`)).status).toBe(204);
    expect((await harness().operate("POST", "/operators", order)).status).toBe(201);
  });

  it.each(["", " Karin", "Karin ", "Kar\nin", "x".repeat(101)])("do not have the name %j", async (name) => {
    expectProblem(
      await harness().operate("POST", "/operators", { name, role: "viewer" }),
      "validation_failed",
    );
  });

  it("lose every token when they are revoked, and stay in the list", async () => {
    const { operatorId, token } = await addOperator(harness(), "operator");
    expect((await me(harness(), token)).status).toBe(200);
    expect((await harness().operate("DELETE", `/operators/${operatorId}`)).status).toBe(204);
    expectProblem(await me(harness(), token), "unauthorized");
    const { body } = await harness().operate("GET", `/operators/${operatorId}`);
    expect(body).toMatchObject({ tokens: [], revokedAt: expect.any(String) });
    expectProblem(await harness().operate("DELETE", `/operators/${operatorId}`), "operator_not_found");
    expectProblem(
      await harness().operate("POST", `/operators/${operatorId}/tokens`, {}),
      "operator_not_found",
    );
    const role = { role: "admin" };
    expectProblem(await harness().operate("PATCH", `/operators/${operatorId}`, role), "operator_not_found");
  });

  it("have a changed role from the next request on", async () => {
    const { operatorId, token } = await addOperator(harness(), "viewer");
    expect((await me(harness(), token)).body).toMatchObject({ role: "viewer" });
    await harness().operate("PATCH", `/operators/${operatorId}`, { role: "admin" });
    expect((await me(harness(), token)).body).toMatchObject({ role: "admin" });
  });

  it("have two valid tokens during a rotation, and one when it is over", async () => {
    const { operatorId, token: first } = await addOperator(harness(), "viewer");
    const rotate = async (body: object) =>
      (await harness().operate("POST", `/operators/${operatorId}/tokens`, body)).body as OperatorTokenRotated;
    const { token: second, previousValidUntil } = await rotate({});
    const day = Date.parse(previousValidUntil) - Date.now() - clock.ahead;
    expect(Math.round(day / HOUR_MS)).toBe(24);
    expect([(await me(harness(), first)).status, (await me(harness(), second)).status]).toEqual([200, 200]);
    const { body } = await harness().operate("GET", `/operators/${operatorId}`);
    expect(body).toMatchObject({ tokens: [{}, { validUntil: previousValidUntil }] });
    clock.ahead += DAY_MS + 1;
    expect([(await me(harness(), first)).status, (await me(harness(), second)).status]).toEqual([401, 200]);
    const { token: third } = await rotate({ overlapHours: 0 });
    expect([(await me(harness(), second)).status, (await me(harness(), third)).status]).toEqual([401, 200]);
  });

  it("have a token that expires after a year, or the given days, and says so", async () => {
    const { validUntil, createdAt } = await addOperator(harness(), "viewer");
    expect(Date.parse(validUntil) - Date.parse(createdAt)).toBe(365 * DAY_MS);
    const name = `Backup ${randomUUID()}`;
    const added = await harness().operate("POST", "/operators", { name, role: "viewer", validDays: 30 });
    const { operatorId, token } = added.body as OperatorCreated;
    const rotate = async (body: object) =>
      (await harness().operate("POST", `/operators/${operatorId}/tokens`, body)).body as OperatorTokenRotated;
    const { body } = await me(harness(), token);
    const [end] = [(added.body as OperatorCreated).validUntil];
    expect(body).toMatchObject({ tokenValidUntil: end });
    clock.ahead += 30 * DAY_MS - HOUR_MS;
    expect((await me(harness(), token)).status).toBe(200);
    // An overlap makes no token last longer.
    const { token: next, validUntil: nextEnd, previousValidUntil } = await rotate({ validDays: 1 });
    expect(previousValidUntil).toBe(end);
    clock.ahead += HOUR_MS;
    const refused = await me(harness(), token);
    expectProblem(refused, "unauthorized");
    expect((refused.body as Problem).detail).toMatch(`expired at ${end}. An admin makes another`);
    expect((await me(harness(), next)).body).toMatchObject({ tokenValidUntil: nextEnd });
    clock.ahead += DAY_MS;
    expect((await me(harness(), next)).status).toBe(401);
    expect((await harness().operate("GET", `/operators/${operatorId}`)).body).toMatchObject({ tokens: [] });
    expect((await me(harness(), (await rotate({ overlapHours: 0 })).token)).status).toBe(200);
  });

  it.each([0, 731, 1.5, null])("have no token that is valid for %j days", async (validDays) => {
    const order = { name: `Long ${randomUUID()}`, role: "viewer", validDays };
    expectProblem(await harness().operate("POST", "/operators", order), "validation_failed");
  });

  it("end the oldest of three tokens", async () => {
    const { operatorId, token: first } = await addOperator(harness(), "viewer");
    const rotate = async () =>
      (await harness().operate("POST", `/operators/${operatorId}/tokens`, {})).body as OperatorTokenRotated;
    const [{ token: second }, { token: third }] = [await rotate(), await rotate()];
    const statuses = await Promise.all(
      [first, second, third].map(async (token) => (await me(harness(), token)).status),
    );
    expect(statuses).toEqual([401, 200, 200]);
  });

  it("are stored with the hash of a token only", async () => {
    const { token } = await addOperator(harness(), "viewer");
    if (!harness().location.url) return;
    const stored = await withDatabase(harness().location, async ({ kysely }) => {
      const { rows } = await sql<{ row: string }>`select t::text as row from operator_tokens t`.execute(
        kysely,
      );
      return rows.map(({ row }) => row).join("\n");
    });
    expect(stored).not.toContain(token.slice(4));
    expect(stored).not.toBe("");
  });

  it("return 404 for an unknown operatorId", async () => {
    expectProblem(await harness().operate("GET", `/operators/${randomUUID()}`), "operator_not_found");
  });
});

describe("a second process", () => {
  const harness = useTenants("postgres");

  it("refuses a revoked token within seconds, and ends its streams", async () => {
    const { url } = harness().location;
    if (url === undefined) throw new Error("PostgreSQL has a URL");
    const clock = { ahead: 0 };
    const other = await startWithTenants(
      { url },
      { now: () => new Date(Date.now() + clock.ahead), streamCheckMs: 5 },
    );
    try {
      const { operatorId, token } = await addOperator(harness(), "viewer");
      expect((await me(other, token)).status).toBe(200);
      const stream = await fetch(`${other.platform.url}/operations/v1/stream`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await harness().operate("DELETE", `/operators/${operatorId}`);
      clock.ahead = 2_001;
      expectProblem(await me(other, token), "unauthorized");
      // Ends: otherwise this waits for the time limit of the test.
      await stream.text();
    } finally {
      await other.close();
    }
  });
});
