import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job, Notification } from "../../../generated/operations/types.ts";
import type { Channel } from "../../../src/platform/deps.ts";
import { warnOfUndelivered } from "../../../src/platform/notifications/deliver.ts";
import { featureEngines, silent, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

const NTH = 100;
const OFFER = "A shift is open for you";

describe.each(featureEngines)("mail that waited for a failed server, on %s", (engine) => {
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
      if (!isUp) return { kind: "unavailable", code: "mail_server_unreachable" };
      mails.push({ address, subject });
      return { kind: "delivered" };
    },
    close: () => undefined,
  };
  beforeEach(async () => {
    mails.splice(0);
    now = new Date();
    [isUp, tries] = [false, 0];
    shop = await openWorkshop(database(), { channel, now: () => now, retries: { tries: 100_000 } });
  });
  afterEach(() => shop.close());

  const up = async () => {
    isUp = true;
    await shop.idle();
  };
  /** The platform is idle once the mail server is up: until then, nothing here waits for that. */
  const offered = async (positions = 1): Promise<Job> => {
    const { shiftId } = shop.provider.createShift({ positions });
    await shop.store("shift.create", shiftId);
    await expect.poll(() => tries).toBeGreaterThan(0);
    const query = { shiftId };
    const [job] = (await shop.operations.listJobs({ params: { query } })).data?.items ?? [];
    if (!job) throw new Error("it is offered, so there is a job");
    return job;
  };
  const becomes = (jobId: string, status: Job["status"]) =>
    expect.poll(async () => (await shop.job(jobId)).status).toBe(status);
  const offersTo = async (candidateId: string): Promise<Notification[]> => {
    const query = { candidateId };
    const { data } = await shop.operations.listNotifications({ params: { query } });
    return (data?.items ?? []).filter(({ kind }) => kind === "job_offered").toReversed();
  };
  const isWithdrawn = (candidateId: string) =>
    expect.poll(() => offersTo(candidateId)).toMatchObject([{ withdrawnAt: expect.any(String) }]);
  /** Before the mail server is up: an attempt that had begun earlier would reach it. */
  const nothingIsDue = () =>
    expect
      .poll(() => database().kysely.selectFrom("work").select("key").where("kind", "=", "mail").execute())
      .toEqual([]);
  const NEVER_SENT = { withdrawnAt: expect.any(String), deliveryError: "mail_server_unreachable" };

  it("is sent if the offer still holds", async () => {
    const candidateId = await shop.addPerson(NTH);
    await offered();
    await expect
      .poll(() => offersTo(candidateId))
      .toMatchObject([{ channel: "email", deliveryError: "mail_server_unreachable" }]);
    await up();
    expect(mails.map(({ subject }) => subject)).toEqual([OFFER]);
    expect(await offersTo(candidateId)).toMatchObject([{ deliveredAt: expect.any(String) }]);
  });

  it("is not sent for a job that another candidate took, and a new offer follows when the seat is free", async () => {
    const [first, second] = [
      await shop.addPerson(NTH, { email: "first@example.com" }),
      await shop.addPerson(NTH + 1, { email: "second@example.com" }),
    ];
    const job = await offered();
    await shop.accept({ jobId: job.jobId, candidateId: second });
    await becomes(job.jobId, "filled");
    await isWithdrawn(first);
    await up();
    expect(mails).toEqual([{ address: "second@example.com", subject: "Your shift is confirmed" }]);
    const [withdrawn] = await offersTo(first);
    expect(withdrawn).not.toHaveProperty("deliveredAt");
    await shop.withdraw({ jobId: job.jobId, candidateId: second });
    await shop.idle();
    const sent = mails.filter(({ subject }) => subject === OFFER).map(({ address }) => address);
    expect(sent).toEqual(["first@example.com"]);
    const offers = await offersTo(first);
    expect(offers).toHaveLength(2);
    expect(offers).toContainEqual(
      expect.objectContaining({ notificationId: withdrawn?.notificationId, ...NEVER_SENT }),
    );
    const [anew] = offers.filter(({ notificationId }) => notificationId !== withdrawn?.notificationId);
    expect(anew).toMatchObject({ deliveredAt: expect.any(String) });
    expect(anew).not.toHaveProperty("withdrawnAt");
  });

  it("is not sent for a cancelled job", async () => {
    const candidateId = await shop.addPerson(NTH);
    const { jobId, shiftId } = await offered();
    shop.provider.deleteShift(shiftId);
    await shop.store("shift.delete", shiftId);
    await becomes(jobId, "cancelled");
    await isWithdrawn(candidateId);
    await up();
    expect(mails).toEqual([]);
  });

  it("is not sent for a shift that has started", async () => {
    await shop.addPerson(NTH);
    const { startTime } = await offered();
    now = new Date(startTime);
    await nothingIsDue();
    await up();
    expect(mails).toEqual([]);
  });

  it("is not sent to a candidate who is already booked on the job", async () => {
    const candidateId = await shop.addPerson(NTH);
    const { jobId } = await offered(2);
    await shop.accept({ jobId, candidateId });
    await up();
    expect(mails.map(({ subject }) => subject)).toEqual(["Your shift is confirmed"]);
  });

  it("is counted in a warning when a platform without a channel starts", async () => {
    await shop.addPerson(NTH);
    await offered();
    const lines: unknown[] = [];
    const log = { ...silent, warn: (...line: unknown[]) => void lines.push(line) };
    await warnOfUndelivered({ database: database(), log });
    expect(lines).toEqual([[{ waiting: 1 }, expect.stringContaining("SMTP_URL")]]);
    await up();
    expect(mails.map(({ subject }) => subject)).toEqual([OFFER]);
    await warnOfUndelivered({ database: database(), log });
    expect(lines).toHaveLength(1);
  });
});
