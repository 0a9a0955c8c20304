import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import type { MailSettings } from "../../../src/platform/config.ts";
import type { Mail } from "../../../src/platform/deps.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { type MailServer, type Outage, startMailServer } from "../../harness/mail-server.ts";
import {
  type OrganisationOptions,
  type StartedOrganisation,
  startOrganisation,
} from "../../harness/started-organisation.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

const NUMBER = published.personnummer[60] ?? "";
const ADDRESS = "asa.vinter@winter.example";
const ROBIN = { firstName: "Robin", email: "robin@example.com" };
const FROM = "shifts@platform.example";
const LETTER = {
  id: "letter",
  address: ROBIN.email,
  organisation: "Kvarteret",
  language: "en",
  subject: "A shift",
  text: "It is open.",
  html: "<p>It is open.</p>",
} as const;
/** How long a server may stay silent. One that is sound responds within that on a busy machine as well. */
const SILENCE_MS = 5_000;

/** What the mail server does, and what that means for the mail. */
const REPLIES: [Outage, kind: string, status?: number][] = [
  ["away", "unavailable"],
  ["silent", "unavailable"],
  ["cut", "unavailable"],
  [{ at: "connection", reply: 421 }, "unavailable", 421],
  [{ at: "connection", reply: 554 }, "unavailable", 554],
  [{ at: "login", reply: 454 }, "unavailable", 454],
  [{ at: "login", reply: 535 }, "unavailable", 535],
  [{ at: "sender", reply: 451 }, "unavailable", 451],
  [{ at: "sender", reply: 530 }, "unavailable", 530],
  [{ at: "sender", reply: 550 }, "unavailable", 550],
  [{ at: "recipient", reply: 421 }, "unavailable", 421],
  [{ at: "recipient", reply: 530 }, "unavailable", 530],
  [{ at: "data", reply: 421 }, "unavailable", 421],
  [{ at: "data", reply: 503 }, "unavailable", 503],
  [{ at: "recipient", reply: 450 }, "deferred", 450],
  [{ at: "recipient", reply: 452 }, "deferred", 452],
  [{ at: "data", reply: 451 }, "deferred", 451],
  [{ at: "recipient", reply: 550 }, "refused", 550],
  [{ at: "recipient", reply: 553 }, "refused", 553],
  [{ at: "data", reply: 554 }, "refused", 554],
];

describe("a mail to a server that fails", () => {
  it.each(REPLIES)("(%j) is %s", async (outage, kind, status) => {
    const server = await startMailServer();
    onTestFinished(server.close);
    const channel = createEmailChannel({ url: server.url, from: FROM, timeoutMs: SILENCE_MS });
    onTestFinished(() => channel.close());
    const deliver = () => channel.deliver(LETTER, new AbortController().signal);
    server.fail(outage);
    const outcome = await deliver();
    expect(outcome).toEqual({
      kind,
      ...(status === undefined
        ? { code: "mail_server_unreachable" }
        : { code: "mail_server_refused", status }),
    });
    await server.recover();
    expect(await deliver()).toEqual({ kind: "delivered" });
    expect(server.mails).toHaveLength(1);
  });

  it("is refused before it is sent when the address is not valid", async () => {
    const server = await startMailServer();
    onTestFinished(server.close);
    const channel = createEmailChannel({ url: server.url, from: FROM });
    onTestFinished(() => channel.close());
    const outcome = await channel.deliver({ ...LETTER, address: "<>" }, new AbortController().signal);
    expect(outcome).toEqual({ kind: "refused", code: "address_unusable" });
    expect(server.offered).toBe(0);
  });
});

/** The sender as its recipient reads it. */
const SENDERS: [organisation: string, fromName: string | undefined, read: string][] = [
  ["Kvarteret", undefined, "Kvarteret via platform.example"],
  ["Kafé Ärlan, Norr", "Bemanning & Co", "Kafé Ärlan, Norr via Bemanning & Co"],
  ["Café 👩🏽‍🍳 שלום", undefined, "Café 👩🏽‍🍳 שלום via platform.example"],
  ["Norr\r\nBcc: eve@evil.example\r\n", undefined, "Norr Bcc: eve evil.example via platform.example"],
  ['"Bank" <help@bank.example>', undefined, "Bank help bank.example via platform.example"],
];

describe("the headers of a mail", () => {
  const sent = async (mail: Partial<Mail>, settings: Partial<MailSettings> = {}) => {
    const server = await startMailServer();
    onTestFinished(server.close);
    const channel = createEmailChannel({ url: server.url, from: FROM, ...settings });
    onTestFinished(() => channel.close());
    const signal = new AbortController().signal;
    expect(await channel.deliver({ ...LETTER, ...mail }, signal)).toEqual({ kind: "delivered" });
    const [caught] = server.mails;
    if (!caught) throw new Error("no mail");
    return caught;
  };

  it.each(SENDERS)(
    "name the organisation %j and the company %j as one sender",
    async (organisation, fromName, read) => {
      const { sender, headers, from, to } = await sent(
        { organisation },
        fromName === undefined ? {} : { fromName },
      );
      expect(sender).toBe(read);
      expect({ from, to }).toEqual({ from: FROM, to: [ROBIN.email] });
      expect(headers.from).toContain(`<${FROM}>`);
      expect(Object.keys(headers)).not.toContain("bcc");
    },
  );

  it("name an address for answers, if there is one", async () => {
    expect((await sent({})).headers).not.toHaveProperty("reply-to");
    const replyTo = "people@company.example";
    expect((await sent({}, { replyTo })).headers["reply-to"]).toBe(replyTo);
  });

  it("offer the end of a subscription by one click, and of nothing else", async () => {
    const { headers } = await sent({});
    expect(Object.keys(headers).filter((name) => name.startsWith("list-"))).toEqual([]);
    const unsubscribe = `https://work.example/c/unsubscribe/${"x".repeat(70)}`;
    expect((await sent({ unsubscribe })).headers).toMatchObject({
      "list-unsubscribe": `<${unsubscribe}>`,
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
    });
  });
});

describe.each(featureEngines)("notifications by e-mail on %s", (engine) => {
  const database = useEngine(engine);
  let server: MailServer;
  let organisation: StartedOrganisation;
  const open = async (options: OrganisationOptions = {}, url = server.url) => {
    const channel = createEmailChannel({ url, from: FROM, timeoutMs: 5_000 });
    organisation = await startOrganisation(database(), { channel, ...options });
  };
  beforeEach(async () => {
    server = await startMailServer();
  });
  afterEach(async () => {
    await organisation.close();
    await server.close();
  });

  /** Without the day and time. */
  const subjects = () =>
    server.mails.map(({ headers }) => headers.subject?.replace(/ on \w+ \d+ \w+ at \d\d:\d\d/, ""));
  const notifications = async () => (await organisation.operations.listNotifications()).data?.items ?? [];
  const issues = async () => (await organisation.operations.listIssues()).data?.items ?? [];
  /** The outcome of the one notification that cannot be delivered for now; no caller waits for it. */
  const offered = async (options: OrganisationOptions, url?: string) => {
    await open({ timing: { hourlyMs: 1_000 }, ...options }, url);
    await organisation.addPerson({ personalNumber: NUMBER, email: ADDRESS });
    await organisation.send("shift.create", organisation.provider.createShift().shiftId);
  };
  const changed = async (job: Job) => {
    organisation.provider.updateShift(job.shiftId, {
      endTime: new Date(Date.parse(job.endTime) + HOUR_MS).toISOString(),
    });
    await organisation.process("shift.update", job.shiftId);
  };

  it("follow a job from offer to cancellation, each change once, in order", async () => {
    await open();
    const { candidateId } = await organisation.addPerson({ personalNumber: NUMBER, ...ROBIN });
    const job = await organisation.open();
    await organisation.accept(job, { candidateId });
    await organisation.idle();
    await changed(job);
    await organisation.process("shift.update", job.shiftId);
    organisation.provider.updateShift(job.shiftId, { positions: 5 });
    await organisation.process("shift.update", job.shiftId);
    organisation.provider.deleteShift(job.shiftId);
    await organisation.process("shift.delete", job.shiftId);
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

  it("are short texts with the shift as the organisation's clocks show it, and without a personal number", async () => {
    await open();
    await organisation.addPerson({ personalNumber: NUMBER, ...ROBIN });
    const [outlet] = organisation.provider.outlets;
    const [role] = organisation.provider.roles;
    await organisation.open({ startTime: "2027-10-30T22:00:00+02:00", endTime: "2027-10-31T06:00:00+01:00" });
    const [mail] = server.mails;
    expect(mail?.headers).toMatchObject({
      "content-type": expect.stringContaining("multipart/alternative"),
      "content-language": "en",
      "auto-submitted": "auto-generated",
      from: `"Kvarteret via platform.example" <${FROM}>`,
      to: ROBIN.email,
    });
    expect(mail?.body.trimEnd()).toBe(
      [
        "Hello Robin,",
        "A shift that fits you is open:",
        [
          `  Role: ${role?.name}`,
          `  Place: ${outlet?.name}`,
          "  Day: Saturday, 30 October 2027",
          "  Time: 22:00 – Sunday, 31 October 2027 06:00 (Central European Summer Time)",
          "  Length: 9 hours",
        ].join("\n"),
        "The first candidate who accepts gets it.",
      ].join("\n\n"),
    );
    expect(mail?.html).toContain('<html lang="en">');
    expect(mail?.html).toContain(`Role: <strong><bdi>${role?.name}</bdi></strong>`);
    expect(JSON.stringify(mail)).not.toContain(NUMBER);
  });

  it("arrive once when the server refuses twice and then accepts", async () => {
    await open();
    await organisation.addPerson({ personalNumber: NUMBER, ...ROBIN });
    server.refuse(451, 2);
    await organisation.open();
    expect(server.offered).toBe(3);
    expect(server.mails).toHaveLength(1);
    expect(await notifications()).toMatchObject([{ channel: "email" }]);
    expect(await issues()).toEqual([]);
  });

  it("have one Message-ID each, so that a repetition after a lost response can be dropped", async () => {
    await open();
    await organisation.addPerson({ personalNumber: NUMBER, ...ROBIN });
    server.refuse("lost");
    await organisation.open();
    const [notification] = await notifications();
    const ids = server.mails.map(({ headers }) => headers["message-id"]);
    expect(ids).toEqual(Array(2).fill(`<${notification?.notificationId}@platform.example>`));
    expect(notification).toMatchObject({ deliveredAt: expect.any(String) });
  });

  // Citus refuses triggers.
  it.skipIf(isOnCitus)("are sent once when the database fails for a while after the delivery", async () => {
    const { raw } = database();
    // A sequence keeps its value when the transaction is rolled back.
    await raw.executeSql(`create sequence shiftpact.recordings;
      create function shiftpact.fail_first() returns trigger language plpgsql as $$
        begin
          if nextval('shiftpact.recordings') < 5 then raise exception 'disk full' using errcode = '53100'; end if;
          return new;
        end $$;
      create trigger fail_first before update of delivered_at on shiftpact.notifications
        for each row execute function shiftpact.fail_first()`);
    onTestFinished(async () => {
      await raw.executeSql(`drop trigger fail_first on shiftpact.notifications;
        drop function shiftpact.fail_first; drop sequence shiftpact.recordings`);
    });
    await open();
    await organisation.addPerson({ personalNumber: NUMBER, ...ROBIN });
    await organisation.open();
    expect(await notifications()).toMatchObject([{ deliveredAt: expect.any(String) }]);
    expect(server.mails).toHaveLength(1);
  });

  it("that no attempt could deliver raise an issue without an address, and are sent once the server is back", async () => {
    server.refuse(450, 3);
    await offered({ retries: { tries: 3 } });
    const subject = { kind: "mail_server" };
    const params = { attempts: 3, status: 450, delivery: "mail_server_refused" };
    await expect.poll(issues).toMatchObject([{ code: "notification_failed", subject, params }]);
    expect(await notifications()).toMatchObject([
      { deliveryError: "mail_server_refused", deliveryParams: { attempts: 3, status: 450 } },
    ]);
    expect(JSON.stringify([await issues(), await notifications()])).not.toContain("winter");
    await expect.poll(() => server.mails).toHaveLength(1);
    await expect.poll(issues).toEqual([]);
  });

  it("that the server refuses permanently are tried once", async () => {
    await open();
    const { candidateId } = await organisation.addPerson({ personalNumber: NUMBER, ...ROBIN });
    server.refuse(550);
    await organisation.open();
    expect(server.offered).toBe(1);
    const [refused] = await notifications();
    expect(refused).toMatchObject({ deliveryError: "gave_up", deliveryParams: { status: 550 } });
    const subject = { kind: "notification", candidateId, notificationId: refused?.notificationId };
    expect(await issues()).toMatchObject([{ code: "notification_failed", subject, params: { status: 550 } }]);
  });

  it.each([
    [
      "a wrong password",
      (url: string) => url.replace("s3cret", "wrong"),
      "mail_server_refused",
      { status: 535 },
    ],
    ["no server", () => "smtp://127.0.0.1:1", "mail_server_unreachable", {}],
  ])("are tried again after %s", async (_, urlOf, deliveryError, params) => {
    await offered({ retries: { tries: 2 } }, urlOf(server.url));
    const deliveryParams = { attempts: 2, ...params };
    await expect.poll(notifications).toMatchObject([{ deliveryError, deliveryParams }]);
  });

  it("are sent to no other machine without TLS when there is a password, which would be readable", async () => {
    // On this machine too, but not by a name that says so.
    await offered({ retries: { tries: 1 } }, server.url.replace("127.0.0.1", "0.0.0.0"));
    await expect.poll(notifications).toMatchObject([{ deliveryError: "tls_unavailable" }]);
    expect(server.logins).toBe(0);
  });

  it("are not sent to a person who is erased meanwhile", async () => {
    await open({ retries: { tries: 1_000 } });
    const { candidateId } = await organisation.addPerson({ personalNumber: NUMBER, ...ROBIN });
    server.refuse(451, 1_000);
    const opening = organisation.open();
    await expect.poll(() => server.offered).toBeGreaterThan(1);
    const path = { candidateId };
    expect((await organisation.operations.eraseCandidate({ params: { path } })).response.status).toBe(204);
    await opening;
    expect(server.mails).toEqual([]);
  });

  it("are only shown without a mail server, and nothing is queued", async () => {
    organisation = await startOrganisation(database());
    await organisation.addPerson({ personalNumber: NUMBER, ...ROBIN });
    const { jobId } = await organisation.open();
    const [shown] = await notifications();
    expect(shown).toMatchObject({ jobId, kind: "job_offered" });
    expect(Object.keys(shown ?? {})).not.toContain("channel");
    const work = database().kysely.selectFrom("work").select("key").where("kind", "=", "mail");
    expect(await work.execute()).toEqual([]);
    expect(server.offered).toBe(0);
  });
});
