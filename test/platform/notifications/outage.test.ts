import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/contract/timestamp.ts";
import type { Channel, Delivery } from "../../../src/platform/deps.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { type MailServer, type Outage, startMailServer } from "../../harness/mail-server.ts";
import { ok } from "../../harness/operations.ts";
import {
  type OrganisationOptions,
  type StartedOrganisation,
  startOrganisation,
} from "../../harness/started-organisation.ts";

const NTH = 20;
/** Longer than any test: what waits for its hourly attempt goes out in a test only when something makes it due. */
const HOURLY = { timing: { hourlyMs: HOUR_MS }, retries: { tries: 3 } };
const UNREACHABLE = { kind: "unavailable", code: "mail_server_unreachable" } as const;
const DEFERRED: Delivery = { kind: "deferred", code: "mail_server_refused", status: 450 };
const DELIVERED = { kind: "delivered" } as const;

/** Of both platforms, where one takes over from the other. */

describe.each(featureEngines)("an outage of the mail server on %s", (engine) => {
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
    organisation = await startOrganisation(database(), { channel, now: () => now, ...HOURLY, ...options });
  };
  beforeEach(async () => {
    now = new Date();
    server = await startMailServer();
  });
  afterEach(async () => {
    await organisation.close();
    await server.close();
  });

  const email = (nth: number) => `candidate-${nth}@example.com`;
  const addPeople = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, (_, index) => organisation.addPerson({ email: email(from + index) })),
    );
  /** A shift of next month, which the candidates are offered. */
  const offer = async () => {
    const startTime = new Date(Date.now() + 30 * DAY_MS).toISOString();
    const endTime = new Date(Date.now() + 30.25 * DAY_MS).toISOString();
    const { shiftId } = organisation.provider.createShift({ startTime, endTime });
    await organisation.send("shift.create", shiftId);
    return shiftId;
  };
  /** Of the mail that waits. */
  const attempts = async () => {
    const mail = database()
      .kysely.selectFrom("work")
      .select("attempts")
      .where("kind", "=", "mail")
      .where("claim", "is", null);
    return (await mail.execute()).map((row) => row.attempts);
  };
  /** Each of them has had the attempts of the retry policy. */
  const allWait = (count: number) => expect.poll(attempts).toEqual(Array(count).fill(HOURLY.retries.tries));
  const recipients = () => server.mails.flatMap(({ to }) => to).sort();
  const undelivered = async () =>
    ok(await organisation.operations.listNotifications()).items.filter(
      ({ deliveredAt }) => deliveredAt === undefined,
    );

  it.each<Outage>([
    "away",
    "cut",
    { at: "connection", reply: 554 },
    { at: "sender", reply: 451 },
    { at: "data", reply: 451 },
  ])(
    "(%j) of a day delays mail, loses none, and ends with the first mail that is accepted",
    async (outage) => {
      await open();
      await addPeople(NTH, NTH + 3);
      server.fail(outage);
      await offer();
      await allWait(3);
      expect(await organisation.issues()).toMatchObject([
        { code: "notification_failed", subject: { kind: "mail_server" }, count: 1 },
      ]);
      now = new Date(now.getTime() + DAY_MS);
      await server.recover();
      await addPeople(NTH + 3, NTH + 4);
      await expect.poll(recipients).toEqual([0, 1, 2, 3].map((each) => email(NTH + each)));
      await organisation.idle();
      expect(await undelivered()).toEqual([]);
      expect(await attempts()).toEqual([]);
      expect(await organisation.issues()).toEqual([]);
      expect(recipients()).toHaveLength(4);
    },
  );

  it("is probed with one mail a minute while other mail waits for the next hour", async () => {
    await open();
    await addPeople(NTH, NTH + 3);
    server.fail("away");
    await offer();
    await allWait(3);
    const { rows } = await database().raw.executeSql(
      `select due_at < now() + interval '1 minute' as soon, due_at > now() + interval '50 minutes' as late
        from shiftpact.work where kind = 'mail' order by due_at`,
    );
    expect(rows).toEqual([
      { soon: true, late: false },
      { soon: false, late: true },
      { soon: false, late: true },
    ]);
  });

  it("ends for all waiting mail, also if one statement does not cover it", async () => {
    const many = 120;
    let delivery: Delivery = UNREACHABLE;
    const sent: string[] = [];
    const channel: Channel = {
      name: "email",
      deliver: async ({ address }) => {
        if (delivery.kind === "delivered") sent.push(address);
        return delivery;
      },
      close: () => undefined,
    };
    await open({ channel, retries: { tries: 1 } });
    await addPeople(NTH, NTH + many);
    await offer();
    await expect.poll(attempts).toEqual(Array(many).fill(1));
    delivery = DELIVERED;
    await addPeople(NTH + many, NTH + many + 1);
    await expect.poll(() => new Set(sent).size).toBe(many + 1);
    await organisation.idle();
    expect(sent).toHaveLength(many + 1);
  });

  it("ends with the first delivery of the next process if it outlasts the process", async () => {
    await open();
    await addPeople(NTH, NTH + 2);
    server.fail("away");
    await offer();
    await allWait(2);
    await organisation.close();
    await server.recover();
    await open();
    await addPeople(NTH + 2, NTH + 3);
    await offer();
    await expect.poll(recipients).toEqual([0, 1, 2].map((each) => email(NTH + each)));
  });

  it("is not assumed when the server defers one recipient, who is not retried with each accepted mail", async () => {
    const tried: string[] = [];
    const channel: Channel = {
      name: "email",
      deliver: async ({ address }) => {
        tried.push(address);
        return address === email(NTH) ? DEFERRED : DELIVERED;
      },
      close: () => undefined,
    };
    await open({ channel, retries: { tries: 1, capMs: 1_000_000_000 } });
    await addPeople(NTH, NTH + 1);
    await offer();
    await expect.poll(() => tried).toEqual([email(NTH)]);
    for (let nth = NTH + 1; nth < NTH + 6; nth += 1) {
      await addPeople(nth, nth + 1);
      await expect.poll(() => tried).toContain(email(nth));
      await organisation.idle();
    }
    // Once more with the first mail of the process, which does not know how long the server was away.
    expect(tried.filter((address) => address === email(NTH)).length).toBeLessThanOrEqual(2);
    expect(await organisation.issues()).toMatchObject([{ subject: { kind: "mail_server" } }]);
  });

  it("resolves its issue when the only waiting mail is a withdrawn offer", async () => {
    await open();
    await addPeople(NTH, NTH + 1);
    server.fail("away");
    const shiftId = await offer();
    await allWait(1);
    expect(await organisation.issueCodes()).toEqual(["notification_failed"]);
    organisation.provider.deleteShift(shiftId);
    await organisation.send("shift.delete", shiftId);
    await expect.poll(organisation.issueCodes).toEqual([]);
    await server.recover();
    await organisation.idle();
    expect(server.mails).toEqual([]);
  });
});
