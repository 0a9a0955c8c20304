import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { accept } from "../../../src/platform/bookings/accept.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { openWorkshop, type Workshop, type WorkshopOptions } from "../workshop.ts";
import { type MailServer, startMailServer } from "./mail-server.ts";

const NTH = 60;
const ADDRESS = "asa.vinter@winter.example";
const ROBIN = { firstName: "Robin", email: "robin@example.com" };
const FROM = "shifts@platform.example";

describe.each(featureEngines)("notifications by e-mail on %s", (engine) => {
  const database = useEngine(engine);
  let server: MailServer;
  let shop: Workshop;
  const open = async (options: WorkshopOptions = {}, url = server.url) => {
    const channel = createEmailChannel({ url, from: FROM, timeoutMs: 5_000 });
    shop = await openWorkshop(database(), { channel, ...options });
  };
  beforeEach(async () => {
    server = await startMailServer();
    await open();
  });
  afterEach(async () => {
    await shop.close();
    await server.close();
  });

  const reopen = async (options: WorkshopOptions, url?: string) => {
    await shop.close();
    await open(options, url);
  };
  const subjects = () => server.mails.map(({ headers }) => headers.subject);
  const notifications = async () => (await shop.operations.listNotifications()).data?.items ?? [];
  const issues = async () => (await shop.operations.listIssues()).data?.items ?? [];
  const settled = () => shop.deps.queue.idle();
  const changed = async (job: Job) => {
    shop.provider.updateShift(job.shiftId, {
      endTime: new Date(Date.parse(job.endTime) + 3_600_000).toISOString(),
    });
    await shop.send("shift.update", job.shiftId);
  };

  it("tell a whole story, each change once, in the order of its telling", async () => {
    const candidateId = await shop.addPerson(NTH, ROBIN);
    const job = await shop.open();
    await accept(shop.deps, { jobId: job.jobId, candidateId });
    await settled();
    await changed(job);
    await shop.send("shift.update", job.shiftId);
    shop.provider.updateShift(job.shiftId, { positions: 5 });
    await shop.send("shift.update", job.shiftId);
    shop.provider.deleteShift(job.shiftId);
    await shop.send("shift.delete", job.shiftId);
    expect(subjects()).toEqual([
      "A shift is open for you",
      "Your shift is confirmed",
      "Your shift has changed",
      "Your shift is cancelled",
    ]);
    for (const { to, from } of server.mails) expect({ to, from }).toEqual({ to: [ROBIN.email], from: FROM });
    for (const each of await notifications()) {
      expect(each).toMatchObject({ channel: "email", deliveredAt: expect.any(String) });
      expect(each).not.toHaveProperty("deliveryError");
    }
  });

  it("are short plain texts with the shift as the organisation's clocks show it, and without a personal number", async () => {
    await shop.addPerson(NTH, ROBIN);
    const [outlet] = shop.provider.outlets;
    const [role] = shop.provider.roles;
    await shop.open({ startTime: "2027-10-30T22:00:00+02:00", endTime: "2027-10-31T06:00:00+01:00" });
    const [mail] = server.mails;
    expect(mail?.headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "auto-submitted": "auto-generated",
      from: FROM,
      to: ROBIN.email,
    });
    expect(mail?.body.trimEnd()).toBe(
      [
        "Hello Robin,",
        "A shift that fits you is open:",
        [
          `  Role: ${role?.name}`,
          `  Place: ${outlet?.name}`,
          "  From: Sat, 30 Oct 2027, 22:00 CEST",
          "  To: Sun, 31 Oct 2027, 06:00 CET",
        ].join("\n"),
        "It goes to whoever accepts first.",
      ].join("\n\n"),
    );
    expect(JSON.stringify(mail)).not.toContain(published.personnummer[NTH]);
  });

  it("arrive once when the server refuses twice, then takes", async () => {
    await shop.addPerson(NTH, ROBIN);
    server.refuse(451, 2);
    await shop.open();
    expect(server.offered).toBe(3);
    expect(server.mails).toHaveLength(1);
    expect(await notifications()).toMatchObject([{ channel: "email" }]);
    expect(await issues()).toEqual([]);
  });

  it("have one Message-ID each, so that a repetition after a lost answer can be dropped", async () => {
    await shop.addPerson(NTH, ROBIN);
    server.refuse("lost");
    await shop.open();
    const [notification] = await notifications();
    const ids = server.mails.map(({ headers }) => headers["message-id"]);
    expect(ids).toEqual(Array(2).fill(`<${notification?.notificationId}@platform.example>`));
    expect(notification).toMatchObject({ deliveredAt: expect.any(String) });
  });

  it("that no try could deliver leave an issue without an address, and the next ones go out", async () => {
    await reopen({ retries: { tries: 3 } });
    await shop.addPerson(NTH, { email: ADDRESS });
    server.refuse(450, 3);
    await shop.open();
    const why = "every try failed, the last one: the mail server answered 450";
    expect(await notifications()).toMatchObject([{ deliveryError: why }]);
    const [issue] = await issues();
    expect(issue).toMatchObject({ code: "notification_failed", subject: "delivery of notifications" });
    expect(JSON.stringify([await issues(), await notifications()])).not.toContain("winter");
    await shop.open();
    expect(server.mails).toHaveLength(1);
    expect(await issues()).toEqual([]);
  });

  it("that the server refuses for good are tried once", async () => {
    const candidateId = await shop.addPerson(NTH, ROBIN);
    server.refuse(550);
    await shop.open();
    expect(server.offered).toBe(1);
    expect(await notifications()).toMatchObject([{ deliveryError: "the mail server answered 550" }]);
    const subject = `delivery of notifications to candidate ${candidateId}`;
    expect(await issues()).toMatchObject([{ code: "notification_failed", subject }]);
  });

  it.each([
    ["a wrong password", (url: string) => url.replace("s3cret", "wrong"), "the mail server answered 535"],
    ["no server", () => "smtp://127.0.0.1:1", "the mail server gave no answer (ESOCKET)"],
  ])("are tried again after %s", async (_, urlOf, reason) => {
    await reopen({ retries: { tries: 2 } }, urlOf(server.url));
    await shop.addPerson(NTH, ROBIN);
    await shop.open();
    const deliveryError = `every try failed, the last one: ${reason}`;
    expect(await notifications()).toMatchObject([{ deliveryError }]);
  });

  it("go to no other machine without TLS when there is a password, which would travel in clear", async () => {
    // On this machine too, but not by a name that says so.
    await reopen({ retries: { tries: 1 } }, server.url.replace("127.0.0.1", "0.0.0.0"));
    await shop.addPerson(NTH, ROBIN);
    await shop.open();
    const why = "every try failed, the last one: no TLS could be agreed on with the mail server";
    expect(await notifications()).toMatchObject([{ deliveryError: why }]);
    expect(server.logins).toBe(0);
  });

  it("are not sent to somebody who is erased meanwhile", async () => {
    await reopen({ retries: { tries: 1_000 } });
    const candidateId = await shop.addPerson(NTH, ROBIN);
    server.refuse(451, 1_000);
    const opening = shop.open();
    await expect.poll(() => server.offered).toBeGreaterThan(1);
    const path = { candidateId };
    expect((await shop.operations.eraseCandidate({ params: { path } })).response.status).toBe(204);
    await opening;
    expect(server.mails).toEqual([]);
  });

  it("are only shown without a mail server, and nothing is queued", async () => {
    await shop.close();
    shop = await openWorkshop(database());
    await shop.addPerson(NTH, ROBIN);
    const { jobId } = await shop.open();
    const [shown] = await notifications();
    expect(shown).toMatchObject({ jobId, kind: "job_offered" });
    expect(Object.keys(shown ?? {})).not.toContain("channel");
    expect(await shop.dump()).not.toMatch(/pgboss\.job\S* \S*notifications/);
    expect(server.offered).toBe(0);
  });
});
