import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Mail } from "../../../src/platform/deps.ts";
import {
  answerOn,
  buttonsOf,
  headingOf,
  linksIn,
  ownLinkIn,
  startWithLinks,
} from "../../harness/candidate-links.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { send } from "../../harness/http.ts";
import { ok } from "../../harness/operations.ts";
import type { StartedOrganisation } from "../../harness/started-organisation.ts";

const BOUNDARY = "one-click";

/** How mail programs send the one-click unsubscription (RFC 8058, section 3.2), and what else may arrive. */
const BODIES: readonly [name: string, contentType: string | undefined, body: string][] = [
  ["a form", "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
  [
    "a form of several parts",
    `multipart/form-data; boundary=${BOUNDARY}`,
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${BOUNDARY}--\r\n`,
  ],
  ["nothing", undefined, ""],
];

describe.each(featureEngines)("mail with offers on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  let mails: Mail[];
  let candidateId: string;
  beforeEach(async () => {
    ({ organisation, mails } = await startWithLinks(database()));
    ({ candidateId } = await organisation.addPerson({ firstName: "Robin" }));
    await organisation.open();
  });
  afterEach(() => organisation.close());

  const pathOf = (link = "") => new URL(link).pathname;
  const unsubscribeLink = () => pathOf(mails.at(-1)?.unsubscribe);
  const post = (link: string, contentType?: string, body = "") =>
    send(organisation.url, link, {
      method: "POST",
      body,
      headers: {
        origin: "https://mail.example",
        "sec-fetch-site": "cross-site",
        ...(contentType && { "content-type": contentType }),
      },
    });
  const person = async () =>
    ok(await organisation.operations.getCandidate({ params: { path: { candidateId } } }));
  const kinds = () =>
    mails.map(({ subject }) => (/open|new shifts/.test(subject) ? "offer" : subject.split(" ").at(-1)));

  it("can be ended by the link of its header and text, which mail about bookings does not have", async () => {
    const [job] = await organisation.jobs();
    expect(linksIn(mails[0] ?? { text: "" }).at(-1)).toBe(unsubscribeLink());
    await organisation.accept(job ?? { jobId: "" }, { candidateId });
    await organisation.idle();
    expect(mails.map(({ unsubscribe }) => unsubscribe === undefined)).toEqual([false, true]);
    expect(mails.at(-1)?.text).not.toContain("unsubscribe");
  });

  it.each(BODIES)(
    "ends at once with %s, twice as well as once, without a cookie or a redirect",
    async (_name, type, body) => {
      const link = unsubscribeLink();
      for (const attempt of [1, 2]) {
        const { status, headers, text } = await post(link, type, body);
        expect([attempt, status, /<button/.test(text)]).toEqual([attempt, 200, false]);
        expect(headers).not.toHaveProperty("set-cookie");
      }
      const { unsubscriptions } = await person();
      expect(unsubscriptions).toEqual([
        { providerId: organisation.provider.providerId, since: expect.any(String) },
      ]);
      const job = await organisation.open();
      expect(mails).toHaveLength(1);
      expect(await organisation.notifications(job)).toMatchObject([{ deliveryError: "unsubscribed" }]);
      expect(await organisation.issues()).toEqual([]);
    },
  );

  it("is not ended by a GET or a HEAD, whose page has a button and names no one", async () => {
    const link = unsubscribeLink();
    for (const method of ["HEAD", "GET"]) {
      const { status, text, headers } = await send(organisation.url, link, { method });
      expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
      expect(text.includes("<button")).toBe(method === "GET");
      expect(text).not.toContain("Robin");
    }
    expect(await person()).not.toHaveProperty("unsubscriptions");
    await organisation.open();
    expect(mails).toHaveLength(2);
  });

  it("stays ended when an operator sends an offer again, and mail about bookings goes on", async () => {
    await post(unsubscribeLink());
    const job = await organisation.open();
    const [{ notificationId } = { notificationId: "" }] = await organisation.notifications(job);
    ok(await organisation.operations.resendNotification({ params: { path: { notificationId } } }));
    await organisation.idle();
    expect(await organisation.notifications(job)).toMatchObject([{ deliveryError: "unsubscribed" }]);
    await organisation.accept(job, { candidateId });
    await organisation.idle();
    organisation.provider.deleteShift(job.shiftId);
    await organisation.process("shift.delete", job.shiftId);
    expect(kinds()).toEqual(["offer", "confirmed", "cancelled"]);
  });

  it("can be ended and restored on the page of all shifts, which shows offers all the same", async () => {
    const list = ownLinkIn(mails[0]);
    const answers = async () => buttonsOf(await send(organisation.url, list));
    expect(await answers()).toEqual(["not_me"]);
    const { text: subscribed } = await send(organisation.url, `${list}?language=en`);
    const [, link = ""] = /href="\.\.(\/unsubscribe\/[\w-]{70}\?language=en)"/.exec(subscribed) ?? [];
    const before = await send(organisation.url, `/c${link}`);
    expect([before.status, before.text.includes("<button")]).toEqual([200, true]);
    expect((await post(`/c${link}`)).status).toBe(200);
    expect(await answers()).toEqual(["subscribe", "not_me"]);
    await organisation.open();
    expect(mails).toHaveLength(1);
    const { text } = await send(organisation.url, list);
    expect(text.match(/Open for you/g)).toHaveLength(2);
    const elsewhere = { "sec-fetch-site": "cross-site" };
    expect((await answerOn(organisation.url, list, "subscribe", elsewhere)).status).toBe(403);
    expect(await answers()).toEqual(["subscribe", "not_me"]);
    expect((await answerOn(organisation.url, list, "subscribe")).status).toBe(303);
    expect(await person()).not.toHaveProperty("unsubscriptions");
    await organisation.open();
    expect(mails).toHaveLength(2);
    // As the page of an earlier version does.
    expect((await answerOn(organisation.url, list, "unsubscribe")).status).toBe(303);
    expect(await answers()).toEqual(["subscribe", "not_me"]);
  });

  it("is ended by no other link, and its link opens nothing else and ends with the person", async () => {
    const link = unsubscribeLink();
    const token = link.split("/").at(-1);
    const others = linksIn(mails[0] ?? { text: "" })
      .slice(0, 2)
      .map((each) => each.split("/").at(-1));
    for (const path of [
      `/c/${token}`,
      `/c/shifts/${token}`,
      ...others.map((each) => `/c/unsubscribe/${each}`),
    ])
      expect([
        path,
        (await post(path, "application/x-www-form-urlencoded", "answer=unsubscribe")).status === 200,
      ]).toEqual([path, false]);
    expect(await person()).not.toHaveProperty("unsubscriptions");
    await post(link);
    ok(await organisation.operations.eraseCandidate({ params: { path: { candidateId } } }));
    for (const page of [await post(link), await send(organisation.url, link)])
      expect([page.status, headingOf(page)]).toEqual([410, "This link has ended"]);
    expect(await organisation.dump()).not.toMatch(/^shiftpact\.personal_links /m);
  });

  it("goes on for no one after the list is answered with not me, which the newest notification shows", async () => {
    const list = ownLinkIn(mails[0]);
    const [job = { jobId: "" }] = await organisation.jobs();
    const newest = await organisation.open();
    const page = await answerOn(organisation.url, list, "not_me");
    expect([page.status, headingOf(page)]).toEqual([410, "Thank you"]);
    for (const each of linksIn(mails[0] ?? { text: "" }))
      expect((await send(organisation.url, each)).status).toBe(410);
    expect(await organisation.notifications(newest)).toMatchObject([{ deliveryError: "address_disputed" }]);
    expect(await organisation.notifications(job)).toMatchObject([{ deliveredAt: expect.any(String) }]);
    expect(await organisation.issues()).toMatchObject([{ code: "notification_failed" }]);
  });
});
