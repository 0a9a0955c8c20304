import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { listening, untilReset } from "../../harness/listening.ts";
import { ask, create, kindsOf, NUMBER, PERSON, seat, useProviders } from "./provider-calls.ts";
import type { Operation } from "./provider-faults.ts";

const SOON_MS = 80;
const OPERATIONS: readonly Operation[] = ["getShift", "assign"];

describe("the independent provider without faults", () => {
  const start = useProviders();

  it("returns a shift with the fields of variant A", async () => {
    const provider = await start();
    const { id } = provider.createShift({ positions: 2, ownPeople: 1 });
    const { status, body } = await ask(provider, "GET", `/shifts/${id}`);
    expect([status, body.slots]).toEqual([200, 2]);
    expect(body.assignedCandidates).toEqual([{ candidateId: expect.any(String) }]);
  });

  it("returns a shift with the fields of variant B", async () => {
    const provider = await start({ variant: "b" });
    const { id } = provider.createShift({ ownPeople: 1 });
    const { body } = await ask(provider, "GET", `/shifts/${id}`);
    expect(body).toMatchObject({ numberOfPositions: 1, status: "filled" });
    expect(body.assignedCandidates).toEqual([{ id: expect.any(String), personalNumber: expect.any(String) }]);
  });

  it("finds a known person, and refuses to create one, in either form of the number", async () => {
    const provider = await start();
    const id = await create(provider);
    const hyphenated = `${NUMBER.slice(0, 8)}-${NUMBER.slice(8)}`;
    const found = await ask(provider, "GET", `/candidates?personalNumber=${hyphenated}`);
    expect(found.body).toMatchObject([{ id }]);
    expect(await ask(provider, "POST", "/candidates", PERSON)).toMatchObject({ status: 409 });
  });

  it("replaces times and positions, and has no effect when nothing changes", async () => {
    const provider = await start();
    const { id, startTime, endTime } = provider.createShift();
    const body = { startTime, endTime, slots: 3 };
    expect((await ask(provider, "PUT", `/shifts/${id}`, body)).body.slots).toBe(3);
    await ask(provider, "PUT", `/shifts/${id}`, body);
    expect(kindsOf(provider)).toEqual(["put"]);
  });

  it.each([
    ["a", "cancelled", 404],
    ["b", "absent", 404],
    ["b", "cancelled", 200],
  ] as const)("shows a deleted shift of variant %s as %s with %i", async (variant, deletedShows, status) => {
    const provider = await start({ variant, deletedShows });
    const { id } = provider.createShift();
    expect((await ask(provider, "DELETE", `/shifts/${id}`)).status).toBe(204);
    expect((await ask(provider, "GET", `/shifts/${id}`)).status).toBe(status);
    expect(kindsOf(provider)).toEqual(["delete"]);
  });

  it("refuses a full shift", async () => {
    const provider = await start();
    const { shiftId, assign } = await seat(provider);
    provider.assignOwn(shiftId);
    expect(await assign()).toMatchObject({ status: 409, body: { code: "shift_full" } });
  });

  it("omits the code from its problem documents when it uses none", async () => {
    const provider = await start({ codes: false });
    const { status, body } = await ask(provider, "GET", "/shifts/unknown");
    expect([status, body.code]).toEqual([404, undefined]);
  });

  it("responds with 401 to the previous token after its exchange", async () => {
    const provider = await start();
    const before = provider.token();
    expect(provider.rotateToken()).not.toBe(before);
    const headers = { Authorization: `Bearer ${before}` };
    const response = await fetch(`${provider.url}/providers/${provider.providerId}/roles`, { headers });
    expect([response.status, (await ask(provider, "GET", "/roles")).status]).toEqual([401, 200]);
  });
});

describe("a fault of the independent provider", () => {
  const start = useProviders();

  it("cuts the connection, and the call takes effect later", async () => {
    const provider = await start();
    provider.fault({ kind: "late", afterMs: SOON_MS }, { on: "createCandidate" });
    await expect(create(provider)).rejects.toThrow();
    expect(provider.effects).toEqual([]);
    await expect.poll(() => kindsOf(provider)).toEqual(["create"]);
    expect(provider.candidates).toMatchObject([{ personalNumber: NUMBER }]);
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
    ["empty", 0],
  ] as const)("malforms the list of people: %s", async (list, length) => {
    const provider = await start({ variant: "b" });
    const { assign, get, candidateId } = await seat(provider);
    await assign();
    provider.fault({ kind: "odd-list", list }, { times: 1 });
    const { assignedCandidates } = (await get()).body;
    expect(assignedCandidates).toHaveLength(length);
    const listed = assignedCandidates.some((entry) => (entry as { id?: string } | null)?.id === candidateId);
    expect(listed).toBe(list !== "empty");
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
});

describe("a webhook of the independent provider", () => {
  const start = useProviders();

  it("is sent until it is acknowledged, with the same traceId", async () => {
    const bodies: string[] = [];
    const platform = await listening(
      createServer(
        untilReset(async (request, response) => {
          for await (const chunk of request) bodies.push(String(chunk));
          response.writeHead(bodies.length < 3 ? 503 : 200).end();
        }),
      ),
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
