import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { Job, JobChange } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import type { FaultName } from "../../../src/sandbox/faults/switchboard.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import {
  type OrganisationOptions,
  type StartedOrganisation,
  startOrganisation,
} from "../../harness/started-organisation.ts";

const later = (time: string, ms = HOUR_MS) => new Date(Date.parse(time) + ms).toISOString();

describe.each(featureEngines)("a change of a job on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  /** How far the platform's clock is ahead. Milliseconds. */
  let aheadMs = 0;
  const open = async (options: OrganisationOptions = {}) => {
    aheadMs = 0;
    organisation = await startOrganisation(database(), {
      now: () => new Date(Date.now() + aheadMs),
      ...options,
    });
  };
  afterEach(() => organisation.close());

  const patch = async ({ jobId }: Pick<Job, "jobId">, body: JobChange) => {
    const { data, error, response } = await organisation.operations.changeJob({
      params: { path: { jobId } },
      body,
    });
    return { status: response.status, job: data, code: error?.code, detail: error?.detail };
  };
  const changes = () =>
    database().kysely.selectFrom("shiftChanges").selectAll().orderBy("changeId").execute();

  it.each([200, 204] as const)(
    "is sent to the provider (%d) and keeps fields that it does not name",
    async (updateAnswer) => {
      await open({ dialect: { updateAnswer } });
      const job = await organisation.open({ positions: 2 });
      const startTime = later(job.startTime);
      const { status, job: changed } = await patch(job, { startTime });
      expect(status).toBe(200);
      expect(changed).toMatchObject({ ...job, startTime });
      expect(organisation.provider.shift(job.shiftId)).toMatchObject({
        startTime,
        endTime: job.endTime,
        positions: 2,
      });
      expect(await changes()).toMatchObject([{ status: "confirmed", startTime: new Date(startTime) }]);
    },
  );

  it("is sent again while the provider acknowledges it but does not show it", async () => {
    await open({ dialect: { updateAnswer: 204 } });
    const job = await organisation.open();
    organisation.provider.setFault("update-not-stored", { times: 2 });
    expect(await patch(job, { positions: 3 })).toMatchObject({ status: 200, job: { positions: 3 } });
    expect(organisation.provider.shift(job.shiftId)).toMatchObject({ positions: 3 });
  });

  it("has a trace of its own, which the job's trace links", async () => {
    await open();
    const job = await organisation.open();
    await patch(job, { positions: 4 });
    const [change] = await changes();
    expect(await organisation.verdicts(job.traceId ?? "")).toContain("change: change_requested");
    expect(await organisation.verdicts(change?.traceId ?? "")).toEqual([
      "change: change_requested",
      "change: change_confirmed",
      "job: job_updated",
    ]);
  });

  it("does not include an earlier change that was refused", async () => {
    await open({ retries: { tries: 1_000 } });
    const job = await organisation.open({ positions: 1 });
    const endTime = later(job.endTime);
    organisation.provider.setFault("error-500", { operations: ["updateShift"] });
    const first = patch(job, { positions: 5 });
    await expect.poll(async () => (await changes()).length).toBe(1);
    const second = patch(job, { endTime });
    await expect.poll(async () => (await changes()).length).toBe(2);
    organisation.provider.setFault("update-refused", { times: 1 });
    organisation.provider.setFault("error-500", { times: 0 });
    expect(await first).toMatchObject({ status: 409 });
    expect(await second).toMatchObject({ status: 200, job: { positions: 1, endTime } });
  });

  it("builds on the last pending one: its times are compared with those that the job will have", async () => {
    await open({ timing: { answerWithinMs: 0 }, retries: { tries: 1_000 } });
    const job = await organisation.open();
    const [startTime, endTime] = [later(job.endTime), later(job.endTime, 3 * HOUR_MS)];
    organisation.provider.setFault("error-500", { operations: ["updateShift"] });
    expect(await patch(job, { endTime })).toMatchObject({ status: 202, job: { endTime: job.endTime } });
    expect(await patch(job, { startTime })).toMatchObject({ status: 202 });
    expect(await patch(job, { endTime: startTime })).toMatchObject({ code: "validation_failed" });
    organisation.provider.clearFaults();
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({ startTime, endTime });
  });

  it("reports the provider's refusal, and changes nothing", async () => {
    await open();
    const job = await organisation.open();
    organisation.provider.setFault("update-refused");
    const refused = await patch(job, { positions: 3 });
    expect(refused).toMatchObject({ status: 409, code: "provider_refused" });
    expect(refused.detail).toContain("status 409, shift_started");
    expect(await organisation.job(job.shiftId)).toEqual(job);
    expect(await changes()).toMatchObject([
      { status: "refused", reason: "provider_refused", reasonParams: { status: 409 } },
    ]);
    expect(await organisation.issueCodes()).toEqual([]);
  });

  it.each<FaultName>(["error-500", "update-not-stored"])(
    "asks an operator after the last try at %s, and goes on each hour until it is carried out",
    async (fault) => {
      await open({
        dialect: { updateAnswer: 204 },
        retries: { tries: 3 },
        timing: { answerWithinMs: 0, hourlyMs: 500 },
      });
      const job = await organisation.open();
      organisation.provider.setFault(fault, { operations: ["updateShift"] });
      expect(await patch(job, { positions: 3 })).toMatchObject({ status: 202, job: { positions: 1 } });
      await expect.poll(organisation.issueCodes).toEqual(["provider_gave_no_answer"]);
      expect(await changes()).toMatchObject([{ status: "pending" }]);
      organisation.provider.clearFaults();
      await expect.poll(changes).toMatchObject([{ status: "confirmed" }]);
      expect(await organisation.job(job.shiftId)).toMatchObject({ positions: 3 });
      expect(await organisation.issueCodes()).toEqual([]);
    },
  );

  it.each<[string, (job: Job) => JobChange, string]>([
    ["an end before the start", (job) => ({ endTime: later(job.startTime, -HOUR_MS) }), "/endTime"],
    ["an end at the start", (job) => ({ endTime: job.startTime }), "/endTime"],
    ["a start after the end", (job) => ({ startTime: later(job.endTime) }), "/startTime"],
    ["a start in the past", () => ({ startTime: later(new Date().toISOString(), -HOUR_MS) }), "/startTime"],
    ["101 positions", () => ({ positions: 101 }), "/positions"],
    ["nothing", () => ({}), ""],
  ])("refuses %s", async (_, change, pointer) => {
    await open();
    const job = await organisation.open();
    const { error } = await organisation.operations.changeJob({
      params: { path: { jobId: job.jobId } },
      body: change(job),
    });
    expect(error).toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
    expect(await changes()).toEqual([]);
  });

  it("is refused for a job that has started, is cancelled, is being cancelled, or does not exist", async () => {
    await open();
    const [started, cancelled, cancelling] = [
      await organisation.open(),
      await organisation.open(),
      await organisation.open(),
    ];
    organisation.provider.deleteShift(cancelled.shiftId);
    await organisation.process("shift.delete", cancelled.shiftId);
    expect(await patch(cancelled, { positions: 2 })).toMatchObject({ status: 409, code: "job_not_open" });
    const goesOn = Promise.withResolvers<void>();
    organisation.onTheWay = async ({ method }, pass) => {
      if (method === "DELETE") await goesOn.promise;
      await pass();
    };
    await organisation.operations.cancelJob({ params: { path: { jobId: cancelling.jobId } } });
    expect(await patch(cancelling, { positions: 2 })).toMatchObject({ status: 409, code: "job_not_open" });
    aheadMs = Date.parse(started.startTime) - Date.now();
    expect(await patch(started, { positions: 2 })).toMatchObject({ status: 409, code: "job_not_open" });
    expect(await patch({ jobId: randomUUID() }, { positions: 2 })).toMatchObject({ code: "job_not_found" });
    expect(await changes()).toEqual([]);
    goesOn.resolve();
  });
});
