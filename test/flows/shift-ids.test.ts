import { describe, expect, it } from "vitest";
import { featureEngines } from "../engines.ts";
import { ok } from "./operations.ts";
import { useStage } from "./stage.ts";

const HOUR_MS = 3_600_000;

describe.each(featureEngines)("a shift's id may be any text (contract 2.2), on %s", (engine) => {
  const stage = useStage(engine);

  it.each(["100001", "SH-2027/11 a", "50%?#&å"])("%s, in all four flows", async (id) => {
    const { accept, withdraw, open, quiet, events, job, ...organisation } = await stage().onboard({
      dialect: { variant: "b" },
    });
    const { provider, providerId } = organisation;
    const stored = () => provider.shift(id);
    const opened = await open({ id, positions: 2 });
    expect([opened.shiftId, opened.status]).toEqual([id, "open"]);
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    expect(await accept(opened, person)).toEqual({ status: 201, said: "confirmed" });
    expect(await accept(opened, other)).toEqual({ status: 201, said: "confirmed" });
    expect(await job(id)).toMatchObject({ status: "filled" });
    expect(await withdraw(opened, other)).toEqual({ status: 204 });
    expect(stored()?.assigned.size).toBe(1);

    const endTime = new Date(Date.parse(stored()?.endTime ?? "") + HOUR_MS).toISOString();
    provider.updateShift(id, { endTime });
    await quiet();
    expect(await job(id)).toMatchObject({ jobId: opened.jobId, endTime });

    const path = { jobId: opened.jobId };
    ok(await stage().operations.changeJob({ params: { path }, body: { positions: 4 } }));
    expect(stored()?.positions).toBe(4);
    const query = { providerId, shiftId: id };
    expect(ok(await stage().operations.listJobs({ params: { query } })).items).toHaveLength(1);

    provider.deleteShift(id);
    await quiet();
    expect(await job(id)).toMatchObject({ status: "cancelled" });
    const all = await events(id);
    expect(all.map(({ shiftId }) => shiftId)).toEqual(all.map(() => id));
    expect(all.at(-1)).toMatchObject({ event: "shift.delete", status: "processed" });
  });

  it("and the platform cancels such a shift at the provider", async () => {
    const id = "SH-2027/11 a";
    const { cancel, open, quiet, events, job, provider } = await stage().onboard();
    expect(await cancel(await open({ id }))).toEqual({ status: 202 });
    await quiet();
    expect(provider.shift(id)?.cancelled).toBe(true);
    expect(await job(id)).toMatchObject({ status: "cancelled" });
    expect((await events(id)).at(-1)).toMatchObject({ event: "shift.delete", status: "skipped_echo" });
  });
});
