import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Notification } from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/timestamp.ts";
import type { Channel, Delivery, Mail } from "../../../src/platform/deps.ts";
import { waitOf } from "../../../src/platform/notifications/mail-due.ts";
import { useClock } from "../../harness/clock.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";

const LIMITS = { everyMs: 10 * MINUTE_MS, perDay: 3 };
const DELIVERED: Delivery = { kind: "delivered" };
const AWAY: Delivery = { kind: "unavailable", code: "mail_server_unreachable" };

describe.each(featureEngines)("mail with offers on %s", (engine) => {
  const database = useEngine(engine);
  const clock = useClock(database);
  let harness: Harness;
  let organisation: Organisation;
  let mails: Mail[];
  let delivery: Delivery;
  let onMail: ((mail: Mail) => Promise<Delivery>) | undefined;
  const channel: Channel = {
    name: "email",
    deliver: async (mail) => {
      const outcome = (await onMail?.(mail)) ?? delivery;
      if (outcome.kind === "delivered") mails.push(mail);
      return outcome;
    },
    close: () => undefined,
  };
  const start = (limits = LIMITS) =>
    startHarness(database(), { channel, now: clock.now, config: { offerMail: limits } });
  beforeEach(async () => {
    [mails, delivery, onMail] = [[], DELIVERED, undefined];
    harness = await start();
    organisation = await harness.onboard({ connect: false });
  });
  afterEach(() => harness.close());

  /** In whole minutes, which is what mails say. */
  const shiftIn = (ms: number) => {
    const start = Math.floor((clock.now().getTime() + ms) / MINUTE_MS) * MINUTE_MS;
    return {
      startTime: new Date(start).toISOString(),
      endTime: new Date(start + 6 * HOUR_MS).toISOString(),
    };
  };
  /** Opens a job in two days, unless another time is given. */
  const open = (inMs = 2 * DAY_MS, at = organisation) => at.open(shiftIn(inMs));
  const openAll = async (count: number, inMs = 2 * DAY_MS) => {
    const jobs = [];
    for (let nth = 0; nth < count; nth += 1) jobs.push(await open(inMs + nth * HOUR_MS));
    return jobs;
  };
  /** Sets the clock forward, and waits for what has become due. */
  const later = async (ms: number) => {
    await clock.forward(ms);
    await harness.platform.idle();
  };
  const notifications = async (candidateId: string): Promise<Notification[]> =>
    ok(
      await organisation.operations.listNotifications({ params: { query: { candidateId, limit: 200 } } }),
    ).items.toReversed();
  const waiting = async (candidateId: string) =>
    (await notifications(candidateId)).filter(({ deliveredAt }) => deliveredAt === undefined);
  const subjects = () => mails.map(({ subject }) => subject);
  const single = expect.stringMatching(/^A shift on \w+ \d+ \w+ at \d\d:\d\d is open for you$/);
  const digest = (count: string) =>
    expect.stringMatching(new RegExp(`^${count} new shifts, the first on \\w+ \\d+ \\w+$`));

  it("is sent at once if it is the only one; later offers of the window are one digest, the soonest shift first", async () => {
    const { candidateId } = await organisation.addPerson({ firstName: "Robin" });
    await open();
    expect(subjects()).toEqual([single]);
    await open(4 * DAY_MS);
    await open(3 * DAY_MS);
    expect(mails).toHaveLength(1);
    for (const each of await waiting(candidateId))
      expect(each).toMatchObject({ waitsFor: "offer_window", waitsUntil: expect.any(String) });
    await later(LIMITS.everyMs - MINUTE_MS);
    expect(mails).toHaveLength(1);
    await later(MINUTE_MS);
    expect(subjects()).toEqual([single, digest("2")]);
    const days = mails[1]?.text.match(/\d+ \w+ \d{4}$/gm)?.map((day) => Date.parse(day));
    expect(days).toHaveLength(2);
    expect(days).toEqual(days?.toSorted((one, other) => one - other));
    expect(await waiting(candidateId)).toEqual([]);
    for (const each of await notifications(candidateId)) expect(each).not.toHaveProperty("waitsFor");
    await later(DAY_MS);
    expect(mails).toHaveLength(2);
  });

  it("is not delayed for a shift within 12 hours, and then also names the offers that wait", async () => {
    await organisation.addPerson();
    await openAll(2);
    expect(mails).toHaveLength(1);
    await open(11 * HOUR_MS);
    expect(subjects()).toEqual([single, digest("2")]);
    await open(10 * HOUR_MS);
    await open(9 * HOUR_MS);
    // Over the daily limit, too.
    expect(mails).toHaveLength(4);
    await open();
    expect(mails).toHaveLength(4);
    // They count: this one waits for the limit, not only for the window.
    await later(LIMITS.everyMs);
    expect(mails).toHaveLength(4);
  });

  it("is sent when a waiting offer comes within 12 hours of its shift", async () => {
    await organisation.addPerson();
    await open(3 * DAY_MS);
    await open(2 * DAY_MS);
    await open(12 * HOUR_MS + 5 * MINUTE_MS);
    expect(mails).toHaveLength(1);
    await later(3 * MINUTE_MS);
    expect(mails).toHaveLength(1);
    await later(2 * MINUTE_MS);
    expect(subjects()).toEqual([single, digest("2")]);
  });

  it("does not delay mail about bookings", async () => {
    const { candidateId } = await organisation.addPerson();
    const [job] = await openAll(2);
    await organisation.accept(job ?? { jobId: "" }, { candidateId });
    await harness.platform.idle();
    expect(mails).toHaveLength(2);
    expect(subjects()[1]).toMatch(/is confirmed$/);
    organisation.provider.deleteShift(job?.shiftId ?? "");
    await organisation.process("shift.delete", job?.shiftId ?? "");
    expect(subjects()[2]).toMatch(/is cancelled$/);
    expect(await waiting(candidateId)).toHaveLength(1);
  });

  it("is limited in any 24 hours; what still holds is sent when the limit allows it", async () => {
    const { candidateId } = await organisation.addPerson();
    for (let nth = 0; nth < 5; nth += 1) {
      await open(4 * DAY_MS + nth * HOUR_MS);
      await later(LIMITS.everyMs);
    }
    expect(mails).toHaveLength(LIMITS.perDay);
    const [gone, ...others] = await waiting(candidateId);
    expect(others).toMatchObject([{ waitsFor: "daily_limit", waitsUntil: expect.any(String) }]);
    const shiftId = (await organisation.operations.getJob({ params: { path: { jobId: gone?.jobId ?? "" } } }))
      .data?.shiftId;
    organisation.provider.deleteShift(shiftId ?? "");
    await organisation.process("shift.delete", shiftId ?? "");
    await later(DAY_MS - 5 * LIMITS.everyMs - MINUTE_MS);
    expect(mails).toHaveLength(LIMITS.perDay);
    await later(MINUTE_MS);
    expect(mails).toHaveLength(LIMITS.perDay + 1);
    expect(subjects().at(-1)).toEqual(single);
  });

  it("names at most 50 shifts, the soonest, and the next mail names the others", async () => {
    const { candidateId } = await organisation.addPerson();
    await openAll(54);
    await later(LIMITS.everyMs);
    expect(subjects()).toEqual([single, digest("50 of 53")]);
    expect(mails[1]?.text).toContain("And 3 more. The next mail names those that are still open.");
    expect(await waiting(candidateId)).toHaveLength(3);
    await later(LIMITS.everyMs);
    expect(subjects()[2]).toEqual(digest("3"));
  });

  it("is not sent when none of its offers holds any more, and then takes no turn", async () => {
    const { candidateId } = await organisation.addPerson();
    const [, job] = await openAll(2);
    organisation.provider.deleteShift(job?.shiftId ?? "");
    await organisation.process("shift.delete", job?.shiftId ?? "");
    await later(LIMITS.everyMs);
    expect(mails).toHaveLength(1);
    await open();
    expect(mails).toHaveLength(2);
    expect(await notifications(candidateId)).toHaveLength(3);
  });

  it("that failed takes no turn of another organisation once none of its offers holds any more", async () => {
    const other = await harness.onboard({ connect: false });
    await organisation.addPerson({ competenceIds: [organisation.competenceId, other.competenceId] });
    const [, job] = await openAll(2);
    onMail = async () => {
      onMail = undefined;
      organisation.provider.deleteShift(job?.shiftId ?? "");
      await organisation.send("shift.delete", job?.shiftId ?? "");
      await organisation.processed();
      return AWAY;
    };
    await later(LIMITS.everyMs);
    expect([mails.length, onMail]).toEqual([1, undefined]);
    await open(2 * DAY_MS, other);
    expect(mails).toHaveLength(2);
  });

  it("keeps its Message-ID across attempts, without offers that no longer hold or are new", async () => {
    const { candidateId } = await organisation.addPerson();
    const [, gone] = await openAll(4);
    const attempts: Mail[] = [];
    onMail = async (mail) => {
      attempts.push(mail);
      if (attempts.length > 1) return DELIVERED;
      organisation.provider.deleteShift(gone?.shiftId ?? "");
      await organisation.send("shift.delete", gone?.shiftId ?? "");
      await organisation.send("shift.create", organisation.provider.createShift(shiftIn(DAY_MS)).shiftId);
      await organisation.processed();
      return AWAY;
    };
    await later(LIMITS.everyMs);
    expect(attempts.map(({ subject }) => subject)).toEqual([digest("3"), digest("2 of 3")]);
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(1);
    expect(await waiting(candidateId)).toMatchObject([
      { withdrawnAt: expect.any(String) },
      { waitsFor: "offer_window" },
    ]);
  });

  it("is sent once by two processes", async () => {
    const second = await start();
    await organisation.addPerson();
    await openAll(3);
    await later(LIMITS.everyMs);
    await second.platform.idle();
    await second.close();
    expect(subjects()).toEqual([single, digest("2")]);
  });

  it("of a window is sent after a restart, once", async () => {
    await organisation.addPerson();
    await openAll(3);
    expect(mails).toHaveLength(1);
    await harness.platform.close();
    const second = await start();
    await clock.forward(LIMITS.everyMs);
    await second.platform.idle();
    expect(subjects()).toEqual([single, digest("2")]);
    await second.close();
  });

  it("of one organisation neither delays nor uses up that of another to the same person", async () => {
    const other = await harness.onboard({ connect: false });
    await organisation.addPerson({ competenceIds: [organisation.competenceId, other.competenceId] });
    for (let nth = 0; nth < 2 * LIMITS.perDay; nth += 1) await open((11 - nth) * HOUR_MS, other);
    await open(2 * DAY_MS, other);
    expect(mails).toHaveLength(2 * LIMITS.perDay);
    await open();
    await open(3 * DAY_MS);
    expect(mails).toHaveLength(2 * LIMITS.perDay + 1);
    await later(LIMITS.everyMs);
    expect(mails).toHaveLength(2 * LIMITS.perDay + 2);
  });

  it("has a limit for shifts within 12 hours, too: twice the daily one", async () => {
    await organisation.addPerson();
    for (let nth = 0; nth < 10; nth += 1) await open((11 - nth / 2) * HOUR_MS);
    expect(mails).toHaveLength(2 * LIMITS.perDay);
    await later(HOUR_MS);
    expect(mails).toHaveLength(2 * LIMITS.perDay);
  });

  it("names one shift three times a day, however often its provider moves it, and its last times on the next day", async () => {
    const { candidateId } = await organisation.addPerson();
    const job = await open(10 * HOUR_MS);
    const move = async (inMs: number) => {
      organisation.provider.updateShift(job.shiftId, shiftIn(inMs));
      await organisation.process("shift.update", job.shiftId);
      await later(0);
    };
    for (let nth = 1; nth < 7; nth += 1) await move(10 * HOUR_MS + nth * MINUTE_MS);
    expect(mails).toHaveLength(3);
    expect((await waiting(candidateId)).at(-1)).toMatchObject({ waitsFor: "daily_limit" });
    await move(2 * DAY_MS);
    await later(DAY_MS);
    expect(mails).toHaveLength(4);
  });

  it("is of a mailbox, however many people are given its address", async () => {
    const spellings = [
      "Lo.Ek@Example.com",
      "lo.ek@example.com",
      "lo.ek+a@example.com",
      "LO.EK+b@example.com",
    ];
    for (const email of [...spellings, ...spellings]) await organisation.addPerson({ email });
    await open();
    expect(mails).toHaveLength(1);
    await later(LIMITS.everyMs);
    expect(mails).toHaveLength(2);
    for (let nth = 0; nth < 5; nth += 1) await later(LIMITS.everyMs);
    expect(mails).toHaveLength(LIMITS.perDay);
    await later(DAY_MS);
    await organisation.addPerson({ email: "other@example.com" });
    await open();
    expect(mails.map(({ address }) => address)).toContain("other@example.com");
  });

  it("is sent at once when an operator resends it, and the window stays as it is", async () => {
    const { candidateId } = await organisation.addPerson();
    await openAll(3);
    const [, second] = await notifications(candidateId);
    const path = { notificationId: second?.notificationId ?? "" };
    ok(await organisation.operations.resendNotification({ params: { path } }));
    await harness.platform.idle();
    expect(mails.map(({ id }) => id)[1]).toBe(second?.notificationId);
    await later(LIMITS.everyMs);
    expect(subjects()).toEqual([single, single, single]);
  });

  it("that the server refuses takes no turn", async () => {
    const { candidateId } = await organisation.addPerson();
    delivery = { kind: "refused", code: "mail_server_refused", status: 550 };
    await open();
    delivery = DELIVERED;
    expect(await notifications(candidateId)).toMatchObject([{ deliveryError: "gave_up" }]);
    await open();
    expect(mails).toHaveLength(1);
  });
});

const NOW = Date.parse("2026-11-25T12:00:00Z");
const at = (before: number) => new Date(NOW - before);
const sent = (before: number) => ({ at: at(before), sentAt: at(before) });

const window = (inMs: number) => ({ until: NOW + inMs, for: "offer_window" });
const limit = (inMs: number) => ({ until: NOW + inMs, for: "daily_limit" });

describe("the next mail with offers", () => {
  it.each<[waits: string, mails: Parameters<typeof waitOf>[0], wait: ReturnType<typeof waitOf> | object]>([
    ["does not wait after a quiet time", [], undefined],
    ["waits for the rest of the window", [sent(4 * MINUTE_MS), sent(HOUR_MS)], window(6 * MINUTE_MS)],
    ["does not wait once the window is over", [sent(10 * MINUTE_MS)], undefined],
    [
      "waits a window when another mail is about to be sent",
      [{ at: at(HOUR_MS), sentAt: null }],
      window(10 * MINUTE_MS),
    ],
    [
      "waits from the delivery, not from the first attempt",
      [{ at: at(HOUR_MS), sentAt: at(MINUTE_MS) }],
      window(9 * MINUTE_MS),
    ],
    ["waits a window at most after a clock that was ahead", [sent(-HOUR_MS)], window(10 * MINUTE_MS)],
    [
      "waits until the limit's mail is 24 hours old",
      [sent(HOUR_MS), sent(2 * HOUR_MS), sent(20 * HOUR_MS), sent(23 * HOUR_MS)],
      limit(4 * HOUR_MS),
    ],
    [
      "waits for the window when the limit ends first",
      [sent(0), sent(HOUR_MS), sent(DAY_MS - MINUTE_MS)],
      window(10 * MINUTE_MS),
    ],
  ])("%s", (_, mails, wait) => {
    expect(waitOf(mails, NOW, LIMITS)).toEqual(wait);
  });

  it("is sent at once without limits", () => {
    expect(waitOf([sent(0), sent(0), sent(0)], NOW, { everyMs: 0, perDay: 0 })).toBeUndefined();
  });
});
