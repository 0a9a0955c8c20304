import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import { type IndependentHarness, type Organisation, startIndependent } from "../convergence/organisation.ts";

const UNKNOWN = 250;
const CALL_MS = 15;
/** The runs that are claimed already, of one call each, and a few claims until it is the turn of the newest. */
const MAX_CALLS = 60;

describe.each(engines)(`an organisation with ${UNKNOWN} webhooks about unknown shifts, on %s`, (engine) => {
  let platform: IndependentHarness;
  let organisation: Organisation;
  const unknown = Array.from({ length: UNKNOWN }, () => randomUUID());
  beforeAll(async () => {
    platform = await startIndependent(engine, {
      calls: { atOnce: 1 },
      timing: { ladderMs: [100, 300] },
    });
    organisation = await platform.onboard();
  });
  afterAll(() => platform.close());

  const readings = () =>
    organisation.provider.calls.flatMap(({ operation, shiftId }) =>
      operation === "getShift" && shiftId !== undefined ? [shiftId] : [],
    );
  const waiting = async () => {
    const query = { providerId: organisation.providerId, status: "queued", limit: 1 } as const;
    const { data } = await organisation.operations.listEvents({ params: { query } });
    return data?.items.length ?? 0;
  };

  it("reads a new shift before those that wait, and every other one in the end", async () => {
    const { provider, findJob } = organisation;
    const slow = provider.fault({ kind: "slow", ms: CALL_MS }, { on: "getShift" });
    await Promise.all(unknown.map((shiftId) => provider.announce("shift.create", shiftId)));
    // Readings of both kinds wait now.
    await expect.poll(() => readings().length).toBeGreaterThan(40);
    for (const _ of "123") {
      const { id } = provider.createShift();
      const before = readings().length;
      await provider.announce("shift.create", id);
      await expect.poll(() => readings().includes(id)).toBe(true);
      expect(readings().indexOf(id) - before).toBeLessThan(MAX_CALLS);
      await expect.poll(() => findJob(id)).toBeDefined();
    }
    const read = readings();
    expect(new Set(read).size, "first readings precede repeated ones").toBeGreaterThan(read.length / 2);
    expect(new Set(read).size, "some wait").toBeLessThan(UNKNOWN);
    expect(read.length - new Set(read).size, "repeated readings have a share").toBeGreaterThan(
      read.length / 10,
    );
    slow.stop();
    await expect.poll(waiting).toBe(0);
    expect(unknown.filter((shiftId) => !readings().includes(shiftId))).toEqual([]);
  });
});
