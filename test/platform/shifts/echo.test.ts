import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, shiftHours } from "../../../src/contract/timestamp.ts";
import { featureEngines } from "../../harness/engines.ts";
import type { Onboarding, Organisation } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

/** The clock is put forward by days. */
const NEXT_MONTH = {
  startTime: new Date(Date.now() + 30 * DAY_MS).toISOString(),
  endTime: new Date(Date.now() + 30 * DAY_MS + HOUR_MS).toISOString(),
};
const DELETE = { operations: ["cancelShift"] } as const;

/** Without a deletion that is announced, a shift has to be missing for an hour. */
const PATIENT = { timing: { ladderMs: [HOUR_MS] }, retries: { tries: 10_000 } };

const reads = ({ callCount }: Organisation, shiftId: string) => callCount("GET", `/shifts/${shiftId}`);
const deletions = async ({ events }: Organisation, shiftId: string) =>
  (await events({ shiftId })).filter(({ event }) => event === "shift.delete").map(({ status }) => status);

describe.each(featureEngines)("the echo of a cancellation on %s", (engine) => {
  const clock = { ms: Date.now() };
  const harness = useHarness(engine, { now: () => new Date(clock.ms), ...PATIENT });

  const opened = async (onboarding: Onboarding = {}) => {
    const organisation = await harness().onboard(onboarding);
    if (onboarding.connect !== false) return { organisation, job: await organisation.open(NEXT_MONTH) };
    const { shiftId } = organisation.provider.createShift(NEXT_MONTH);
    await organisation.send("shift.create", shiftId);
    await organisation.idle();
    return { organisation, job: await organisation.job(shiftId) };
  };

  it.each(["new", "same"] as const)(
    "with a traceId that is %s is skipped, with its verdict",
    async (echoTraceId) => {
      const { organisation, job } = await opened({ dialect: { echoTraceId } });
      await organisation.cancel(job);
      await organisation.idle();
      const echo = (await organisation.events({ shiftId: job.shiftId })).at(-1);
      expect(echo).toMatchObject({ event: "shift.delete", status: "skipped_echo" });
      expect(echo?.traceId === job.traceId).toBe(echoTraceId === "same");
      const verdicts = await organisation.verdicts(echo?.traceId ?? "");
      // The echo may arrive before the response to the DELETE. It is then not the last step of the trace.
      expect(verdicts).toContain("event: echo_of_delete");
      expect(reads(organisation, job.shiftId)).toBe(1);
    },
  );

  it("confirms a DELETE whose response was lost, without another attempt", async () => {
    const { organisation, job } = await opened();
    organisation.provider.setFault("answer-lost", { ...DELETE, times: 1 });
    await organisation.cancel(job);
    await expect.poll(async () => (await organisation.job(job.shiftId)).status).toBe("cancelled");
    expect(await deletions(organisation, job.shiftId)).toEqual(["skipped_echo"]);
  });

  it("is skipped once: the next shift.delete is followed by a reading", async () => {
    const { organisation, job } = await opened();
    await organisation.cancel(job);
    await organisation.idle();
    await organisation.send("shift.delete", job.shiftId);
    await organisation.idle();
    expect(await deletions(organisation, job.shiftId)).toEqual(["skipped_echo", "processed"]);
    expect(reads(organisation, job.shiftId)).toBe(2);
  });

  it.each([
    [23, "skipped_echo"],
    [25, "processed"],
  ])("that comes %i hours later is %s", async (hours, status) => {
    const { organisation, job } = await opened();
    organisation.provider.setFault("no-echo");
    await organisation.cancel(job);
    await organisation.idle();
    clock.ms += hours * HOUR_MS;
    await organisation.send("shift.delete", job.shiftId);
    await organisation.idle();
    expect(await deletions(organisation, job.shiftId)).toEqual([status]);
  });

  it("is not expected of a DELETE that was refused", async () => {
    const { organisation, job } = await opened();
    organisation.provider.setFault("cancel-refused");
    await organisation.cancel(job);
    await organisation.idle();
    organisation.provider.deleteShift(job.shiftId);
    await organisation.idle();
    expect(await deletions(organisation, job.shiftId)).toEqual(["processed"]);
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "cancelled" });
    expect(await organisation.issues()).toEqual([]);
  });

  it("is not a shift.delete that arrived before the DELETE was refused: that is read as a deletion", async () => {
    const [asked, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { organisation, job } = await opened({
      connect: false,
      onTheWay: async ({ method }, pass) => {
        if (method !== "DELETE") return pass();
        asked.resolve();
        await sent.promise;
        await pass();
      },
    });
    organisation.provider.setFault("cancel-refused", DELETE);
    await organisation.cancel(job);
    await asked.promise;
    const traceId = await organisation.send("shift.delete", job.shiftId);
    sent.resolve();
    await organisation.idle();
    expect(await organisation.verdicts(traceId)).toContain("event: echo_of_delete");
    expect(await organisation.event(traceId)).toMatchObject({
      status: "queued",
      verdict: { code: "will_recheck", params: { recheck: "still_visible" } },
    });
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "open", cancelling: false });
    expect(await organisation.issueCodes()).toEqual(["cancellation_refused"]);
  });

  it.each([0, 1])(
    "of a shift that the provider deletes while the DELETE of a process %i h ahead has no response",
    async (h) => {
      const { organisation, job } = await opened();
      organisation.provider.setFault("error-500", DELETE);
      clock.ms += h * HOUR_MS;
      await organisation.cancel(job);
      clock.ms -= h * HOUR_MS;
      const { traceId } = organisation.provider.deleteShift(job.shiftId);
      await organisation.idle();
      expect(await organisation.event(traceId)).toMatchObject({ status: "skipped_echo" });
      expect(await organisation.job(job.shiftId)).toMatchObject({
        status: "cancelled",
        cancelling: false,
        cancelledBy: "employer",
      });
      expect(await organisation.issues()).toEqual([]);
    },
  );

  it("is not the shift.delete of another organisation's shift with the same id", async () => {
    const { organisation: other, job } = await opened();
    const { organisation } = await opened();
    organisation.provider.createShift({ id: job.shiftId });
    await organisation.idle();
    other.provider.setFault("no-echo");
    await other.cancel(job);
    await other.idle();
    organisation.provider.deleteShift(job.shiftId);
    await organisation.idle();
    expect(await deletions(organisation, job.shiftId)).toEqual(["processed"]);
  });
});

/** Long before every shift of these tests. */
const NOW = new Date("2026-01-05T09:00:00Z");

describe.each(featureEngines)("an unusual shift on %s", (engine) => {
  const harness = useHarness(engine, { now: () => NOW });

  it("without offsets is read in the integration's zone", async () => {
    const organisation = await harness().onboard({ timeZone: "Europe/Stockholm" });
    // The clock goes forward in this night.
    const times = { startTime: "2026-03-28T22:00:00", endTime: "2026-03-29T06:00:00" };
    const job = await organisation.open(times);
    expect(shiftHours(job.startTime, job.endTime)).toBe(7);
    expect(job).toMatchObject({ status: "open", warnings: ["time_without_offset"] });
  });

  it("that has started is an expired job without offers, and opens when it is moved", async () => {
    const organisation = await harness().onboard();
    await organisation.addPerson();
    const job = await organisation.open({
      startTime: "2026-01-05T08:59:00Z",
      endTime: "2026-01-05T17:00:00Z",
    });
    expect(job.status).toBe("expired");
    expect(await organisation.notifications(job)).toEqual([]);
    organisation.provider.updateShift(job.shiftId, { startTime: "2026-01-05T09:01:00Z" });
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "open" });
    expect(await organisation.notifications(job, "job_offered")).toHaveLength(1);
  });

  it("with no positions is filled and not offered", async () => {
    const organisation = await harness().onboard();
    await organisation.addPerson();
    const job = await organisation.open({ positions: 0 });
    expect(job).toMatchObject({ status: "filled", positions: 0, overfilled: false });
    expect(await organisation.notifications(job)).toEqual([]);
  });
});
