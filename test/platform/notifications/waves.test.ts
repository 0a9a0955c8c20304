import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/timestamp.ts";
import type { Channel, Delivery, Mail } from "../../../src/platform/deps.ts";
import { answerOn, linkOf, PUBLIC_URL } from "../../harness/candidate-links.ts";
import { useClock } from "../../harness/clock.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { send } from "../../harness/http.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation, Person } from "../../harness/organisation.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";

const PAUSE_MS = 30 * MINUTE_MS;
const DELIVERED: Delivery = { kind: "delivered" };

describe.each(featureEngines)("offers in waves on %s", (engine) => {
  const database = useEngine(engine);
  const clock = useClock(database);
  let harness: Harness;
  let organisation: Organisation;
  let mails: Mail[];
  let delivery: (mail: Mail) => Delivery;
  const channel: Channel = {
    name: "email",
    deliver: async (mail) => {
      const outcome = delivery(mail);
      if (outcome.kind === "delivered") mails.push(mail);
      return outcome;
    },
    close: () => undefined,
  };
  const start = async ({ size = 1, everyMs = 0, perDay = 0 } = {}) => {
    await harness?.close();
    harness = await startHarness(database(), {
      channel,
      now: clock.now,
      config: {
        offerWaves: { size, pauseMs: PAUSE_MS },
        offerMail: { everyMs, perDay },
        publicUrl: PUBLIC_URL,
      },
    });
    organisation = await harness.onboard({ connect: false });
  };
  beforeEach(() => {
    [mails, delivery] = [[], () => DELIVERED];
  });
  afterEach(() => harness.close());

  const open = (inMs = 3 * DAY_MS, rest: object = {}) => {
    const startTime = new Date(clock.now().getTime() + inMs).toISOString();
    return organisation.open({
      startTime,
      endTime: new Date(Date.parse(startTime) + 6 * HOUR_MS).toISOString(),
      ...rest,
    });
  };
  /** Sets the clock forward, and waits for what has become due. */
  const later = async (ms: number) => {
    await clock.forward(ms);
    await organisation.idle();
  };
  const add = async (...names: string[]): Promise<Person[]> => {
    const people: Person[] = [];
    for (const name of names)
      people.push(await organisation.addPerson({ firstName: name, email: `${name}@example.com` }));
    return people;
  };
  /** Who was offered the job, in the order of the mails. */
  const asked = async (job: Job) => {
    const offers = await organisation.notifications(job, "job_offered");
    const ids = new Map(offers.map(({ candidateId, createdAt }) => [candidateId, createdAt]));
    return ids.size;
  };
  const mailed = () => mails.map(({ address }) => address.split("@")[0]);
  const explanation = async ({ jobId }: Job) =>
    ok(await organisation.operations.explainJob({ params: { path: { jobId } } }));
  const answer = (name: string, given: string) =>
    answerOn(
      harness.platform.url,
      linkOf(
        mails.filter(({ address }) => address.startsWith(name)),
        /open for you/,
      ),
      given,
    );

  it("go to so many people at a time, the next ones a pause after the last mail was sent", async () => {
    await start({ size: 2 });
    await add("a", "b", "c", "d", "e");
    const job = await open();
    expect(await asked(job)).toBe(2);
    expect((await explanation(job)).waves).toMatchObject({
      size: 2,
      pauseMinutes: 30,
      nextAt: expect.any(String),
    });
    await later(PAUSE_MS - MINUTE_MS);
    expect(await asked(job)).toBe(2);
    await later(MINUTE_MS);
    expect(await asked(job)).toBe(4);
    await later(PAUSE_MS);
    expect(await asked(job)).toBe(5);
    expect(mailed().toSorted()).toEqual(["a", "b", "c", "d", "e"]);
    expect((await explanation(job)).waves).toEqual({ size: 2, pauseMinutes: 30 });
  });

  it("have the pause counted from the sending of a digest, and do not wait for a person who gets no more mail today", async () => {
    await start({ size: 2, everyMs: 10 * MINUTE_MS, perDay: 2 });
    await add("a");
    await open(4 * DAY_MS);
    await add("b");
    const job = await open();
    expect(await asked(job)).toBe(2);
    // Only now, so that no lot decides whether the first person is asked.
    await add("c");
    // The digest to the first person has waited for ten minutes.
    await later(10 * MINUTE_MS);
    await expect.poll(() => mailed().filter((name) => name === "a")).toHaveLength(2);
    await later(PAUSE_MS - MINUTE_MS);
    expect(await asked(job)).toBe(2);
    await later(MINUTE_MS);
    expect(await asked(job)).toBe(3);
    const next = await open(5 * DAY_MS);
    expect(await asked(next)).toBe(2);
    // The lot decides who is asked first. A mail that waits for the limits ends its window in between.
    await later(10 * MINUTE_MS);
    await later(PAUSE_MS);
    await later(10 * MINUTE_MS);
    expect(await asked(next)).toBe(3);
  });

  it("wait while the mail server accepts nothing", async () => {
    await start();
    await add("a", "b");
    delivery = () => ({ kind: "unavailable", code: "mail_server_unreachable" });
    const job = await open();
    await later(2 * PAUSE_MS);
    expect(await asked(job)).toBe(1);
    delivery = () => DELIVERED;
    await later(HOUR_MS);
    await later(PAUSE_MS - MINUTE_MS);
    expect(await asked(job)).toBe(1);
    await later(MINUTE_MS);
    expect(await asked(job)).toBe(2);
  });

  it("go to all who are left once the shift starts within 12 hours", async () => {
    await start();
    await add("a", "b", "c");
    const near = await open(11 * HOUR_MS);
    expect(await asked(near)).toBe(3);
    const job = await open(12 * HOUR_MS + 5 * MINUTE_MS);
    expect(await asked(job)).toBe(1);
    await later(5 * MINUTE_MS);
    expect(await asked(job)).toBe(3);
  });

  it("go on at once when all of a wave have declined, and end for those who have", async () => {
    await start();
    await add("a", "b");
    const job = await open();
    const [first = ""] = mailed();
    await answer(first, "decline");
    await organisation.idle();
    expect(mailed()).toHaveLength(2);
    expect(mailed()[1]).not.toBe(first);
    await later(PAUSE_MS);
    expect(mailed()).toHaveLength(2);
    const [declined, newest] = await organisation.notifications(job, "job_offered");
    expect(declined).toMatchObject({ declinedAt: expect.any(String), withdrawnAt: expect.any(String) });
    expect(newest).not.toHaveProperty("declinedAt");
  });

  it.each([
    [
      "wants no mail with offers",
      () => send(harness.platform.url, new URL(mails[0]?.unsubscribe ?? "").pathname, { method: "POST" }),
    ],
    ["does not own the address", () => answer("a", "not_me")],
    // A registry may list people without an address.
    ["has no address", () => database().kysely.updateTable("candidates").set({ email: "" }).execute()],
  ])(
    "keep no place for a person who %s, whose list shows the offer beside those of the wave",
    async (_, end) => {
      await start();
      delivery = ({ address }) =>
        address === "" ? { kind: "refused", code: "address_unusable" } : DELIVERED;
      await add("a");
      await open();
      await end();
      await add("b");
      await organisation.idle();
      mails.length = 0;
      for (let nth = 0; nth < 8; nth += 1) {
        const job = await open((4 + nth) * DAY_MS);
        expect(await asked(job)).toBe(2);
        expect((await explanation(job)).waves).not.toHaveProperty("nextAt");
      }
      expect(mailed()).toEqual(Array(8).fill("b"));
      await add("c");
      const job = await open();
      expect(await asked(job)).toBeLessThan(3);
      await later(PAUSE_MS);
      expect(await asked(job)).toBe(3);
    },
  );

  it("are of people who lack the offer: those who had it have it again at once when a seat is free again", async () => {
    await start();
    await add("a", "b", "c");
    const job = await open();
    await later(PAUSE_MS);
    for (const positions of [0, 1]) {
      organisation.provider.updateShift(job.shiftId, { positions });
      await organisation.process("shift.update", job.shiftId);
      const offers = await organisation.notifications(job, "job_offered");
      const held = offers.filter(({ withdrawnAt }) => withdrawnAt === undefined);
      expect([offers.length, held.length]).toEqual([2, 2 * positions]);
    }
  });

  it("end when the shift is filled", async () => {
    await start();
    await add("a", "b");
    const job = await open();
    await answer(mailed()[0] ?? "", "accept");
    await later(PAUSE_MS);
    expect((await organisation.job(job.shiftId)).status).toBe("filled");
    expect(await asked(job)).toBe(1);
  });

  it("go first to who has worked at the place, then with the competence, then to who has been without a shift longest", async () => {
    await start();
    const { operations, params, provider, workplaceId, competenceId } = organisation;
    const other = ok(await operations.createWorkplace({ body: { name: "another place" } })).workplaceId;
    const kitchen = ok(
      await operations.createCompetence({ body: { name: "another competence" } }),
    ).competenceId;
    const [here, there] = provider.outlets.map(({ id }) => id);
    const [waiter, cook] = provider.roles.map(({ id }) => id);
    ok(
      await operations.updateMappings({
        params,
        body: {
          outlets: [
            { outletId: here ?? "", workplaceId },
            { outletId: there ?? "", workplaceId: other },
          ],
          roles: [
            { roleId: waiter ?? "", competenceId },
            { roleId: cook ?? "", competenceId: kitchen },
          ],
        },
      }),
    );
    const competenceIds = [competenceId, kitchen];
    const people = new Map<string, Person>();
    for (const name of ["recent", "rested", "place", "waiter", "own", "new"])
      people.set(
        name,
        await organisation.addPerson({ firstName: name, email: `${name}@example.com`, competenceIds }),
      );
    const work = async (
      name: string,
      outletId: string | undefined,
      roleId: string | undefined,
      inMs: number,
    ) => {
      const person = people.get(name);
      const job = await open(inMs, { outletId, roleId });
      if (person) expect((await organisation.accept(job, person)).status).toBe(201);
      return job;
    };
    const job = await work("own", there, cook, HOUR_MS);
    const [id = ""] = provider.shift(job.shiftId)?.assigned.keys() ?? [];
    await work("rested", there, cook, DAY_MS);
    await work("place", here, cook, 2 * DAY_MS);
    await work("waiter", there, waiter, 2 * DAY_MS);
    await work("recent", there, cook, 2 * DAY_MS);
    // What someone does for another organisation, if at the same place, does not count.
    const elsewhere = await harness.onboard({ connect: false });
    const outlets = elsewhere.provider.outlets.map(({ id }) => ({ outletId: id, workplaceId }));
    const roles = elsewhere.provider.roles.map(({ id }) => ({ roleId: id, competenceId }));
    ok(await operations.updateMappings({ params: elsewhere.params, body: { outlets, roles } }));
    const person = people.get("new");
    if (person) expect((await elsewhere.accept(await elsewhere.open(), person)).status).toBe(201);
    // The provider puts a person on a shift itself.
    const ownShift = await open(3 * DAY_MS, { outletId: here, roleId: cook });
    provider.assign(ownShift.shiftId, id);
    await organisation.process("shift.update", ownShift.shiftId);
    await later(4 * DAY_MS);
    mails.length = 0;
    await open(3 * DAY_MS, { outletId: here, roleId: waiter });
    for (let wave = 0; wave < 7; wave += 1) await later(PAUSE_MS);
    expect(mailed()).toEqual(["place", "own", "waiter", "new", "rested", "recent"]);
  });

  it("go to equals by lot, another one for each shift", async () => {
    await start();
    await add("a", "b", "c", "d", "e", "f");
    for (let nth = 0; nth < 8; nth += 1) await open((3 + nth) * DAY_MS);
    expect(mailed()).toHaveLength(8);
    expect(new Set(mailed()).size).toBeGreaterThan(1);
  });

  it("show when a link was first opened, which changes nothing else", async () => {
    await start();
    await add("a");
    const job = await open();
    const offer = async () => (await organisation.notifications(job, "job_offered"))[0];
    const before = await offer();
    const link = linkOf(mails, /open for you/);
    await send(harness.platform.url, link, { method: "HEAD" });
    expect(await offer()).toEqual(before);
    await send(harness.platform.url, link);
    const { linkOpenedAt, ...opened } = (await offer()) ?? {};
    expect(opened).toEqual(before);
    expect(linkOpenedAt).toMatch(/Z$/);
    await later(HOUR_MS);
    await send(harness.platform.url, link);
    expect((await offer())?.linkOpenedAt).toBe(linkOpenedAt);
  });
});
