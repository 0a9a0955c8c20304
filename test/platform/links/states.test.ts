import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import type { Mail } from "../../../src/platform/deps.ts";
import {
  answerOn,
  asksOf,
  buttonsOf,
  catchMail,
  headingOf,
  linkOf,
  linksIn,
  PUBLIC_URL,
  startWithLinks,
} from "../../harness/candidate-links.ts";
import { copyDatabase, featureEngines, useEngine } from "../../harness/engines.ts";
import { openGate } from "../../harness/gate.ts";
import { send } from "../../harness/http.ts";
import { ok } from "../../harness/operations.ts";
import type { Person } from "../../harness/organisation.ts";
import { startHarness } from "../../harness/platform.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

const OFFER = /is open for you/;
const ADDRESS = "robin@example.com";
const HOUR_MS = 3_600_000;

describe.each(featureEngines)("the page of a shift on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  let mails: Mail[];
  let clock: number;
  beforeEach(async () => {
    clock = Date.now();
    ({ organisation, mails } = await startWithLinks(database(), { now: () => new Date(clock) }));
  });
  afterEach(() => organisation.close());

  const open = (link: string) => send(organisation.url, link);
  const answer = (link: string, given: string) => answerOn(organisation.url, link, given);
  /** The heading, the answers that have buttons, and those for which another page asks. */
  const shown = async (link: string) => {
    const page = await open(link);
    const buttons = buttonsOf(page).filter((each) => each !== "not_me");
    return [page.status, headingOf(page), ...buttons, ...asksOf(page).map((each) => `${each}?`)];
  };
  const offered = async (firstName = "Robin"): Promise<{ job: Job; person: Person; link: string }> => {
    const person = await organisation.addPerson({ firstName, email: ADDRESS });
    const job = await organisation.open();
    // The others are offered it too, in any order.
    const own = mails.filter(({ address }) => address === ADDRESS);
    return { job, person, link: linkOf(own, OFFER) };
  };

  it("shows what is offered, and a person is booked with the form alone", async () => {
    const { job, person, link } = await offered();
    const page = await open(link);
    expect(page.status).toBe(200);
    const [outlet] = organisation.provider.outlets;
    for (const text of [
      "Robin",
      "Kvarteret",
      job.outletName ?? outlet?.name,
      job.roleName,
      "Central European",
    ])
      expect(page.text).toContain(text);
    expect(await shown(link)).toEqual([200, "A shift for you", "accept", "decline"]);
    const answered = await answer(link, "accept");
    expect([answered.status, answered.headers.location]).toEqual([303, link]);
    expect(await shown(link)).toEqual([200, "Your shift is confirmed", "withdraw?"]);
    expect((await organisation.booking(job, person))?.status).toBe("confirmed");
    expect(organisation.provider.shift(job.shiftId)?.assigned).toHaveLength(1);
  });

  it("shows the break and the description, of a provider that sends them", async () => {
    const { link } = await offered();
    expect((await open(link)).text).not.toMatch(/Break|About/);
    await organisation.close();
    const { channel, mails } = catchMail();
    const config = { publicUrl: PUBLIC_URL };
    organisation = await startOrganisation(database(), { config, channel, dialect: { variant: "b" } });
    await organisation.addPerson({ language: "sv" });
    await organisation.open({
      breakMinutes: 90,
      description: "Ring på <dörren>, fråga efter 18900116-9813\0",
    });
    const page = await open(linksIn(mails.at(-1) ?? { text: "" })[0] ?? "");
    expect(page.text).toContain("<dt>Rast</dt><dd><bdi>1 timme 30 minuter</bdi></dd>");
    const text = "Ring på &lt;dörren&gt;, fråga efter [personal number]";
    expect(page.text).toContain(`<dt>Om passet</dt><dd><bdi>${text}</bdi></dd>`);
    expect(mails.at(-1)?.text).not.toContain("dörren");
  });

  it("takes the same answer twice, and two at once, as one", async () => {
    const { job, link } = await offered();
    const both = await Promise.all([answer(link, "accept"), answer(link, "accept")]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    expect((await answer(link, "accept")).status).toBe(303);
    expect((await organisation.job(job.shiftId)).bookings).toHaveLength(1);
    for (let times = 0; times < 2; times += 1) expect((await answer(link, "withdraw")).status).toBe(303);
    expect(await shown(link)).toEqual([200, "You have withdrawn", "accept?"]);
    expect((await organisation.job(job.shiftId)).bookings.map(({ status }) => status)).toEqual(["released"]);
  });

  it("ends the offers of a shift that is declined, and the answer can be taken back", async () => {
    const { job, person, link } = await offered();
    expect((await answer(link, "decline")).status).toBe(303);
    expect(await shown(link)).toEqual([200, "You have declined", "accept?"]);
    const ended = { candidateId: person.candidateId, withdrawnAt: expect.any(String) };
    expect(await organisation.notifications(job, "job_offered")).toMatchObject([ended]);
    const before = mails.length;
    organisation.provider.updateShift(job.shiftId, {
      startTime: new Date(clock + 80 * HOUR_MS).toISOString(),
      endTime: new Date(clock + 88 * HOUR_MS).toISOString(),
    });
    await organisation.process("shift.update", job.shiftId);
    expect(mails.slice(before).filter(({ subject }) => OFFER.test(subject))).toEqual([]);
    expect((await answer(link, "accept")).status).toBe(303);
    expect((await organisation.booking(job, person))?.status).toBe("confirmed");
    expect((await answer(link, "decline")).status).toBe(409);
    expect(await shown(link)).toEqual([200, "Your shift is confirmed", "withdraw?"]);
  });

  it("says that someone was faster", async () => {
    const other = await organisation.addPerson({ firstName: "Kim", email: "kim@example.com" });
    const { job, link } = await offered();
    await organisation.accept(job, other);
    expect(await shown(link)).toEqual([200, "Someone was faster"]);
    const late = await answer(link, "accept");
    expect([late.status, headingOf(late)]).toEqual([409, "Someone was faster"]);
  });

  it("is followed by a mail for who was asked at the workplace and not confirmed", async () => {
    const { link } = await offered();
    organisation.provider.setFault("assign-conflict");
    await answer(link, "accept");
    await organisation.idle();
    expect(mails.map(({ subject }) => subject)).toContainEqual(expect.stringMatching(/no longer booked/));
  });

  it("shows the times of the mail and those of now, for a shift that was moved", async () => {
    const { job, link } = await offered();
    await answer(link, "accept");
    expect((await open(link)).text).not.toContain("<del>");
    organisation.provider.updateShift(job.shiftId, {
      startTime: "2027-06-04T06:00:00Z",
      endTime: "2027-06-04T13:30:00Z",
    });
    await organisation.process("shift.update", job.shiftId);
    const page = await open(link);
    expect(page.text).toContain("Friday, 4 June 2027");
    expect(page.text).toContain("08:00 – 15:30");
    expect(page.text).toContain("7 hours 30 minutes");
    expect(page.text).toMatch(/<del>\w+, \d+ \w+ \d{4} /);
  });

  it("says that the shift is cancelled", async () => {
    const { job, link } = await offered();
    await answer(link, "accept");
    organisation.provider.deleteShift(job.shiftId);
    await organisation.process("shift.delete", job.shiftId);
    expect(await shown(link)).toEqual([200, "The shift is cancelled"]);
    expect((await answer(link, "accept")).status).toBe(409);
  });

  it("names whom to call once the shift has started, and ends a day after it", async () => {
    const { job, link } = await offered();
    await answer(link, "accept");
    ok(
      await organisation.operations.changeIntegration({
        params: organisation.params,
        body: { contactPhone: "+46 70 174 06 05" },
      }),
    );
    clock = Date.parse(job.startTime) + 1;
    const page = await open(link);
    expect(buttonsOf(page)).toEqual(["not_me"]);
    expect(page.text).toContain('<a href="tel:+46701740605">+46 70 174 06 05</a>');
    expect((await answer(link, "withdraw")).status).toBe(409);
    clock = Date.parse(job.endTime) + 24 * HOUR_MS - 1;
    expect((await open(link)).status).toBe(200);
    clock += 1;
    expect(await shown(link)).toEqual([410, "This link has ended"]);
    expect((await answer(link, "accept")).status).toBe(410);
  });

  it("does not book once the shift has started", async () => {
    const { job, person, link } = await offered();
    clock = Date.parse(job.startTime);
    expect(await shown(link)).toEqual([200, "The shift is no longer available"]);
    expect((await answer(link, "accept")).status).toBe(409);
    expect(await organisation.booking(job, person)).toBeUndefined();
  });

  it("says why a person cannot be booked", async () => {
    const { job, link } = await offered();
    const other = await organisation.open({ startTime: job.startTime, endTime: job.endTime });
    await answer(linkOf(mails, OFFER), "accept");
    expect(other.jobId).not.toBe(job.jobId);
    const refused = await answer(link, "accept");
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("You work on another shift at that time.");
  });

  it("waits for a provider that does not respond, and says so", async () => {
    await organisation.close();
    const { channel, mails } = catchMail();
    const config = { publicUrl: PUBLIC_URL };
    organisation = await startOrganisation(database(), { config, channel, timing: { answerWithinMs: 100 } });
    const person = await organisation.addPerson();
    const job = await organisation.open();
    const link = linkOf(mails, OFFER);
    organisation.provider.setFault("unavailable");
    expect((await answer(link, "accept")).status).toBe(303);
    const page = await open(link);
    expect([headingOf(page), buttonsOf(page)]).toEqual(["Asked at the workplace", ["not_me"]]);
    expect(asksOf(page)).toEqual(["withdraw"]);
    expect(page.text).toContain('<meta http-equiv="refresh"');
    await expect.poll(async () => (await open(link)).text).toContain("does not respond at the moment");
    organisation.provider.clearFaults();
    await expect.poll(async () => headingOf(await open(link))).toBe("Your shift is confirmed");
    expect((await organisation.booking(job, person))?.status).toBe("confirmed");
  });
});

it("shows a page to candidates while the database is down, and the shift once it is back", async () => {
  const { where, remove } = await copyDatabase();
  const gate = await openGate(where.url);
  const { channel, mails } = catchMail();
  const harness = await startHarness({ url: gate.url }, { config: { publicUrl: PUBLIC_URL }, channel });
  onTestFinished(async () => {
    await harness.close();
    await gate.shut();
    await remove();
  });
  const organisation = await harness.onboard({ connect: false });
  await organisation.addPerson();
  const { shiftId } = await organisation.open();
  const { url } = harness.platform;
  const [link = "", list = ""] = linksIn(mails[0] ?? { text: "" });
  const { text } = await send(url, list);
  const calendar = /<code>https:\/\/work\.example([^<]*)/.exec(text)?.[1] ?? "";
  await gate.shut();
  for (const path of [link, list, calendar]) {
    const page = await send(url, path);
    expect([page.status, headingOf(page)]).toEqual([503, "Something went wrong"]);
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
    });
    expect(Number(page.headers["retry-after"])).toBeGreaterThan(0);
  }
  expect(headingOf(await answerOn(url, `${link}?language=sv`, "accept"))).toBe("Något gick fel");
  await gate.open();
  await expect.poll(async () => headingOf(await send(url, link))).toBe("A shift for you");
  expect((await organisation.job(shiftId)).bookings).toEqual([]);
});
