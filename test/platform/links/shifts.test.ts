import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, toMinute } from "../../../src/contract/timestamp.ts";
import type { Mail } from "../../../src/platform/deps.ts";
import { readCalendar } from "../../harness/calendar.ts";
import {
  answerOn,
  headingOf,
  linkOf,
  linksIn,
  ownLinkIn,
  startWithLinks,
} from "../../harness/candidate-links.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { send } from "../../harness/http.ts";
import { ok } from "../../harness/operations.ts";
import type { StartedOrganisation } from "../../harness/started-organisation.ts";

const OFFER = /is open for you/;

const minuteOf = (time: string) => toMinute(new Date(time)).toISOString().replace(/\.\d+/, "");

describe.each(featureEngines)("the shifts of a candidate on %s", (engine) => {
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
  /** A shift so many days from now. */
  const openIn = (days: number) =>
    organisation.open({
      startTime: new Date(clock + days * DAY_MS).toISOString(),
      endTime: new Date(clock + days * DAY_MS + 8 * HOUR_MS).toISOString(),
    });
  const ownLink = () => ownLinkIn(mails.at(-1));
  /** The headings, and the state of each shift. */
  const shown = async (link: string) => {
    const [text = ""] = (await open(link)).text.split("<h2>In your calendar");
    return [...text.matchAll(/<h2>([^<]*)|<span class="by">([^<]*)/g)].map(
      ([, heading, state]) => heading ?? state,
    );
  };
  const calendarOf = async (link: string) => {
    const { text } = await open(link);
    return /<code>https:\/\/work\.example(\/c\/calendar\/[^<]*\/shifts\.ics)<\/code>/.exec(text)?.[1] ?? "";
  };
  const shiftsOn = async (link: string) => {
    const { text } = await open(link);
    return [...text.matchAll(/<strong><a href="\.\.\/([^"]*)"/g)].map(([, token]) => `/c/${token}`);
  };

  it("are offers and bookings, upcoming ones first, each with its own page", async () => {
    const { candidateId } = await organisation.addPerson({ firstName: "Robin" });
    const past = await openIn(1);
    await organisation.accept(past, { candidateId });
    await openIn(4);
    const cancelled = await openIn(3);
    await organisation.accept(cancelled, { candidateId });
    const declined = await openIn(5);
    await answerOn(organisation.url, linkOf(mails, OFFER), "decline");
    expect(declined.jobId).not.toBe(cancelled.jobId);
    organisation.provider.deleteShift(cancelled.shiftId);
    await organisation.process("shift.delete", cancelled.shiftId);
    const link = ownLink();
    expect(link).toMatch(/^\/c\/shifts\/[\w-]{70}$/);
    expect(headingOf(await open(link))).toBe("Your shifts");
    expect(await shown(link)).toEqual(["Upcoming", "Confirmed", "Cancelled", "Open for you"]);
    clock = Date.parse(past.endTime) + DAY_MS;
    expect(await shown(link)).toEqual(["Upcoming", "Cancelled", "Open for you", "Past", "Confirmed"]);
    const pages = await shiftsOn(link);
    expect(pages).toHaveLength(2);
    const [, offer = ""] = pages;
    expect((await answerOn(organisation.url, offer, "accept")).status).toBe(303);
    expect(await shown(link)).toEqual(["Upcoming", "Cancelled", "Confirmed", "Past", "Confirmed"]);
    clock += 40 * DAY_MS;
    const text = "You have no shifts, and none is open for you at the moment.";
    expect((await open(link)).text).toContain(text);
  });

  it("include those on which the provider has put the candidate", async () => {
    const person = await organisation.addPerson({ firstName: "Robin" });
    const booked = await openIn(1);
    await organisation.accept(booked, person);
    const id = [...(organisation.provider.shift(booked.shiftId)?.assigned.keys() ?? [])];
    const job = await openIn(3);
    organisation.provider.assign(job.shiftId, id[0] ?? "");
    await organisation.process("shift.update", job.shiftId);
    expect(await shown(ownLink())).toEqual(["Upcoming", "Confirmed", "Confirmed"]);
    const feed = readCalendar((await open(await calendarOf(ownLink()))).text);
    expect(new Set(feed.events.map(({ uid }) => uid)).size).toBe(2);
  });

  it("are a calendar to subscribe to, with the entries of the mails and without a link or a recipient", async () => {
    await organisation.addPerson({ firstName: "Robin" });
    const job = await openIn(2);
    await answerOn(organisation.url, linkOf(mails, OFFER), "accept");
    await openIn(4);
    const mailed = mails.find(({ calendar }) => calendar)?.calendar;
    const response = await open(await calendarOf(ownLink()));
    expect([response.status, response.headers["content-type"]]).toEqual([
      200,
      "text/calendar; charset=utf-8",
    ]);
    expect(response.headers).not.toHaveProperty("content-disposition");
    expect(response.text).toMatch(/^NAME:[^,]+\\, Kvarteret\r\nX-WR-CALNAME:[^,]+\\, Kvarteret\r$/m);
    expect(readCalendar(response.text)).toEqual({
      method: "PUBLISH",
      events: [
        {
          uid: mailed?.uid,
          sequence: 0,
          status: "CONFIRMED",
          summary: mailed?.summary,
          location: mailed?.location,
          description: "Kvarteret",
          // In whole minutes, as the mail and the page have them.
          start: minuteOf(job.startTime),
          end: minuteOf(job.endTime),
          stamp: expect.stringMatching(/Z$/),
        },
      ],
    });
    expect(response.text).not.toMatch(/https?:|ATTENDEE|mailto|Robin/i);
    organisation.provider.updateShift(job.shiftId, {
      endTime: new Date(Date.parse(job.endTime) + HOUR_MS).toISOString(),
    });
    await organisation.process("shift.update", job.shiftId);
    const changed = readCalendar((await open(await calendarOf(ownLink()))).text).events;
    expect(changed).toMatchObject([{ uid: mailed?.uid, sequence: 1 }]);
    await answerOn(organisation.url, (await shiftsOn(ownLink()))[0] ?? "", "withdraw");
    expect(readCalendar((await open(await calendarOf(ownLink()))).text).events).toEqual([]);
  });

  it("show a booking that the provider has not confirmed as tentative", async () => {
    await organisation.addPerson();
    await openIn(2);
    const link = ownLink();
    organisation.provider.setFault("unavailable");
    const accepted = answerOn(organisation.url, linkOf(mails, OFFER), "accept");
    await expect.poll(() => shown(link)).toContain("Asked at the workplace, not confirmed yet");
    const { events } = readCalendar((await open(await calendarOf(link))).text);
    expect(events).toMatchObject([
      { status: "TENTATIVE", description: expect.stringContaining("not confirmed yet") },
    ]);
    organisation.provider.clearFaults();
    expect((await accepted).status).toBe(303);
  });

  it("are in the candidate's language, and a link leads to the other one", async () => {
    await organisation.addPerson({ language: "sv", firstName: "Åsa" });
    await openIn(2);
    expect(mails[0]?.text).toContain("Alla dina pass, och din kalender:");
    const link = ownLink();
    expect(headingOf(await open(link))).toBe("Dina pass");
    const page = await open(`${link}?language=en`);
    expect(headingOf(page)).toBe("Your shifts");
    expect(page.text).toMatch(/<a href="\.\.\/[\w-]{70}\?language=en"/);
  });

  it("have links that are valid for their own purpose alone, and end with the person or for someone else", async () => {
    const { candidateId } = await organisation.addPerson();
    await openIn(2);
    const [shift = "", list = ""] = linksIn(mails[0] ?? { text: "" });
    const calendar = await calendarOf(list);
    const [shiftToken, listToken, calendarToken] = [
      shift.split("/")[2],
      list.split("/")[3],
      calendar.split("/")[3],
    ];
    const forged = [
      `/c/shifts/${shiftToken}`,
      `/c/shifts/${calendarToken}`,
      `/c/${listToken}`,
      `/c/${calendarToken}`,
      `/c/calendar/${shiftToken}/shifts.ics`,
      `/c/calendar/${listToken}/shifts.ics`,
    ];
    for (const each of forged) expect([each, (await open(each)).status]).toEqual([each, 404]);
    for (const each of [list, calendar]) expect((await open(each)).status).toBe(200);
    // The page of one shift can be forwarded alone.
    const linked = [...(await open(shift)).text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(linked).toEqual(["?language=sv"]);
    await answerOn(organisation.url, shift, "not_me");
    for (const each of [list, calendar]) expect((await open(each)).status).toBe(410);
    const [{ notificationId } = { notificationId: "" }] = await organisation.notifications(
      (await organisation.jobs())[0] ?? { jobId: "" },
    );
    ok(await organisation.operations.resendNotification({ params: { path: { notificationId } } }));
    await organisation.idle();
    const renewed = ownLink();
    expect((await open(renewed)).status).toBe(200);
    ok(await organisation.operations.eraseCandidate({ params: { path: { candidateId } } }));
    const page = await open(renewed);
    expect([page.status, headingOf(page)]).toEqual([410, "This link has ended"]);
  });
});
