import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FaultName, faultNames } from "../../src/sandbox/faults/switchboard.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { call, NEW_CANDIDATE } from "./calls.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.clearFaults());
afterAll(() => sandbox.close());

const another = () => sandbox.candidates[1]?.id ?? "";
const statusOf = async (method: string, path: string) => (await call(sandbox, method, path)).status;

describe("a fault", () => {
  it("has a name that fits a command line", () => {
    for (const name of faultNames) expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(faultNames.length).toBeGreaterThan(25);
  });

  it("ends after the configured number of calls", async () => {
    sandbox.setFault("unavailable", { times: 2 });
    const statuses = [await statusOf("GET", "/roles"), await statusOf("GET", "/outlets")];
    expect([...statuses, await statusOf("GET", "/roles")]).toEqual([503, 503, 200]);
  });

  it("affects only the configured operations", async () => {
    sandbox.setFault("error-500", { operations: ["listRoles"] });
    expect([await statusOf("GET", "/roles"), await statusOf("GET", "/outlets")]).toEqual([500, 200]);
  });

  it("affects only every nth call of an operation", async () => {
    sandbox.setFault("unavailable", { every: 3 });
    const statuses = [];
    for (const path of ["/roles", "/roles", "/outlets", "/roles", "/roles"]) {
      statuses.push(await statusOf("GET", path));
    }
    expect(statuses).toEqual([200, 200, 200, 503, 200]);
  });

  it("is active from the start until it is cleared", async () => {
    const faulty = await startSandbox({ faults: ["unavailable"] });
    try {
      expect((await call(faulty, "GET", "/roles")).status).toBe(503);
      faulty.clearFaults();
      expect((await call(faulty, "GET", "/roles")).status).toBe(200);
    } finally {
      await faulty.close();
    }
  });

  it("ends after the configured time", async () => {
    sandbox.setFault("unavailable", { forMs: 60_000 });
    expect(await statusOf("GET", "/roles")).toBe(503);
    sandbox.setFault("unavailable", { forMs: 1 });
    await sleep(5);
    expect(await statusOf("GET", "/roles")).toBe(200);
  });

  it("affects calls with header routing too", async () => {
    sandbox.setFault("unavailable");
    const headers = { "X-Provider-Id": sandbox.providerId };
    expect((await call(sandbox, "GET", "/roles", { bare: true, headers })).status).toBe(503);
  });

  it("that was set first determines the response", async () => {
    sandbox.setFault("unavailable");
    sandbox.setFault("error-500");
    expect(await statusOf("GET", "/roles")).toBe(503);
  });
});

describe("the network fault", () => {
  it.each([
    ["unavailable", 503, "1"],
    ["rate-limited", 429, "1"],
  ] as const)("%s sends Retry-After", async (name, status, seconds) => {
    sandbox.setFault(name);
    const answer = await call(sandbox, "GET", "/roles");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, seconds]);
  });

  it.each([
    ["garbage", "text/html", "<h1>Welcome</h1>"],
    ["empty-body", null, undefined],
  ] as const)("%s returns 200", async (name, type, body) => {
    sandbox.setFault(name);
    const answer = await call(sandbox, "GET", "/roles");
    expect([answer.status, answer.headers.get("content-type"), answer.body]).toEqual([200, type, body]);
  });

  it("truncated cuts the JSON", async () => {
    sandbox.setFault("truncated");
    expect((await call(sandbox, "GET", "/roles")).body).toMatch(/^\[\{"id"/);
  });

  it("oversized sends 10 MB", async () => {
    sandbox.setFault("oversized");
    expect(JSON.stringify((await call(sandbox, "GET", "/roles")).body).length).toBeGreaterThan(10_000_000);
  });

  it("redirect points elsewhere", async () => {
    sandbox.setFault("redirect");
    expect(await statusOf("GET", "/roles")).toBe(302);
  });

  it("reset closes the connection", async () => {
    sandbox.setFault("reset");
    await expect(call(sandbox, "GET", "/roles")).rejects.toThrow("fetch failed");
  });

  it.each([
    ["token-rejected", 401],
    ["token-forbidden", 403],
    ["gateway-not-found", 404],
  ] as const)("%s returns %d for every operation, without an effect", async (name, status) => {
    const { shiftId, shift } = sandbox.createShift();
    sandbox.setFault(name);
    expect([await statusOf("GET", "/outlets"), await statusOf("DELETE", `/shifts/${shiftId}`)]).toEqual([
      status,
      status,
    ]);
    expect(shift.cancelled).toBe(false);
  });

  it("gateway-not-found returns no problem document", async () => {
    sandbox.setFault("gateway-not-found");
    const { headers, body } = await call(sandbox, "GET", "/outlets");
    expect([headers.get("content-type"), body]).toEqual(["text/html", expect.stringContaining("<h1>")]);
  });

  it("slow sends no response until the caller gives up", async () => {
    sandbox.setFault("slow");
    const giveUp = new AbortController();
    const answer = fetch(`${sandbox.url}/providers/${sandbox.providerId}/roles`, { signal: giveUp.signal });
    expect(await statusOf("GET", "/unknown")).toBe(404);
    giveUp.abort();
    await expect(answer).rejects.toThrow("aborted");
  });
});

describe("the fault", () => {
  const assignment = () => {
    const { shiftId, shift } = sandbox.createShift();
    const candidateId = sandbox.candidates[0]?.id ?? "";
    return { shiftId, shift, candidateId, path: `/shifts/${shiftId}/assign/${candidateId}` };
  };

  it("shift-lag hides a shift three times, or as often as configured", async () => {
    const { shiftId } = sandbox.createShift();
    const read = () => statusOf("GET", `/shifts/${shiftId}`);
    sandbox.setFault("shift-lag");
    expect([await read(), await read(), await read(), await read()]).toEqual([404, 404, 404, 200]);
    sandbox.setFault("shift-lag", { times: 1 });
    expect([await read(), await read()]).toEqual([404, 200]);
  });

  it("assign-lost-answer assigns once, and a second attempt succeeds", async () => {
    const { path, shift } = assignment();
    sandbox.setFault("assign-lost-answer");
    expect([await statusOf("PUT", path), shift.assigned.size]).toEqual([500, 1]);
    expect([await statusOf("PUT", path), shift.assigned.size]).toEqual([200, 1]);
  });

  it("answer-lost closes the connection after the effect", async () => {
    const { path, shift } = assignment();
    sandbox.setFault("answer-lost", { times: 1 });
    await expect(call(sandbox, "PUT", path)).rejects.toThrow("fetch failed");
    expect(shift.assigned.size).toBe(1);
  });

  it("assign-late assigns after the connection was closed, while a position is free", async () => {
    const { path, shift, candidateId } = assignment();
    sandbox.setFault("assign-late", { lateMs: 400 });
    await expect(call(sandbox, "PUT", path)).rejects.toThrow("fetch failed");
    expect(shift.assigned.size).toBe(0);
    await expect.poll(() => [...shift.assigned.keys()]).toEqual([candidateId]);
    sandbox.setFault("assign-late", { lateMs: 20 });
    await expect(call(sandbox, "PUT", path.replace(candidateId, another()))).rejects.toThrow("fetch failed");
    await sleep(40);
    expect([...shift.assigned.keys()]).toEqual([candidateId]);
  });

  it("create-late creates after the connection was closed", async () => {
    const running = await startSandbox();
    try {
      running.setFault("create-late", { lateMs: 400 });
      const before = running.candidates.length;
      await expect(call(running, "POST", "/candidates", { body: NEW_CANDIDATE })).rejects.toThrow(
        "fetch failed",
      );
      expect(running.candidates).toHaveLength(before);
      await expect.poll(() => running.candidates.length).toBe(before + 1);
    } finally {
      await running.close();
    }
  });

  it("stale-reads returns a shift as of the previous read", async () => {
    const { shiftId } = sandbox.createShift({ positions: 1 });
    const positions = async () =>
      ((await call(sandbox, "GET", `/shifts/${shiftId}`)).body as { slots?: number }).slots;
    sandbox.setFault("stale-reads");
    expect(await positions()).toBe(1);
    sandbox.updateShift(shiftId, { positions: 2 });
    expect([await positions(), await positions()]).toEqual([1, 2]);
    sandbox.deleteShift(shiftId);
    expect([await positions(), await positions()]).toEqual([2, undefined]);
  });

  it.each(["assign-conflict", "assign-not-successful"] as const)("%s does not assign", async (name) => {
    const { path, shift } = assignment();
    sandbox.setFault(name);
    expect(await statusOf("PUT", path)).toBe(name === "assign-conflict" ? 409 : 200);
    expect(shift.assigned.size).toBe(0);
  });

  it("assign-of-another acknowledges another candidate", async () => {
    const { path, shiftId, candidateId } = assignment();
    sandbox.setFault("assign-of-another");
    const { body } = await call(sandbox, "PUT", path);
    expect(body).toMatchObject({ success: true, shiftId });
    expect(body).not.toMatchObject({ candidateId });
  });

  it("candidate-race creates the candidate and returns 409", async () => {
    const running = await startSandbox({ faults: ["candidate-race"] });
    try {
      const find = () => call(running, "GET", `/candidates?personalNumber=${NEW_CANDIDATE.personalNumber}`);
      expect((await find()).body).toEqual([]);
      expect((await call(running, "POST", "/candidates", { body: NEW_CANDIDATE })).status).toBe(409);
      expect((await find()).body).toMatchObject([NEW_CANDIDATE]);
    } finally {
      await running.close();
    }
  });

  it("two-candidates or foreign-candidate adds candidates to a lookup", async () => {
    const path = `/candidates?personalNumber=${sandbox.candidates[0]?.personalNumber}`;
    sandbox.setFault("two-candidates");
    expect((await call(sandbox, "GET", path)).body).toHaveLength(2);
    sandbox.clearFaults();
    sandbox.setFault("foreign-candidate");
    expect((await call(sandbox, "GET", path)).body).toHaveLength(sandbox.candidates.length);
  });

  it.each([
    ["cancel-refused", "DELETE", "", 409],
    ["update-refused", "PUT", "", 409],
    ["unassign-unknown-path", "PUT", "/unassign/unknown", 404],
  ] as const)("%s refuses the call", async (name: FaultName, method, rest, status) => {
    const { shiftId, shift } = sandbox.createShift();
    sandbox.setFault(name);
    expect(await statusOf(method, `/shifts/${shiftId}${rest}`)).toBe(status);
    expect(shift.cancelled).toBe(false);
  });
});

describe("the access fault", () => {
  const unknown = "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3";

  it.each([
    ["no-token-accepted", { token: null }],
    ["any-token-accepted", { token: "unknown" }],
    ["any-scheme-accepted", { headers: { Authorization: "Basic T" } }],
    ["bare-token-accepted", { headers: { Authorization: "T" } }],
    ["longer-token-accepted", { token: "Ta" }],
    ["tenant-ignored", { providerId: unknown }],
  ] as const)("%s serves the call, on the configured operation", async (name, options) => {
    const faulty = await startSandbox({ token: "T" });
    try {
      const status = async (path: string) => (await call(faulty, "GET", path, options)).status;
      expect(await status("/roles")).toBe(name === "tenant-ignored" ? 404 : 401);
      faulty.setFault(name, { operations: ["listRoles"] });
      expect([await status("/roles"), await status("/outlets")]).toEqual([
        200,
        name === "tenant-ignored" ? 404 : 401,
      ]);
    } finally {
      await faulty.close();
    }
  });

  it("tenant-optional serves a call without a providerId, with header routing", async () => {
    sandbox.setFault("tenant-optional");
    expect((await call(sandbox, "GET", "/roles", { bare: true })).status).toBe(200);
  });

  it("rows-of-every-tenant adds the rows of other organisations only while it is active", async () => {
    const faulty = await startSandbox();
    try {
      const { providerId, token, outlets } = faulty.addOrganisation();
      const shift = faulty.createShift().shiftId;
      const asOther = (path: string) => call(faulty, "GET", path, { providerId, token });
      faulty.setFault("rows-of-every-tenant");
      expect((await asOther("/outlets")).body).toHaveLength(outlets.length + faulty.outlets.length);
      expect((await asOther(`/shifts/${shift}`)).status).toBe(200);
      faulty.clearFaults();
      expect((await asOther("/outlets")).body).toHaveLength(outlets.length);
      expect((await asOther(`/shifts/${shift}`)).status).toBe(404);
    } finally {
      await faulty.close();
    }
  });
});

describe("the fault that undoes an effect", () => {
  const change = { startTime: "2031-01-01T08:00:00Z", endTime: "2031-01-01T16:00:00Z", slots: 4 };

  it.each([
    ["update-not-stored", false, false],
    ["update-without-times", false, true],
    ["update-without-positions", true, false],
  ] as const)("%s acknowledges more than it stores", async (name, hasTimes, hasPositions) => {
    const { shiftId, shift } = sandbox.createShift();
    sandbox.setFault(name);
    const answer = await call(sandbox, "PUT", `/shifts/${shiftId}`, { body: change });
    expect(answer.body).toMatchObject(change);
    expect([shift.startTime === change.startTime, shift.endTime === change.endTime]).toEqual([
      hasTimes,
      hasTimes,
    ]);
    expect(shift.positions === change.slots).toBe(hasPositions);
  });

  it("assign-moves-times has no effect on a refused call", async () => {
    const { shiftId, shift } = sandbox.createShift();
    sandbox.setFault("assign-moves-times");
    const before = shift.startTime;
    expect(await statusOf("PUT", `/shifts/${shiftId}/assign/unknown`)).toBe(404);
    expect(shift.startTime).toBe(before);
  });

  it("create-not-stored acknowledges the candidate, and does not store it", async () => {
    const before = sandbox.candidates.length;
    sandbox.setFault("create-not-stored");
    expect((await call(sandbox, "POST", "/candidates", { body: NEW_CANDIDATE })).status).toBe(201);
    expect(sandbox.candidates).toHaveLength(before);
  });
});
