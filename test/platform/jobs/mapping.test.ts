import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Mappings } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

describe.each(featureEngines)("a shift with an outlet or role that is not mapped, on %s", (engine) => {
  const harness = useHarness(engine);

  const map = async ({ providerId, idle }: Organisation, mappings: Partial<Mappings>) => {
    const body = { outlets: [], roles: [], ...mappings };
    ok(await harness().operations.updateMappings({ params: { path: { providerId } }, body }));
    await idle();
  };

  it("waits with a reason, and continues once both are mapped", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const [outletId, roleId] = [randomUUID(), randomUUID()];
    const job = await organisation.open({ outletId, roleId });
    expect(job.status).toBe("blocked_mapping");
    expect(await organisation.issueCodes()).toEqual(["outlet_not_mapped", "role_not_mapped"]);
    expect(await organisation.notifications(job)).toEqual([]);
    expect(await organisation.accept(job, person)).toEqual({ status: 409, code: "job_not_open" });
    const { competenceId, workplaceId } = organisation;
    await map(organisation, { outlets: [{ outletId, workplaceId }] });
    expect(await organisation.issueCodes()).toEqual(["role_not_mapped"]);
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "blocked_mapping", workplaceId });
    await map(organisation, { roles: [{ roleId, competenceId }] });
    expect(await organisation.issues()).toEqual([]);
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "open", competenceId });
    expect(await organisation.notifications(job, "job_offered")).toHaveLength(1);
    expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
  });

  it("raises one issue for all shifts of the outlet, resolved also when their jobs are over", async () => {
    const organisation = await harness().onboard();
    const outletId = randomUUID();
    const jobs = [await organisation.open({ outletId }), await organisation.open({ outletId })];
    expect(await organisation.issues()).toMatchObject([{ code: "outlet_not_mapped", count: 2 }]);
    for (const { shiftId } of jobs) organisation.provider.deleteShift(shiftId);
    await organisation.idle();
    await map(organisation, { outlets: [{ outletId, workplaceId: organisation.workplaceId }] });
    expect(await organisation.issues()).toEqual([]);
    expect(await organisation.job(jobs[0]?.shiftId ?? "")).toMatchObject({ status: "cancelled" });
  });

  it("has an issue until the provider has moved the last shift of the outlet to a mapped one", async () => {
    const organisation = await harness().onboard();
    const { provider, idle, issueCodes } = organisation;
    const [outletId, other] = [randomUUID(), randomUUID()];
    const mapped = (await organisation.open()).outletId;
    const move = async (shiftId: string, values: { outletId: string }) => {
      provider.updateShift(shiftId, values);
      await idle();
    };
    const { shiftId } = await organisation.open({ outletId });
    const { shiftId: last } = await organisation.open({ outletId });
    await move(shiftId, { outletId: mapped });
    expect(await issueCodes(), "another shift is there").toEqual(["outlet_not_mapped"]);
    await move(last, { outletId: mapped });
    expect(await issueCodes()).toEqual([]);
    await move(shiftId, { outletId });
    expect(await issueCodes(), "moved back").toEqual(["outlet_not_mapped"]);
    await move(shiftId, { outletId: other });
    expect(await organisation.issues()).toMatchObject([{ subject: { kind: "outlet", outletId: other } }]);
    await move(shiftId, { outletId: mapped });
    expect(await organisation.job(shiftId)).toMatchObject({ status: "open" });
    expect(await issueCodes()).toEqual([]);
  });

  it("has no issue once it is cancelled, and one again with the next shift", async () => {
    const organisation = await harness().onboard();
    const { provider, idle, issueCodes } = organisation;
    const [outletId, roleId] = [randomUUID(), randomUUID()];
    const { shiftId } = await organisation.open({ outletId, roleId });
    const asked = await organisation.open({ roleId });
    provider.deleteShift(shiftId);
    await idle();
    expect(await issueCodes()).toEqual(["role_not_mapped"]);
    await organisation.cancel(asked);
    await idle();
    expect(await issueCodes()).toEqual([]);
    await organisation.open({ outletId, roleId });
    expect(await issueCodes(), "a later shift").toEqual(["outlet_not_mapped", "role_not_mapped"]);
  });

  it("has no issue once it has started", async () => {
    const organisation = await harness().onboard();
    const startTime = new Date(Date.now() + 2_000).toISOString();
    const endTime = new Date(Date.now() + HOUR_MS).toISOString();
    const { shiftId } = await organisation.open({ outletId: randomUUID(), startTime, endTime });
    expect(await organisation.issueCodes()).toEqual(["outlet_not_mapped"]);
    await expect.poll(organisation.issueCodes).toEqual([]);
    expect(await organisation.job(shiftId)).toMatchObject({ status: "expired" });
  });

  it("continues if it arrives while the mapping is being saved", async () => {
    const organisation = await harness().onboard();
    for (let round = 0; round < 4; round++) {
      const outletId = randomUUID();
      await organisation.open({ outletId });
      const shifts = Array.from({ length: 6 }, () => organisation.provider.createShift({ outletId }));
      await organisation.provider.delivered(shifts[0]?.traceId ?? "");
      await map(organisation, { outlets: [{ outletId, workplaceId: organisation.workplaceId }] });
      await organisation.idle();
      const jobs = await Promise.all(shifts.map(({ shiftId }) => organisation.job(shiftId)));
      expect(jobs.map(({ status }) => status)).toEqual(Array(6).fill("open"));
      expect(await organisation.issues()).toEqual([]);
    }
  });

  it("keeps its bookings when it moves there", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    await organisation.accept(job, person);
    const outletId = randomUUID();
    organisation.provider.updateShift(job.shiftId, { outletId });
    await organisation.idle();
    const moved = await organisation.job(job.shiftId);
    expect(moved).toMatchObject({ status: "blocked_mapping", bookings: [{ status: "confirmed" }] });
    await map(organisation, { outlets: [{ outletId, workplaceId: organisation.workplaceId }] });
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "filled" });
  });
});
