import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { useHarness } from "../../harness/platform.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

const later = (time: string) => new Date(Date.parse(time) + HOUR_MS).toISOString();

describe.each(featureEngines)("shift.update on %s", (engine) => {
  const harness = useHarness(engine);

  const booked = async () => {
    const organisation = await harness().onboard();
    const [person] = [await organisation.addPerson(), await organisation.addPerson()];
    const job = await organisation.open({ positions: 2 });
    expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
    await organisation.idle();
    return { organisation, job };
  };

  it("notifies of a later change when it is replayed, although it notified of an earlier one", async () => {
    const { organisation, job } = await booked();
    const { provider, operations } = { ...organisation, ...harness() };
    const { traceId } = provider.updateShift(job.shiftId, { endTime: later(job.endTime) });
    await organisation.idle();
    provider.connectPlatform({ url: "http://127.0.0.1:9", token: "no-server-listens-there" });
    provider.updateShift(job.shiftId, { endTime: later(later(job.endTime)) });
    const { eventId } = await organisation.event(traceId);
    for (const _ of [1, 2]) {
      await operations.replayEvent({ params: { path: { eventId } } });
      await harness().platform.idle();
    }
    expect(await organisation.notifications(job, "shift_changed")).toMatchObject([
      { content: { endTime: later(job.endTime) } },
      { content: { endTime: later(later(job.endTime)) } },
    ]);
  });

  it("with times that read the same notifies none of the people booked, and offers the shift to no one again", async () => {
    const { organisation, job } = await booked();
    const offers = () => organisation.notifications(job, "job_offered");
    const before = await offers();
    for (const ms of [-3, 20_000, 400, 0]) {
      const moved = (time: string) => new Date(Date.parse(time) + ms).toISOString();
      const times = { startTime: moved(job.startTime), endTime: moved(job.endTime) };
      organisation.provider.updateShift(job.shiftId, times);
      await organisation.idle();
      expect(await organisation.job(job.shiftId)).toMatchObject(times);
    }
    expect(await organisation.notifications(job, "shift_changed")).toEqual([]);
    expect(await offers()).toEqual(before);
  });
});

describe.each(featureEngines)("the names of a job's outlet and role, on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  afterEach(() => organisation.close());

  const namesOf = ({ outletName, roleName }: Record<string, unknown>) => [outletName, roleName];
  const seeded = () => {
    const [outlet, role] = [organisation.provider.outlets[0], organisation.provider.roles[0]];
    if (!outlet || !role) throw new Error("not seeded");
    return { outlet, role, ids: { outletId: outlet.id, roleId: role.id } };
  };

  describe("of a shift with names", () => {
    beforeEach(async () => {
      organisation = await startOrganisation(database(), { dialect: { variant: "a" } });
    });

    it("come from the shift, also in the list", async () => {
      const { outlet, role, ids } = seeded();
      const job = await organisation.open(ids);
      expect(namesOf(job)).toEqual([outlet.name, role.name]);
      expect(await organisation.job(job.shiftId)).toEqual(job);
    });
  });

  describe("of a shift without names", () => {
    beforeEach(async () => {
      organisation = await startOrganisation(database(), { dialect: { variant: "b" } });
    });

    it("come from the provider's lists, or are absent", async () => {
      const { outlet, role, ids } = seeded();
      expect(namesOf(await organisation.open(ids))).toEqual([outlet.name, role.name]);
      const unknown = await organisation.open({ ...ids, outletId: randomUUID() });
      expect(unknown).not.toHaveProperty("outletName");
      expect(unknown.roleName).toBe(role.name);
    });
  });
});
