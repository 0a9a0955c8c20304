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

  it.each([
    ["single-quotes", 'the sandbox no longer has the fault "single-quotes": the nearest is truncated'],
    [
      "byte-order-mark",
      'the sandbox no longer has the fault "byte-order-mark": only the verification kit\'s own tests plant it',
    ],
    ["nope", 'there is no fault "nope"'],
  ])("that the sandbox does not have is refused: %s", (name, message) => {
    expect(() => sandbox.setFault(name as FaultName)).toThrow(new Error(message));
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
});
