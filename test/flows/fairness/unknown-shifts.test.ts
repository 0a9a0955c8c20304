import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import type { Harness } from "../../harness/platform.ts";
import { type Flow, onboardFlow, startFlows } from "../flow.ts";

const UNKNOWN = 250;
const CALL_MS = 15;
/** The runs that are claimed already, of one call each, and a few claims until it is the turn of the newest. */
const MAX_CALLS = 60;

describe.each(engines)(`an organisation with ${UNKNOWN} webhooks about unknown shifts, on %s`, (engine) => {
  let platform: Harness;
  let organisation: Flow;
  let isSlow = true;
  const unknown = Array.from({ length: UNKNOWN }, () => randomUUID());
  beforeAll(async () => {
    platform = await startFlows(engine, {
      calls: { atOnce: 1 },
      timing: { ladderMs: [100, 300] },
    });
    organisation = await onboardFlow(platform, {
      onTheWay: async ({ path }, pass) => {
        if (isSlow && path.startsWith("/shifts/")) await sleep(CALL_MS);
        await pass();
      },
    });
  });
  afterAll(() => platform.close());

  const readings = () =>
    organisation.calls.flatMap(({ path }) => path.match(/^\/shifts\/([^/]+)$/)?.slice(1) ?? []);
  const waiting = async () => {
    const query = { providerId: organisation.providerId, status: "queued", limit: 1 } as const;
    const { data } = await organisation.operations.listEvents({ params: { query } });
    return data?.items.length ?? 0;
  };

  it("reads a new shift before those that wait, and every other one in the end", async () => {
    const { provider, findJob, send } = organisation;
    await Promise.all(unknown.map((shiftId) => send("shift.create", shiftId)));
    // Readings of both kinds wait now.
    await expect.poll(() => readings().length).toBeGreaterThan(40);
    for (const _ of "123") {
      const { shiftId: id } = provider.createShift();
      const before = readings().length;
      await send("shift.create", id);
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
    isSlow = false;
    await expect.poll(waiting).toBe(0);
    expect(unknown.filter((shiftId) => !readings().includes(shiftId))).toEqual([]);
  });
});
