import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Notification } from "../../../generated/operations/types.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import { ok } from "../../flows/operations.ts";
import { openWorkshop, type Workshop, type WorkshopOptions } from "../workshop.ts";
import { type MailServer, startMailServer } from "./mail-server.ts";

const NTH = 110;
const HOUR_MS = 3_600_000;

/** Of both platforms, where one takes over from the other. */
const secretKey = Buffer.alloc(32, "secret");

describe.each(featureEngines)("a resend of a notification on %s", (engine) => {
  const database = useEngine(engine);
  let server: MailServer;
  let shop: Workshop;
  let now: Date;
  const open = async (options: WorkshopOptions = {}) => {
    const channel = createEmailChannel({
      url: server.url,
      from: "shifts@platform.example",
      timeoutMs: 5_000,
    });
    shop = await openWorkshop(database(), {
      ...{ channel, now: () => now, secretKey },
      timing: { hourlyMs: HOUR_MS },
      ...options,
    });
  };
  beforeEach(async () => {
    now = new Date();
    server = await startMailServer();
  });
  afterEach(async () => {
    await shop.close();
    await server.close();
  });

  const resend = async (notificationId: string) => {
    const params = { path: { notificationId } };
    const { data, error, response } = await shop.operations.resendNotification({ params });
    return { status: response.status, said: data ?? error?.code };
  };
  const all = async () => ok(await shop.operations.listNotifications()).items.toReversed();
  const offers = async (count: number): Promise<Notification[]> => {
    const items = await all();
    expect(items).toHaveLength(count);
    return items;
  };
  const read = async ({ notificationId }: Notification) =>
    (await all()).find((each) => each.notificationId === notificationId);
  const messageIds = () => server.mails.map(({ headers }) => headers["message-id"]);
  const messageId = ({ notificationId }: Notification, suffix = "") =>
    `<${notificationId}${suffix}@platform.example>`;
  const subjects = async () => (await shop.issues()).map(({ subject }) => subject.notificationId);
  const UNDELIVERED = { deliveredAt: undefined, deliveryError: undefined };
  /** Two candidates, each with an offer that the mail server refused. */
  const refuseTwo = async () => {
    server.refuse(550, 2);
    await shop.addPerson(NTH, { email: "first@example.com" });
    await shop.addPerson(NTH + 1, { email: "second@example.com" });
    const job = await shop.open();
    const [one, other] = await offers(2);
    if (!one || !other) throw new Error("two offers were made");
    return { job, one, other };
  };

  it("delivers a refused mail under the same Message-ID, and resolves only its issue", async () => {
    await open();
    const { one, other } = await refuseTwo();
    expect((await subjects()).sort()).toEqual([one.notificationId, other.notificationId].sort());
    const { status, said } = await resend(one.notificationId);
    expect(status).toBe(202);
    expect({ ...UNDELIVERED, ...(said as Notification) }).toEqual({
      ...one,
      ...UNDELIVERED,
      deliveryParams: undefined,
    });
    await shop.idle();
    expect(messageIds()).toEqual([messageId(one)]);
    expect(await read(one)).toMatchObject({ channel: "email", deliveredAt: expect.any(String) });
    expect(await subjects()).toEqual([other.notificationId]);
  });

  it("delivers to the corrected address", async () => {
    await open();
    const { one } = await refuseTwo();
    const params = { path: { candidateId: one.candidateId } };
    ok(await shop.operations.changeCandidate({ params, body: { email: "right@example.com" } }));
    await resend(one.notificationId);
    await shop.idle();
    expect(server.mails.map(({ to }) => to)).toEqual([["right@example.com"]]);
  });

  it("keeps the issue when another notification of the candidate is delivered", async () => {
    await open();
    server.refuse(550);
    const candidateId = await shop.addPerson(NTH);
    const { jobId } = await shop.open({ positions: 2 });
    const [refused] = await offers(1);
    await shop.open({ startTime: "2031-05-01T08:00:00Z", endTime: "2031-05-01T14:00:00Z" });
    expect(server.mails).toHaveLength(1);
    expect(await subjects()).toEqual([refused?.notificationId]);
    // The offer no longer holds for a candidate who has accepted it.
    await shop.accept({ jobId, candidateId });
    await shop.idle();
    expect(server.mails).toHaveLength(2);
    expect(await subjects()).toEqual([]);
  });

  it("keeps the issue and increments its count when it is refused again", async () => {
    await open();
    const { one } = await refuseTwo();
    server.refuse(550);
    await resend(one.notificationId);
    await shop.idle();
    const issue = (await shop.issues()).find(({ subject }) => subject.notificationId === one.notificationId);
    expect(issue).toMatchObject({ count: 2 });
    expect(await read(one)).toMatchObject({ deliveryError: "gave_up" });
  });

  it("sends a delivered mail under a new Message-ID each time", async () => {
    await open();
    await shop.addPerson(NTH);
    await shop.open();
    const [one] = await offers(1);
    if (!one) return;
    for (const _ of [1, 2]) {
      expect((await resend(one.notificationId)).status).toBe(202);
      await shop.idle();
    }
    expect(messageIds()).toEqual([messageId(one), messageId(one, ".1"), messageId(one, ".2")]);
    expect(await read(one)).toMatchObject({ deliveredAt: expect.any(String) });
  });

  it("sends one mail for two requests at the same time", async () => {
    await open();
    await shop.addPerson(NTH);
    await shop.open();
    const [one] = await offers(1);
    if (!one) return;
    server.fail("away");
    const answers = await Promise.all([resend(one.notificationId), resend(one.notificationId)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await server.recover();
    await shop.idle();
    expect(messageIds()).toEqual([messageId(one), messageId(one, ".1")]);
  });

  it("retries waiting mail at once, under the same Message-ID", async () => {
    await open({ retries: { tries: 1 } });
    await shop.addPerson(NTH);
    server.fail({ at: "data", reply: 451 });
    const { shiftId } = shop.provider.createShift();
    await shop.store("shift.create", shiftId);
    await expect.poll(shop.issueCodes).toEqual(["notification_failed"]);
    const [one] = await offers(1);
    if (!one) return;
    await server.recover();
    expect(await resend(one.notificationId)).toMatchObject({
      status: 202,
      said: { deliveryError: "mail_server_refused" },
    });
    await shop.idle();
    expect(messageIds()).toEqual([messageId(one)]);
    expect(await shop.issues()).toEqual([]);
  });

  it("sends a notification from before the platform had a mail server", async () => {
    shop = await openWorkshop(database(), { secretKey });
    await shop.addPerson(NTH);
    await shop.open();
    const [one] = await offers(1);
    if (!one) return;
    expect(await resend(one.notificationId)).toEqual({ status: 409, said: "mail_not_configured" });
    await shop.close();
    await open();
    expect(await resend(one.notificationId)).toMatchObject({ status: 202, said: { channel: "email" } });
    await shop.idle();
    expect(messageIds()).toEqual([messageId(one)]);
  });

  it("sends mail with an unusable address once the address is corrected", async () => {
    await open();
    const candidateId = await shop.addPerson(NTH, { email: "robin@example.com" });
    const setEmail = (email: string) =>
      database()
        .kysely.updateTable("candidates")
        .set({ email })
        .where("candidate_id", "=", candidateId)
        .execute();
    await setEmail("<>");
    await shop.open();
    const [one] = await offers(1);
    expect(one).toMatchObject({ deliveryError: "address_unusable" });
    if (!one) return;
    await setEmail("robin@example.com");
    expect((await resend(one.notificationId)).status).toBe(202);
    await shop.idle();
    expect(messageIds()).toEqual([messageId(one)]);
    expect(await shop.issues()).toEqual([]);
  });

  it("is refused for a withdrawn offer, whose issue is resolved", async () => {
    await open();
    const { job, one } = await refuseTwo();
    shop.provider.deleteShift(job.shiftId);
    await shop.send("shift.delete", job.shiftId);
    expect(await resend(one.notificationId)).toEqual({ status: 409, said: "notification_withdrawn" });
    expect(await shop.issues()).toEqual([]);
  });

  it("is refused once the shift has started, which resolves the issue", async () => {
    await open({ upkeep: { everyMs: 50 } });
    const { job, one } = await refuseTwo();
    server.refuse(550);
    await shop.accept({ jobId: job.jobId, candidateId: one.candidateId });
    await shop.idle();
    const confirmed = (await all()).find(({ kind }) => kind === "booking_confirmed");
    expect(confirmed).toMatchObject({ deliveryError: "gave_up" });
    now = new Date(job.startTime);
    const id = confirmed?.notificationId ?? "";
    expect(await resend(id)).toEqual({ status: 409, said: "shift_started" });
    await expect.poll(subjects).toEqual([]);
  });

  it("is refused for a notification that does not exist", async () => {
    await open();
    expect(await resend(randomUUID())).toEqual({ status: 404, said: "notification_not_found" });
  });

  it("takes precedence over the candidate's background mail", async () => {
    await open({ retries: { tries: 1 } });
    await shop.addPerson(NTH);
    await shop.open();
    const [one] = await offers(1);
    server.fail("away");
    await resend(one?.notificationId ?? "");
    await expect
      .poll(() =>
        database().kysely.selectFrom("work").select("priority").where("kind", "=", "mail").execute(),
      )
      .toEqual([{ priority: 0 }]);
  });
});
