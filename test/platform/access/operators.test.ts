import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Operator, OperatorTokenRotated } from "../../../generated/operations/types.ts";
import { featureEngines } from "../../engines.ts";
import { type Edge, startEdge, useEdge, withDatabase } from "../http/edge.ts";
import { expectProblem } from "../http/send.ts";
import { addOperator } from "./operators.ts";

const me = ({ send }: Edge, token: string) => send("/operations/v1/me", { authorization: `Bearer ${token}` });

describe.each(featureEngines)("operators, on %s", (engine) => {
  const clock = { ahead: 0 };
  const edge = useEdge(engine, { now: () => new Date(Date.now() + clock.ahead) });

  it("are added with a token that is shown once, and listed without it", async () => {
    const { token, operatorId, ...rest } = await addOperator(edge(), "people");
    expect(token).toMatch(/^spo_[\w-]{43}$/);
    const list = await edge().operate("GET", "/operators?limit=200");
    const { items } = list.body as { items: Operator[] };
    expect(items).toContainEqual({ operatorId, ...rest, tokens: [{ createdAt: rest.createdAt }] });
    expect(list.text).not.toContain(token);
    expect((await edge().operate("GET", `/operators/${operatorId}`)).text).not.toContain(token);
  });

  it("have names of their own until they are revoked", async () => {
    const { name, operatorId } = await addOperator(edge(), "viewer");
    const order = { name, role: "admin" };
    expectProblem(await edge().operate("POST", "/operators", order), "operator_exists");
    const first = { name: "First admin", role: "viewer" };
    expectProblem(await edge().operate("POST", "/operators", first), "operator_exists");
    expect((await edge().operate("DELETE", `/operators/${operatorId}`)).status).toBe(204);
    expect((await edge().operate("POST", "/operators", order)).status).toBe(201);
  });

  it.each(["", " Karin", "Karin ", "Kar\nin", "x".repeat(101)])("do not have the name %j", async (name) => {
    expectProblem(await edge().operate("POST", "/operators", { name, role: "viewer" }), "validation_failed");
  });

  it("lose every token when they are revoked, and stay in the list", async () => {
    const { operatorId, token } = await addOperator(edge(), "operator");
    expect((await me(edge(), token)).status).toBe(200);
    expect((await edge().operate("DELETE", `/operators/${operatorId}`)).status).toBe(204);
    expectProblem(await me(edge(), token), "unauthorized");
    const { body } = await edge().operate("GET", `/operators/${operatorId}`);
    expect(body).toMatchObject({ tokens: [], revokedAt: expect.any(String) });
    expectProblem(await edge().operate("DELETE", `/operators/${operatorId}`), "operator_not_found");
    expectProblem(await edge().operate("POST", `/operators/${operatorId}/tokens`, {}), "operator_not_found");
    const role = { role: "admin" };
    expectProblem(await edge().operate("PATCH", `/operators/${operatorId}`, role), "operator_not_found");
  });

  it("have another role from the next request on", async () => {
    const { operatorId, token } = await addOperator(edge(), "viewer");
    expect((await me(edge(), token)).body).toMatchObject({ role: "viewer" });
    await edge().operate("PATCH", `/operators/${operatorId}`, { role: "admin" });
    expect((await me(edge(), token)).body).toMatchObject({ role: "admin" });
  });

  it("have two valid tokens during a rotation, and one when it is over", async () => {
    const { operatorId, token: first } = await addOperator(edge(), "viewer");
    const rotate = async (body: object) =>
      (await edge().operate("POST", `/operators/${operatorId}/tokens`, body)).body as OperatorTokenRotated;
    const { token: second, previousValidUntil } = await rotate({});
    const day = Date.parse(previousValidUntil) - Date.now() - clock.ahead;
    expect(Math.round(day / 3_600_000)).toBe(24);
    expect([(await me(edge(), first)).status, (await me(edge(), second)).status]).toEqual([200, 200]);
    const { body } = await edge().operate("GET", `/operators/${operatorId}`);
    expect(body).toMatchObject({ tokens: [{}, { validUntil: previousValidUntil }] });
    clock.ahead += 24 * 3_600_000 + 1;
    expect([(await me(edge(), first)).status, (await me(edge(), second)).status]).toEqual([401, 200]);
    const { token: third } = await rotate({ overlapHours: 0 });
    expect([(await me(edge(), second)).status, (await me(edge(), third)).status]).toEqual([401, 200]);
  });

  it("end the oldest of three tokens", async () => {
    const { operatorId, token: first } = await addOperator(edge(), "viewer");
    const rotate = async () =>
      (await edge().operate("POST", `/operators/${operatorId}/tokens`, {})).body as OperatorTokenRotated;
    const [{ token: second }, { token: third }] = [await rotate(), await rotate()];
    const statuses = await Promise.all(
      [first, second, third].map(async (token) => (await me(edge(), token)).status),
    );
    expect(statuses).toEqual([401, 200, 200]);
  });

  it("are stored with the hash of a token only", async () => {
    const { token } = await addOperator(edge(), "viewer");
    if (!edge().where.url) return;
    const stored = await withDatabase(edge().where, async ({ kysely }) => {
      const { rows } = await sql<{ row: string }>`select t::text as row from operator_tokens t`.execute(
        kysely,
      );
      return rows.map(({ row }) => row).join("\n");
    });
    expect(stored).not.toContain(token.slice(4));
    expect(stored).not.toBe("");
  });

  it("are 404 when there are none with the id", async () => {
    expectProblem(await edge().operate("GET", `/operators/${randomUUID()}`), "operator_not_found");
  });
});

describe("a second process", () => {
  const edge = useEdge("postgres");

  it("refuses a revoked token within seconds, and ends its streams", async () => {
    const { url } = edge().where;
    if (url === undefined) throw new Error("PostgreSQL has a URL");
    const clock = { ahead: 0 };
    const other = await startEdge(
      { url },
      { now: () => new Date(Date.now() + clock.ahead), streamCheckMs: 5 },
    );
    try {
      const { operatorId, token } = await addOperator(edge(), "viewer");
      expect((await me(other, token)).status).toBe(200);
      const stream = await fetch(`${other.platform.url}/operations/v1/stream`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await edge().operate("DELETE", `/operators/${operatorId}`);
      clock.ahead = 2_001;
      expectProblem(await me(other, token), "unauthorized");
      // Ends: otherwise this waits for the time limit of the test.
      await stream.text();
    } finally {
      await other.stop();
    }
  });
});
