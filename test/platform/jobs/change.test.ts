import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job, JobChange } from "../../../generated/operations/types.ts";
import { accept } from "../../../src/platform/bookings/accept.ts";
import { createDispatcher } from "../../../src/platform/inbox/dispatch.ts";
import { createInbox } from "../../../src/platform/inbox/receive.ts";
import type { FaultName } from "../../../src/sandbox/faults/switchboard.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop, type WorkshopOptions } from "../workshop.ts";

const HOUR = 3_600_000;
const later = (time: string, ms = HOUR) => new Date(Date.parse(time) + ms).toISOString();

describe.each(featureEngines)("changing a job on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  let now = new Date();
  const open = async (options: WorkshopOptions = {}) => {
    now = new Date();
    shop = await openWorkshop(database(), { now: () => now, ...options });
  };
  beforeEach(() => open());
  afterEach(() => shop.close());

  const patch = async ({ jobId }: Pick<Job, "jobId">, body: JobChange) => {
    const { data, error, response } = await shop.operations.changeJob({ params: { path: { jobId } }, body });
    return { status: response.status, job: data, code: error?.code, detail: error?.detail };
  };
  const reopen = async (options: WorkshopOptions) => {
    await shop.close();
    await open(options);
  };
  const issues = async () => (await shop.operations.listIssues()).data?.items.map(({ code }) => code);
  const told = async ({ jobId }: Job, kind: string) => {
    const query = { jobId };
    const { data } = await shop.operations.listNotifications({ params: { query } });
    return data?.items.filter((each) => each.kind === kind) ?? [];
  };
  const booked = async (nth: number, job: Job) => {
    const candidateId = await shop.addPerson(nth);
    await accept(shop.deps, { jobId: job.jobId, candidateId });
    await shop.deps.queue.idle();
  };
  const events = ({ shiftId }: Job) =>
    database()
      .kysely.selectFrom("events")
      .selectAll()
      .where("shift_id", "=", shiftId)
      .orderBy("event_id")
      .execute();
  const changes = () =>
    database().kysely.selectFrom("shift_changes").selectAll().orderBy("change_id").execute();

  it.each([200, 204] as const)(
    "asks the provider (%d), and keeps what is not named",
    async (updateAnswer) => {
      await reopen({ dialect: { updateAnswer } });
      const job = await shop.open({ positions: 2 });
      const startTime = later(job.startTime);
      const { status, job: changed } = await patch(job, { startTime });
      expect(status).toBe(200);
      expect(changed).toMatchObject({ ...job, startTime });
      expect(shop.provider.shift(job.shiftId)).toMatchObject({
        startTime,
        endTime: job.endTime,
        positions: 2,
      });
      expect(await changes()).toMatchObject([{ status: "confirmed", start_time: new Date(startTime) }]);
    },
  );

  it("tells those booked once of other times, and of nothing else", async () => {
    const job = await shop.open({ positions: 2 });
    await booked(50, job);
    await patch(job, { positions: 3 });
    expect(await told(job, "shift_changed")).toEqual([]);
    const first = await patch(job, { endTime: later(job.endTime) });
    expect(first.status).toBe(200);
    expect(await told(job, "shift_changed")).toHaveLength(1);
    await patch(job, { endTime: job.endTime });
    expect(await told(job, "shift_changed")).toHaveLength(2);
  });

  it("takes the echo for no change, under the change's own traceId and another", async () => {
    const job = await shop.open();
    await booked(51, job);
    const { job: changed } = await patch(job, { endTime: later(job.endTime) });
    const [change] = await changes();
    await shop.send("shift.update", job.shiftId, change?.trace_id);
    await shop.send("shift.update", job.shiftId);
    expect(await shop.job(job.jobId)).toEqual(changed);
    expect(await told(job, "shift_changed")).toHaveLength(1);
  });

  type Client = ReturnType<Workshop["deps"]["clientFor"]>;
  /** What happens to the answers of the provider on their way. */
  const onTheWay = (change: (client: Client) => Partial<Client>) => {
    const { clientFor } = shop.deps;
    shop.deps.clientFor = (integration) => {
      const client = clientFor(integration);
      return { ...client, ...change(client) };
    };
  };
  /** As `send`, without waiting for what comes of it. */
  const arrive = async (shiftId: string) => {
    const { database: db, queue, log } = shop.deps;
    const { providerId } = shop.provider;
    const inbox = createInbox({ db, onStored: () => undefined });
    await inbox.receive({ providerId, event: "shift.update", shiftId, traceId: randomUUID() });
    await createDispatcher({ db, queue, log }).run();
  };

  it("is not undone by a reading that began before it, whatever the clocks say", async () => {
    const job = await shop.open();
    await booked(54, job);
    const endTime = later(job.endTime);
    let overtaking: Promise<unknown> | undefined;
    onTheWay((client) => ({
      getShift: async (...call) => {
        const read = await client.getShift(...call);
        overtaking ??= patch(job, { endTime });
        await overtaking;
        return read;
      },
    }));
    await shop.send("shift.update", job.shiftId);
    expect(await overtaking).toMatchObject({ status: 200 });
    expect(await shop.job(job.jobId)).toMatchObject({ endTime });
    expect(await told(job, "shift_changed")).toHaveLength(1);
    expect(await events(job)).toMatchObject([{ status: "processed" }, { status: "processed" }]);
  });

  it("is confirmed as asked for, although a reading that began before it ends first", async () => {
    const job = await shop.open();
    await booked(55, job);
    const endTime = later(job.endTime);
    const [reading, putting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    onTheWay((client) => ({
      getShift: async (...call) => {
        const read = await client.getShift(...call);
        reading.resolve();
        await putting.promise;
        return read;
      },
      updateShift: async (...call) => {
        const answer = await client.updateShift(...call);
        putting.resolve();
        await expect.poll(() => events(job)).toMatchObject([{}, { status: "processed" }]);
        return answer;
      },
    }));
    await arrive(job.shiftId);
    await reading.promise;
    expect(await patch(job, { endTime })).toMatchObject({ status: 200, job: { endTime } });
    await shop.deps.queue.idle();
    expect(await shop.job(job.jobId)).toMatchObject({ endTime });
    expect(await told(job, "shift_changed")).toHaveLength(1);
  });

  it("does not undo what the provider changed after it, however late its answer comes", async () => {
    const job = await shop.open();
    await booked(56, job);
    const [asked, newer] = [later(job.endTime), later(job.endTime, 2 * HOUR)];
    onTheWay((client) => ({
      updateShift: async (...call) => {
        const answer = await client.updateShift(...call);
        shop.provider.updateShift(job.shiftId, { endTime: newer });
        await arrive(job.shiftId);
        await expect.poll(() => events(job)).toMatchObject([{}, { status: "processed" }]);
        return answer;
      },
    }));
    expect(await patch(job, { endTime: asked })).toMatchObject({ status: 200, job: { endTime: newer } });
    await shop.deps.queue.idle();
    expect(shop.provider.shift(job.shiftId)).toMatchObject({ endTime: newer });
    expect(await shop.job(job.jobId)).toMatchObject({ endTime: newer });
    expect(await told(job, "shift_changed")).toMatchObject([{ content: { endTime: newer } }]);
    expect(await changes()).toMatchObject([{ status: "confirmed", end_time: new Date(newer) }]);
  });

  it("is not undone by the next one when the shift was read meanwhile", async () => {
    const job = await shop.open({ positions: 1 });
    const endTime = later(job.endTime);
    let next: ReturnType<typeof patch> | undefined;
    onTheWay((client) => ({
      updateShift: async (...call) => {
        const answer = await client.updateShift(...call);
        if (next) return answer;
        next = patch(job, { endTime });
        await expect.poll(changes).toHaveLength(2);
        shop.provider.updateShift(job.shiftId, { startTime: later(job.startTime) });
        await arrive(job.shiftId);
        await expect.poll(() => events(job)).toMatchObject([{}, { status: "processed" }]);
        // As if the reading had been from before the change.
        await database().kysely.updateTable("jobs").set({ positions: 1 }).execute();
        return answer;
      },
    }));
    expect(await patch(job, { positions: 5 })).toMatchObject({ status: 200, job: { positions: 5 } });
    expect(await next).toMatchObject({ status: 200 });
    const all = { positions: 5, endTime, startTime: later(job.startTime) };
    expect(shop.provider.shift(job.shiftId)).toMatchObject(all);
    expect(await shop.job(job.jobId)).toMatchObject(all);
  });

  it("asks again while the provider acknowledges the change and does not show it", async () => {
    await reopen({ dialect: { updateAnswer: 204 } });
    const job = await shop.open();
    shop.provider.setFault("update-not-stored", { times: 2 });
    expect(await patch(job, { positions: 3 })).toMatchObject({ status: 200, job: { positions: 3 } });
    expect(shop.provider.shift(job.shiftId)).toMatchObject({ positions: 3 });
  });

  it("is refused in the end when the provider never shows it", async () => {
    await reopen({ dialect: { updateAnswer: 204 }, retries: { tries: 3 } });
    const job = await shop.open();
    shop.provider.setFault("update-not-stored");
    const refused = await patch(job, { positions: 3 });
    expect(refused).toMatchObject({ status: 409, code: "provider_refused" });
    expect(refused.detail).toMatch(/the provider does not show the change/);
    expect(await shop.job(job.jobId)).toEqual(job);
    expect(await issues()).toEqual(["change_refused"]);
  });

  it("is confirmed by a provider that does not say how many positions a shift has", async () => {
    await reopen({ dialect: { updateAnswer: 204 } });
    const job = await shop.open();
    shop.provider.setFault("positions-missing");
    const endTime = later(job.endTime);
    expect(await patch(job, { endTime, positions: 3 })).toMatchObject({ status: 200, job: { endTime } });
  });

  it("is one story of its own, which the job's story names", async () => {
    const job = await shop.open();
    await patch(job, { positions: 4 });
    const [change] = await changes();
    const verdicts = async (traceId = "") => {
      const { data } = await shop.operations.getTrace({ params: { path: { traceId } } });
      return data?.steps.map(({ step, verdict }) => `${step}: ${verdict}`) ?? [];
    };
    expect(await verdicts(job.traceId)).toContain("change: change requested");
    expect(await verdicts(change?.trace_id)).toEqual([
      "change: change requested",
      "change: provider confirmed the change",
      "job: job updated: open",
    ]);
  });

  it("carries out two changes at once, and neither undoes the other", async () => {
    const job = await shop.open({ positions: 1 });
    const endTime = later(job.endTime);
    const answers = await Promise.all([patch(job, { positions: 5 }), patch(job, { endTime })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await shop.job(job.jobId)).toMatchObject({ positions: 5, endTime, startTime: job.startTime });
    expect(shop.provider.shift(job.shiftId)).toMatchObject({ positions: 5, endTime });
  });

  it("does not bring a refused change along with the next one", async () => {
    await reopen({ retries: { tries: 1_000 } });
    const job = await shop.open({ positions: 1 });
    const endTime = later(job.endTime);
    shop.provider.setFault("error-500", { operations: ["updateShift"] });
    const first = patch(job, { positions: 5 });
    await expect.poll(async () => (await changes()).length).toBe(1);
    const second = patch(job, { endTime });
    await expect.poll(async () => (await changes()).length).toBe(2);
    shop.provider.setFault("update-refused", { times: 1 });
    shop.provider.setFault("error-500", { times: 0 });
    expect(await first).toMatchObject({ status: 409 });
    expect(await second).toMatchObject({ status: 200, job: { positions: 1, endTime } });
  });

  it("leaves bookings above the new number of positions to a person", async () => {
    const job = await shop.open({ positions: 2 });
    await booked(52, job);
    await booked(53, job);
    const { job: changed } = await patch(job, { positions: 1 });
    expect(changed).toMatchObject({ positions: 1, overfilled: true, status: "filled" });
    expect(changed?.bookings.map(({ status }) => status)).toEqual(["confirmed", "confirmed"]);
    expect(await issues()).toEqual(["shift_overfilled"]);
    await patch(job, { positions: 2 });
    expect(await issues()).toEqual([]);
  });

  it("says what the provider refused with, and changes nothing", async () => {
    const job = await shop.open();
    shop.provider.setFault("update-refused");
    const refused = await patch(job, { positions: 3 });
    expect(refused).toMatchObject({ status: 409, code: "provider_refused" });
    expect(refused.detail).toMatch(/status 409 \(\w+\)/);
    expect(await shop.job(job.jobId)).toEqual(job);
    expect(await changes()).toMatchObject([
      { status: "refused", reason: expect.stringMatching(/^status 409/) },
    ]);
    expect(await issues()).toEqual([]);
  });

  it.each<FaultName>(["unavailable", "reset", "garbage"])("tries again after %s", async (fault) => {
    const job = await shop.open();
    shop.provider.setFault(fault, { times: 2, operations: ["updateShift"], retryAfter: "0" });
    expect(await patch(job, { positions: 3 })).toMatchObject({ status: 200, job: { positions: 3 } });
  });

  it("answers 202 when the provider takes long, and tells of a late refusal by an issue", async () => {
    await reopen({ timing: { answerWithinMs: 0 }, retries: { tries: 1_000 } });
    const job = await shop.open();
    shop.provider.setFault("error-500", { operations: ["updateShift"] });
    expect(await patch(job, { positions: 3 })).toMatchObject({ status: 202, job: { positions: 1 } });
    now = new Date(now.getTime() + 1);
    shop.provider.setFault("update-refused");
    shop.provider.setFault("error-500", { times: 0 });
    await shop.deps.queue.idle();
    expect(await changes()).toMatchObject([{ status: "refused" }]);
    expect(await issues()).toEqual(["change_refused"]);
    expect(await shop.job(job.jobId)).toEqual(job);
  });

  it("gives up after the last try, with an issue that the next success settles", async () => {
    await reopen({ retries: { tries: 3 } });
    const job = await shop.open();
    shop.provider.setFault("error-500", { operations: ["updateShift"] });
    expect(await patch(job, { positions: 3 })).toMatchObject({ status: 409, code: "provider_refused" });
    expect(await issues()).toEqual(["change_refused"]);
    shop.provider.clearFaults();
    expect(await patch(job, { positions: 3 })).toMatchObject({ status: 200, job: { positions: 3 } });
    expect(await issues()).toEqual([]);
  });

  it("keeps the order of changes and the cancellation of one shift", async () => {
    await reopen({ retries: { tries: 1_000 } });
    const job = await shop.open();
    shop.provider.setFault("error-500", { operations: ["updateShift"] });
    const changed = patch(job, { positions: 3 });
    await expect.poll(async () => (await changes()).length).toBe(1);
    const path = { jobId: job.jobId };
    expect((await shop.operations.cancelJob({ params: { path } })).response.status).toBe(202);
    expect(shop.provider.shift(job.shiftId)).toMatchObject({ positions: 1, cancelled: false });
    shop.provider.clearFaults();
    expect((await changed).status).toBe(200);
    await shop.deps.queue.idle();
    expect((await shop.job(job.jobId)).status).toBe("cancelled");
    expect(shop.provider.shift(job.shiftId)).toMatchObject({ positions: 3, cancelled: true });
  });

  it.each<[string, (job: Job) => JobChange, string]>([
    ["an end before the start", (job) => ({ endTime: later(job.startTime, -HOUR) }), "/endTime"],
    ["an end at the start", (job) => ({ endTime: job.startTime }), "/endTime"],
    ["a start after the end", (job) => ({ startTime: later(job.endTime) }), "/startTime"],
    ["a start in the past", () => ({ startTime: later(new Date().toISOString(), -HOUR) }), "/startTime"],
    ["101 positions", () => ({ positions: 101 }), "/positions"],
    ["nothing", () => ({}), ""],
  ])("refuses %s", async (_, change, pointer) => {
    const job = await shop.open();
    const { error } = await shop.operations.changeJob({
      params: { path: { jobId: job.jobId } },
      body: change(job),
    });
    expect(error).toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
    expect(await changes()).toEqual([]);
  });

  it("refuses a job that has started, is cancelled, is being cancelled, or is none", async () => {
    const [started, cancelled, cancelling] = [await shop.open(), await shop.open(), await shop.open()];
    shop.provider.deleteShift(cancelled.shiftId);
    await shop.send("shift.delete", cancelled.shiftId);
    expect(await patch(cancelled, { positions: 2 })).toMatchObject({ status: 409, code: "job_not_open" });
    shop.provider.setFault("slow", { operations: ["cancelShift"], times: 1 });
    await shop.operations.cancelJob({ params: { path: { jobId: cancelling.jobId } } });
    expect(await patch(cancelling, { positions: 2 })).toMatchObject({ status: 409, code: "job_not_open" });
    now = new Date(Date.parse(started.startTime));
    expect(await patch(started, { positions: 2 })).toMatchObject({ status: 409, code: "job_not_open" });
    expect(await patch({ jobId: randomUUID() }, { positions: 2 })).toMatchObject({ code: "job_not_found" });
    expect(await changes()).toEqual([]);
  });
});
