import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS } from "../../../src/contract/timestamp.ts";
import { createUpkeep } from "../../../src/platform/upkeep/upkeep.ts";
import { depsFor } from "../../harness/deps.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

describe.each(featureEngines)("an event that ended days ago, on %s", (engine) => {
  const database = useEngine(engine);
  const traceId = randomUUID();
  let organisation: StartedOrganisation;
  let shiftId: string;
  let eventId: string;
  let reads: number;

  beforeEach(async () => {
    organisation = await startOrganisation(database());
    ({ shiftId } = organisation.provider.createShift());
    await organisation.process("shift.create", shiftId, traceId);
    const later = new Date(Date.now() + 5 * DAY_MS);
    const deps = depsFor(database(), { now: () => later });
    expect(await createUpkeep(deps).run()).toMatchObject({ eventsLogged: 1 });
    [{ eventId } = { eventId: "" }] = await events();
    reads = 0;
    organisation.onTheWay = async ({ method, path }, pass) => {
      await pass();
      if (method === "GET" && path.startsWith("/shifts/")) reads += 1;
    };
  });
  afterEach(() => organisation.close());

  const events = async () =>
    ok(await organisation.operations.listEvents({ params: { query: { shiftId } } })).items;
  const path = () => ({ params: { path: { eventId } } });

  it("is still listed and found by id, with its trace", async () => {
    expect(await events()).toMatchObject([
      { traceId, status: "processed", verdict: { code: "job_created" } },
    ]);
    expect(ok(await organisation.operations.getEvent(path()))).toMatchObject({ eventId, traceId });
    const { steps } = ok(await organisation.operations.getTrace({ params: { path: { traceId } } }));
    expect(steps[0]).toMatchObject({ step: "webhook", verdict: { code: "stored" } });
    expect(steps.length).toBeGreaterThan(2);
  });

  it("is not processed again when the provider repeats it", async () => {
    await organisation.process("shift.create", shiftId, traceId);
    expect(await events()).toMatchObject([{ eventId, status: "processed" }]);
    expect(reads).toBe(0);
    // Another event of the same shift is.
    await organisation.process("shift.update", shiftId, traceId);
    expect(await events()).toHaveLength(2);
    expect(reads).toBeGreaterThan(0);
  });

  it("can be replayed", async () => {
    expect(ok(await organisation.operations.replayEvent(path()))).toEqual({ queued: 1 });
    await organisation.idle();
    expect(reads).toBe(1);
    expect(await events()).toMatchObject([{ eventId, status: "processed" }]);
    expect(await organisation.verdicts(traceId)).toContain("event: requeued");
  });
});
