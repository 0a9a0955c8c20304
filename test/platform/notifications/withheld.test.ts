import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job, Notification } from "../../../generated/operations/types.ts";
import type { Channel } from "../../../src/platform/deps.ts";
import { warnOfUndelivered } from "../../../src/platform/notifications/deliver.ts";
import { featureEngines, silent, useEngine } from "../../harness/engines.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

const OFFER = /^A shift on \w+ \d+ \w+ at \d\d:\d\d is open for you$/;
const CONFIRMED = /^Your shift on \w+ \d+ \w+ at \d\d:\d\d is confirmed$/;

describe.each(featureEngines)("what waited for a mail server that was down, on %s", (engine) => {
  const database = useEngine(engine);
  const mails: { address: string; subject: string }[] = [];
  let organisation: StartedOrganisation;
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
    organisation = await startOrganisation(database(), {
      channel,
      now: () => now,
      retries: { tries: 100_000 },
    });
  });
  afterEach(() => organisation.close());

  const up = async () => {
    isUp = true;
    await organisation.idle();
  };
  /** The platform is idle once the mail server is up: until then, nothing here waits for that. */
  const offered = async (positions = 1): Promise<Job> => {
    const { shiftId } = organisation.provider.createShift({ positions });
    await organisation.send("shift.create", shiftId);
    await expect.poll(() => tries).toBeGreaterThan(0);
    const query = { shiftId };
    const [job] = (await organisation.operations.listJobs({ params: { query } })).data?.items ?? [];
    if (!job) throw new Error("it is offered, so there is a job");
    return job;
  };
  const becomes = (shiftId: string, status: Job["status"]) =>
    expect.poll(async () => (await organisation.job(shiftId)).status).toBe(status);
  const offersTo = async (candidateId: string): Promise<Notification[]> => {
    const query = { candidateId };
    const { data } = await organisation.operations.listNotifications({ params: { query } });
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

  it("is sent, when the offer holds", async () => {
    const { candidateId } = await organisation.addPerson();
    await offered();
    await expect
      .poll(() => offersTo(candidateId))
      .toMatchObject([{ channel: "email", deliveryError: "mail_server_unreachable" }]);
    await up();
    expect(mails.map(({ subject }) => subject)).toEqual([expect.stringMatching(OFFER)]);
    expect(await offersTo(candidateId)).toMatchObject([{ deliveredAt: expect.any(String) }]);
  });

  it("is no offer of a job that another candidate has; a new offer is made when the seat is free", async () => {
    const [first, second] = [
      (await organisation.addPerson({ email: "first@example.com" })).candidateId,
      (await organisation.addPerson({ email: "second@example.com" })).candidateId,
    ];
    const job = await offered();
    await organisation.accept(job, { candidateId: second });
    await becomes(job.shiftId, "filled");
    await isWithdrawn(first);
    await up();
    expect(mails).toEqual([{ address: "second@example.com", subject: expect.stringMatching(CONFIRMED) }]);
    const [withdrawn] = await offersTo(first);
    expect(withdrawn).not.toHaveProperty("deliveredAt");
    await organisation.withdraw(job, { candidateId: second });
    await organisation.idle();
    const sent = mails.filter(({ subject }) => OFFER.test(subject)).map(({ address }) => address);
    expect(sent).toEqual(["first@example.com"]);
    const offers = await offersTo(first);
    expect(offers).toHaveLength(2);
    expect(offers).toContainEqual(
      expect.objectContaining({ notificationId: withdrawn?.notificationId, ...NEVER_SENT }),
    );
    const [renewed] = offers.filter(({ notificationId }) => notificationId !== withdrawn?.notificationId);
    expect(renewed).toMatchObject({ deliveredAt: expect.any(String) });
    expect(renewed).not.toHaveProperty("withdrawnAt");
  });

  it("is no offer of a job that is cancelled", async () => {
    const { candidateId } = await organisation.addPerson();
    const { shiftId } = await offered();
    organisation.provider.deleteShift(shiftId);
    await organisation.send("shift.delete", shiftId);
    await becomes(shiftId, "cancelled");
    await isWithdrawn(candidateId);
    await up();
    expect(mails).toEqual([]);
  });

  it("is no offer of a shift that has started", async () => {
    await organisation.addPerson();
    const { startTime } = await offered();
    now = new Date(startTime);
    await nothingIsDue();
    await up();
    expect(mails).toEqual([]);
  });

  it("is no offer to a candidate who is booked on the job already", async () => {
    const { candidateId } = await organisation.addPerson();
    const { jobId } = await offered(2);
    await organisation.accept({ jobId }, { candidateId });
    await up();
    expect(mails.map(({ subject }) => subject)).toEqual([expect.stringMatching(CONFIRMED)]);
  });

  it("is counted and logged at the start of a platform without a channel", async () => {
    await organisation.addPerson();
    await offered();
    const lines: unknown[] = [];
    const log = { ...silent, warn: (...line: unknown[]) => void lines.push(line) };
    await warnOfUndelivered({ database: database(), log });
    expect(lines).toEqual([[{ waiting: 1 }, expect.stringContaining("SMTP_URL")]]);
    await up();
    expect(mails.map(({ subject }) => subject)).toEqual([expect.stringMatching(OFFER)]);
    await warnOfUndelivered({ database: database(), log });
    expect(lines).toHaveLength(1);
  });
});
