import { describe, expect, it } from "vitest";
import { engines } from "../../engines.ts";
import { agree } from "./agree.ts";
import { useIndependent } from "./organisation.ts";

const HOUR_MS = 3_600_000;

describe.each(engines)("a read replica that lags behind a confirmed change, on %s", (engine) => {
  /** As in production, a reading counts against the change only after minutes. */
  const onboard = useIndependent(engine, { timing: { recheckMs: [50, 100, 200, 120_000] } });

  it("takes nothing back, at the platform or at the provider", async () => {
    const { provider, ...platform } = await onboard({ echo: true });
    await platform.addPerson();
    const job = await platform.open();
    const { shiftId } = job;
    const offers = (await platform.notifications(job)).length;
    const [startTime, endTime] = [job.startTime, job.endTime].map((time) =>
      new Date(Date.parse(time) + HOUR_MS).toISOString(),
    ) as [string, string];
    const lag = provider.fault({ kind: "frozen" }, { on: "getShift" });
    await platform.change(job, { startTime, endTime });
    await expect.poll(() => lag.hits).toBeGreaterThan(2);
    const statuses = async () => (await platform.events()).map(({ status }) => status);
    await expect.poll(statuses).not.toContain("queued");
    expect(await platform.job(shiftId)).toMatchObject({ startTime, endTime });
    await platform.change(job, { positions: 3 });
    await expect.poll(() => provider.shift(shiftId)).toMatchObject({ startTime, endTime, positions: 3 });
    lag.stop();
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    // One more offer, with the new times.
    expect(await platform.notifications(job)).toHaveLength(offers + 1);
  });

  it("answers a change with the shift as it was: the job follows without a webhook", async () => {
    const { provider, ...platform } = await onboard({ echo: false });
    const job = await platform.open();
    const endTime = new Date(Date.parse(job.endTime) + HOUR_MS).toISOString();
    const lag = provider.fault({ kind: "frozen" }, { on: "updateShift" });
    await platform.change(job, { endTime });
    expect(lag.hits).toBe(1);
    await expect.poll(() => platform.job(job.shiftId)).toMatchObject({ endTime });
    expect(await agree(platform, provider)).toEqual([]);
  });
});
