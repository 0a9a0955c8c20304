import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Notification } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { type MailServer, startMailServer } from "../../harness/mail-server.ts";
import { ok } from "../../harness/operations.ts";
import {
  type OrganisationOptions,
  type StartedOrganisation,
  startOrganisation,
} from "../../harness/started-organisation.ts";

/** Of both platforms, where one takes over from the other. */

describe.each(featureEngines)("sending a notification again on %s", (engine) => {
  const database = useEngine(engine);
  let server: MailServer;
  let organisation: StartedOrganisation;
  let now: Date;
  const open = async (options: OrganisationOptions = {}) => {
    const channel = createEmailChannel({
      url: server.url,
      from: "shifts@platform.example",
      timeoutMs: 5_000,
    });
    organisation = await startOrganisation(database(), {
      channel,
      now: () => now,
      timing: { hourlyMs: HOUR_MS },
      ...options,
    });
  };
  beforeEach(async () => {
    now = new Date();
    server = await startMailServer();
  });
  afterEach(async () => {
    await organisation.close();
    await server.close();
  });

  const resend = async (notificationId: string) => {
    const params = { path: { notificationId } };
    const { data, error, response } = await organisation.operations.resendNotification({ params });
    return { status: response.status, body: data ?? error?.code };
  };
  const all = async () => ok(await organisation.operations.listNotifications()).items.toReversed();
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
  const subjects = async () => (await organisation.issues()).map(({ subject }) => subject.notificationId);
  const UNDELIVERED = { deliveredAt: undefined, deliveryError: undefined };
  /** Two candidates, each with an offer that the mail server refused. */
  const refuseTwo = async () => {
    server.refuse(550, 2);
    await organisation.addPerson({ email: "first@example.com" });
    await organisation.addPerson({ email: "second@example.com" });
    const job = await organisation.open();
    const [one, other] = await offers(2);
    if (!one || !other) throw new Error("two offers were made");
    return { job, one, other };
  };

  it("delivers a notification that the server refused, under the same Message-ID, and closes its issue only", async () => {
    await open();
    const { one, other } = await refuseTwo();
    expect((await subjects()).sort()).toEqual([one.notificationId, other.notificationId].sort());
    const { status, body } = await resend(one.notificationId);
    expect(status).toBe(202);
    expect({ ...UNDELIVERED, ...(body as Notification) }).toEqual({
      ...one,
      ...UNDELIVERED,
      deliveryParams: undefined,
    });
    await organisation.idle();
    expect(messageIds()).toEqual([messageId(one)]);
    expect(await read(one)).toMatchObject({ channel: "email", deliveredAt: expect.any(String) });
    expect(await subjects()).toEqual([other.notificationId]);
  });

  it("delivers to the address that was corrected meanwhile", async () => {
    await open();
    const { one } = await refuseTwo();
    const params = { path: { candidateId: one.candidateId } };
    ok(await organisation.operations.changeCandidate({ params, body: { email: "right@example.com" } }));
    await resend(one.notificationId);
    await organisation.idle();
    expect(server.mails.map(({ to }) => to)).toEqual([["right@example.com"]]);
  });

  it("keeps the issue when another notification of the same candidate is delivered", async () => {
    await open();
    server.refuse(550);
    const { candidateId } = await organisation.addPerson();
    const { jobId } = await organisation.open({ positions: 2 });
    const [refused] = await offers(1);
    await organisation.open({ startTime: "2031-05-01T08:00:00Z", endTime: "2031-05-01T14:00:00Z" });
    expect(server.mails).toHaveLength(1);
    expect(await subjects()).toEqual([refused?.notificationId]);
    // The offer no longer holds for a candidate who has accepted it.
    await organisation.accept({ jobId }, { candidateId });
    await organisation.idle();
    expect(server.mails).toHaveLength(2);
    expect(await subjects()).toEqual([]);
  });

  it("keeps the issue when it is refused again, and counts the resend", async () => {
    await open();
    const { one } = await refuseTwo();
    server.refuse(550);
    await resend(one.notificationId);
    await organisation.idle();
    const issue = (await organisation.issues()).find(
      ({ subject }) => subject.notificationId === one.notificationId,
    );
    expect(issue).toMatchObject({ count: 2 });
    expect(await read(one)).toMatchObject({ deliveryError: "gave_up" });
  });

  it("sends a delivered notification under a new Message-ID each time", async () => {
    await open();
    await organisation.addPerson();
    await organisation.open();
    const [one] = await offers(1);
    if (!one) return;
    for (const _ of [1, 2]) {
      expect((await resend(one.notificationId)).status).toBe(202);
      await organisation.idle();
    }
    expect(messageIds()).toEqual([messageId(one), messageId(one, ".1"), messageId(one, ".2")]);
    expect(await read(one)).toMatchObject({ deliveredAt: expect.any(String) });
  });

  it("sends one mail for two requests at the same time", async () => {
    await open();
    await organisation.addPerson();
    await organisation.open();
    const [one] = await offers(1);
    if (!one) return;
    server.fail("away");
    const answers = await Promise.all([resend(one.notificationId), resend(one.notificationId)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await server.recover();
    await organisation.idle();
    expect(messageIds()).toEqual([messageId(one), messageId(one, ".1")]);
  });

  it("attempts a notification that waits after a failed attempt at once, under the same Message-ID", async () => {
    await open({ retries: { tries: 1 } });
    await organisation.addPerson();
    server.fail({ at: "data", reply: 451 });
    const { shiftId } = organisation.provider.createShift();
    await organisation.send("shift.create", shiftId);
    await expect.poll(organisation.issueCodes).toEqual(["notification_failed"]);
    const [one] = await offers(1);
    if (!one) return;
    await server.recover();
    expect(await resend(one.notificationId)).toMatchObject({
      status: 202,
      body: { deliveryError: "mail_server_refused" },
    });
    await organisation.idle();
    expect(messageIds()).toEqual([messageId(one)]);
    expect(await organisation.issues()).toEqual([]);
  });

  it("sends a notification that was only shown before the platform had a mail server", async () => {
    organisation = await startOrganisation(database());
    await organisation.addPerson();
    await organisation.open();
    const [one] = await offers(1);
    if (!one) return;
    expect(await resend(one.notificationId)).toEqual({ status: 409, body: "mail_not_configured" });
    await organisation.close();
    await open();
    expect(await resend(one.notificationId)).toMatchObject({ status: 202, body: { channel: "email" } });
    await organisation.idle();
    expect(messageIds()).toEqual([messageId(one)]);
  });

  it("sends a notification without a usable address once the address is corrected", async () => {
    await open();
    const { candidateId } = await organisation.addPerson({ email: "robin@example.com" });
    const setEmail = (email: string) =>
      database()
        .kysely.updateTable("candidates")
        .set({ email })
        .where("candidateId", "=", candidateId)
        .execute();
    await setEmail("<>");
    await organisation.open();
    const [one] = await offers(1);
    expect(one).toMatchObject({ deliveryError: "address_unusable" });
    if (!one) return;
    await setEmail("robin@example.com");
    expect((await resend(one.notificationId)).status).toBe(202);
    await organisation.idle();
    expect(messageIds()).toEqual([messageId(one)]);
    expect(await organisation.issues()).toEqual([]);
  });

  it("is refused for an offer that is withdrawn, whose issue is closed", async () => {
    await open();
    const { job, one } = await refuseTwo();
    organisation.provider.deleteShift(job.shiftId);
    await organisation.process("shift.delete", job.shiftId);
    expect(await resend(one.notificationId)).toEqual({ status: 409, body: "notification_withdrawn" });
    expect(await organisation.issues()).toEqual([]);
  });

  it("is refused once the shift has started, which closes the issue", async () => {
    await open({ upkeep: { everyMs: 50 } });
    const { job, one } = await refuseTwo();
    server.refuse(550);
    await organisation.accept(job, { candidateId: one.candidateId });
    await organisation.idle();
    const confirmed = (await all()).find(({ kind }) => kind === "booking_confirmed");
    expect(confirmed).toMatchObject({ deliveryError: "gave_up" });
    now = new Date(job.startTime);
    const id = confirmed?.notificationId ?? "";
    expect(await resend(id)).toEqual({ status: 409, body: "shift_started" });
    await expect.poll(subjects).toEqual([]);
  });

  it("is refused for a notification that does not exist", async () => {
    await open();
    expect(await resend(randomUUID())).toEqual({ status: 404, body: "notification_not_found" });
  });

  it("precedes mail to the candidate that is sent in the background", async () => {
    await open({ retries: { tries: 1 } });
    await organisation.addPerson();
    await organisation.open();
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
