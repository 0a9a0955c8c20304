import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { accept } from "../../../src/platform/bookings/accept.ts";
import type { Channel } from "../../../src/platform/deps.ts";
import { tellOfUndelivered } from "../../../src/platform/notifications/deliver.ts";
import { featureEngines, silent, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop, type WorkshopOptions } from "../workshop.ts";

const NTH = 100;
const OFFER = "A shift is open for you";

describe.each(featureEngines)("what waited for a mail server that was down, on %s", (engine) => {
  const database = useEngine(engine);
  const mails: { address: string; subject: string }[] = [];
  let shop: Workshop;
  let now = new Date();
  let isUp = false;
  let tries = 0;
  const channel: Channel = {
    name: "email",
    deliver: async ({ address, subject }) => {
      tries += 1;
      if (!isUp) return { kind: "unavailable", reason: "it is down" };
      mails.push({ address, subject });
      return { kind: "delivered" };
    },
    close: () => undefined,
  };
  const open = async (options: WorkshopOptions = { channel }) => {
    shop = await openWorkshop(database(), { now: () => now, retries: { tries: 100_000 }, ...options });
  };
  beforeEach(async () => {
    mails.splice(0);
    now = new Date();
    [isUp, tries] = [false, 0];
    await open();
  });
  afterEach(() => shop.close());

  const reopen = async (options?: WorkshopOptions) => {
    await shop.close();
    await open(options);
  };
  const up = async () => {
    isUp = true;
    await shop.deps.queue.idle();
  };
  /** The queue is idle once the mail server is up: until then, this goes on behind what the test does. */
  const goingOn = (work: Promise<unknown>) => void work.catch(() => undefined);
  const offered = async (): Promise<Job> => {
    const { shiftId } = shop.provider.createShift({ positions: 1 });
    goingOn(shop.send("shift.create", shiftId));
    await expect.poll(() => tries).toBeGreaterThan(0);
    const query = { shiftId };
    const [job] = (await shop.operations.listJobs({ params: { query } })).data?.items ?? [];
    if (!job) throw new Error("it is offered, so there is a job");
    return job;
  };
  const becomes = (jobId: string, status: Job["status"]) =>
    expect.poll(async () => (await shop.job(jobId)).status).toBe(status);
  const told = async (candidateId: string, kind: string) => {
    const query = { candidateId };
    const { data } = await shop.operations.listNotifications({ params: { query } });
    return data?.items.filter((each) => each.kind === kind);
  };
  const book = async ({ jobId }: Job, candidateId: string) => {
    await accept(shop.deps, { jobId, candidateId });
    await becomes(jobId, "filled");
  };

  /** Before the mail server is up: a try that had begun earlier would reach it. */
  const offerIs = (candidateId: string, deliveryError: string) =>
    expect.poll(() => told(candidateId, "job_offered")).toMatchObject([{ channel: "email", deliveryError }]);

  it("is sent, when the offer stands", async () => {
    const candidateId = await shop.addPerson(NTH);
    await offered();
    await offerIs(candidateId, "will be tried again: it is down");
    await up();
    expect(mails.map(({ subject }) => subject)).toEqual([OFFER]);
  });

  it("is no offer of a job that somebody else has, and is one again when the seat is free", async () => {
    const [first, second] = [
      await shop.addPerson(NTH, { email: "first@example.com" }),
      await shop.addPerson(NTH + 1, { email: "second@example.com" }),
    ];
    const job = await offered();
    await book(job, second);
    await offerIs(first, "the job is filled");
    await up();
    expect(mails).toEqual([{ address: "second@example.com", subject: "Your shift is confirmed" }]);
    const [withheld] = (await told(first, "job_offered")) ?? [];
    expect(withheld).toMatchObject({ deliveryError: "the job is filled" });
    expect(withheld).not.toHaveProperty("deliveredAt");
    await shop.operations.withdrawBooking({
      params: { path: { jobId: job.jobId, candidateId: second } },
    });
    await shop.deps.queue.idle();
    expect(mails.filter(({ subject }) => subject === OFFER).map(({ address }) => address)).toContain(
      "first@example.com",
    );
    const [sent] = (await told(first, "job_offered")) ?? [];
    expect(sent).toMatchObject({ notificationId: withheld?.notificationId, deliveredAt: expect.any(String) });
    expect(sent).not.toHaveProperty("deliveryError");
  });

  it("is no offer of a job that is cancelled", async () => {
    const candidateId = await shop.addPerson(NTH);
    const { jobId, shiftId } = await offered();
    shop.provider.deleteShift(shiftId);
    goingOn(shop.send("shift.delete", shiftId));
    await becomes(jobId, "cancelled");
    await offerIs(candidateId, "the job is cancelled");
    await up();
    expect(mails).toEqual([]);
  });

  it("is no offer of a shift that has started", async () => {
    const candidateId = await shop.addPerson(NTH);
    const { startTime } = await offered();
    now = new Date(startTime);
    await offerIs(candidateId, "the shift has started");
    await up();
    expect(mails).toEqual([]);
  });

  it("is no offer to somebody who is booked on it already", async () => {
    const candidateId = await shop.addPerson(NTH);
    const { shiftId } = shop.provider.createShift({ positions: 2 });
    goingOn(shop.send("shift.create", shiftId));
    await expect.poll(() => tries).toBeGreaterThan(0);
    const [job] = (await shop.operations.listJobs({ params: { query: { shiftId } } })).data?.items ?? [];
    await accept(shop.deps, { jobId: job?.jobId ?? "", candidateId });
    await expect.poll(async () => (await told(candidateId, "booking_confirmed"))?.length).toBe(1);
    await offerIs(candidateId, "the candidate is booked on it");
    await up();
    expect(mails.map(({ subject }) => subject)).toEqual(["Your shift is confirmed"]);
  });

  it("waits while a platform without a channel is at work, which says so", async () => {
    await shop.addPerson(NTH);
    await offered();
    await reopen({});
    await shop.deps.queue.idle();
    const lines: unknown[] = [];
    const log = { ...silent, warn: (...line: unknown[]) => void lines.push(line) };
    await tellOfUndelivered({ database: database(), log });
    expect(lines).toEqual([[{ waiting: 1 }, expect.stringContaining("SMTP_URL")]]);
    await reopen();
    await up();
    expect(mails.map(({ subject }) => subject)).toEqual([OFFER]);
    await tellOfUndelivered({ database: database(), log });
    expect(lines).toHaveLength(1);
  });
});
