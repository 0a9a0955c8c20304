import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { listening } from "../../harness/listening.ts";
import { ask, create, kindsOf, NUMBER, PERSON, seat, useProviders } from "./provider-calls.ts";
import type { Operation } from "./provider-faults.ts";

const SOON_MS = 80;
const OPERATIONS: readonly Operation[] = ["getShift", "assign"];

describe("a fault of the independent provider", () => {
  const start = useProviders();

  it.each(["before-headers", "after-headers"] as const)(
    "loses a response %s, and the call takes effect",
    async (cut) => {
      const provider = await start();
      const { assign, get } = await seat(provider);
      const fault = provider.fault({ kind: "lost", cut }, { on: "assign", times: 1 });
      await expect(assign()).rejects.toThrow();
      expect(fault.hits).toBe(1);
      expect((await get()).body.assignedCandidates).toHaveLength(1);
      expect((await assign()).status).toBe(200);
      expect(provider.effects.filter(({ kind }) => kind === "assign")).toMatchObject([{ delivered: false }]);
      expect(provider.calls.map(({ status }) => status)).toEqual([201, 0, 200, 200]);
    },
  );

  it("cuts the connection, and the call takes effect later", async () => {
    const provider = await start();
    provider.fault({ kind: "late", afterMs: SOON_MS }, { on: "createCandidate" });
    const begun = performance.now();
    await expect(create(provider)).rejects.toThrow();
    expect(provider.effects).toEqual([]);
    await expect.poll(() => kindsOf(provider)).toEqual(["create"]);
    expect(provider.effects[0]).toMatchObject({ delivered: false, personalNumber: NUMBER });
    expect((provider.effects[0]?.at ?? 0) - begun).toBeGreaterThanOrEqual(SOON_MS - 1);
  });

  it.each([500, 503, 429, 401, 403, 409])("refuses with %i without an effect", async (status) => {
    const provider = await start();
    const { assign } = await seat(provider);
    provider.fault({ kind: "status", status, retryAfter: "30" }, { on: "assign", times: 1 });
    expect(await assign()).toMatchObject({ status, retryAfter: "30" });
    expect(kindsOf(provider)).toEqual(["create"]);
    expect((await assign()).status).toBe(200);
  });

  it("refuses with a code", async () => {
    const provider = await start({ codes: false });
    const { get } = await seat(provider);
    provider.fault({ kind: "status", status: 404, code: "shift_not_found" }, { on: "getShift" });
    expect(await get()).toMatchObject({ status: 404, body: { code: "shift_not_found" } });
  });

  it.each([undefined, "cancelShift"] as const)("responds as a gateway without a route to %s", async (on) => {
    const provider = await start();
    const { shiftId } = await seat(provider);
    const fault = provider.fault({ kind: "gateway-404" }, on && { on });
    const page = await ask(provider, "DELETE", `/shifts/${shiftId}`);
    expect([page.status, page.type]).toEqual([404, "text/html"]);
    expect((await ask(provider, "GET", "/outlets")).status).toBe(on ? 200 : 404);
    expect(provider.shift(shiftId)?.deleted).toBe(false);
    fault.stop();
    expect((await ask(provider, "DELETE", `/shifts/${shiftId}`)).status).toBe(204);
  });

  it("delays the response, and the call takes effect immediately", async () => {
    const provider = await start();
    const { assign } = await seat(provider);
    provider.fault({ kind: "slow", ms: SOON_MS });
    const begun = performance.now();
    const answer = assign();
    await expect.poll(() => kindsOf(provider)).toContain("assign");
    expect((await answer).status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(SOON_MS - 1);
  });

  it("shows an earlier state", async () => {
    const provider = await start();
    const { id } = provider.createShift();
    const fault = provider.fault({ kind: "stale", ms: SOON_MS });
    const slots = async () => (await ask(provider, "GET", `/shifts/${id}`)).body.slots;
    expect(await slots()).toBeUndefined();
    await expect.poll(slots).toBe(1);
    provider.updateShift(id, { positions: 2 });
    expect(await slots()).toBe(1);
    await expect.poll(slots).toBe(2);
    provider.deleteShift(id);
    expect(await slots()).toBe(2);
    await expect.poll(slots).toBeUndefined();
    expect(fault.hits).toBeGreaterThanOrEqual(6);
  });

  it("shows the state at its begin", async () => {
    const provider = await start();
    const { id } = provider.createShift();
    const fault = provider.fault({ kind: "frozen" });
    const { id: newId } = provider.createShift();
    provider.deleteShift(id);
    await create(provider);
    const statusOf = async (path: string) => (await ask(provider, "GET", path)).status;
    expect([await statusOf(`/shifts/${id}`), await statusOf(`/shifts/${newId}`)]).toEqual([200, 404]);
    expect((await ask(provider, "GET", `/candidates?personalNumber=${NUMBER}`)).body).toEqual([]);
    fault.stop();
    expect([await statusOf(`/shifts/${id}`), await statusOf(`/shifts/${newId}`)]).toEqual([404, 200]);
  });

  it.each(["shift_full", "already_assigned"] as const)(
    "refuses a repeated assignment as %s",
    async (code) => {
      const provider = await start();
      const { assign } = await seat(provider);
      const fault = provider.fault({ kind: "rejected-repeat", code });
      expect((await assign()).status).toBe(200);
      expect(fault.hits).toBe(0);
      expect(await assign()).toMatchObject({ status: 409, body: { code } });
    },
  );

  it("creates the same person twice, and finds both", async () => {
    const provider = await start();
    provider.fault({ kind: "no-duplicate-detection" });
    const ids = [await create(provider), await create(provider)];
    const found = await ask(provider, "GET", `/candidates?personalNumber=${NUMBER}`);
    expect(found.body).toMatchObject(ids.map((id) => ({ id })));
    provider.clearFaults();
    expect((await ask(provider, "POST", "/candidates", PERSON)).status).toBe(409);
  });

  it("loses every shift, and restores them", async () => {
    const provider = await start();
    const { shiftId, get } = await seat(provider);
    provider.loseShifts();
    expect(await get()).toMatchObject({ status: 404, body: { code: "shift_not_found" } });
    provider.bringShiftsBack();
    expect(await get()).toMatchObject({ status: 200, body: { id: shiftId } });
  });

  it.each([
    ["ten-thousand", 10_000],
    ["duplicates", 3],
    ["nulls", 3],
    ["strangers", 2],
    ["another-id", 1],
    ["empty", 0],
  ] as const)("malforms the list of people: %s", async (list, length) => {
    const provider = await start({ variant: "b" });
    const { assign, get, candidateId } = await seat(provider);
    await assign();
    provider.fault({ kind: "odd-list", list }, { times: 1 });
    const { assignedCandidates } = (await get()).body;
    expect(assignedCandidates).toHaveLength(length);
    const listed = assignedCandidates.some((entry) => (entry as { id?: string } | null)?.id === candidateId);
    expect(listed).toBe(list !== "another-id" && list !== "empty");
    expect((await get()).body.assignedCandidates).toHaveLength(1);
  });

  it("affects only its operations, its shift and its calls", async () => {
    const provider = await start();
    const one = await seat(provider);
    const other = provider.createShift();
    const fault = provider.fault(
      { kind: "status", status: 500 },
      { on: OPERATIONS, shiftId: one.shiftId, times: 2 },
    );
    const statuses = [
      (await ask(provider, "GET", `/shifts/${other.id}`)).status,
      (await ask(provider, "GET", "/outlets")).status,
      (await one.get()).status,
      (await one.unassign()).status,
      (await one.assign()).status,
      (await one.assign()).status,
    ];
    expect([statuses, fault.hits]).toEqual([[200, 200, 500, 200, 500, 200], 2]);
  });

  it("ends after its time", async () => {
    const provider = await start();
    provider.fault({ kind: "status", status: 500 }, { forMs: SOON_MS });
    const statusOf = async () => (await ask(provider, "GET", "/roles")).status;
    expect(await statusOf()).toBe(500);
    await expect.poll(statusOf).toBe(200);
  });
});

describe("a webhook of the independent provider", () => {
  const start = useProviders();

  it("is sent until it is acknowledged, with the same traceId", async () => {
    const bodies: string[] = [];
    const platform = await listening(
      createServer(async (request, response) => {
        for await (const chunk of request) bodies.push(String(chunk));
        response.writeHead(bodies.length < 3 ? 503 : 200).end();
      }),
    );
    const provider = await start({ echo: true });
    provider.connect({ url: platform.url, token: "platform-token" });
    const { assign, shiftId } = await seat(provider);
    await assign();
    await provider.settled();
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ event: "shift.update", content: { shiftId } });
    expect(provider.deliveries).toMatchObject([{ statuses: [503, 503, 200] }]);
    await ask(provider, "DELETE", `/shifts/${shiftId}`);
    await provider.settled();
    expect(provider.deliveries.map(({ event }) => event)).toEqual(["shift.update", "shift.delete"]);
    await platform.close();
  });

  it("is an error if it is never acknowledged", async () => {
    const provider = await start();
    const { id } = provider.createShift();
    await expect(provider.announce("shift.create", id)).rejects.toThrow("did not acknowledge");
  });
});
