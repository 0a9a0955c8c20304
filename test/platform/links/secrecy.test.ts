import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Mail } from "../../../src/platform/deps.ts";
import { createLog } from "../../../src/platform/log.ts";
import {
  answerOn,
  buttonsOf,
  catchMail,
  headingOf,
  linkOf,
  linksIn,
  ownLinkIn,
  PUBLIC_URL,
  startWithLinks,
} from "../../harness/candidate-links.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { send } from "../../harness/http.ts";
import { ok } from "../../harness/operations.ts";
import { configFor } from "../../harness/platform.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

const OFFER = /is open for you/;

/** The paths of pages as the log has them. */
const HIDDEN = /"path":"\/c\/(?:\*|shifts\/\*|unsubscribe\/\*|calendar\/\*\/\*)"/g;

describe.each(featureEngines)("a link of a candidate on %s", (engine) => {
  const database = useEngine(engine);
  const lines: string[] = [];
  const log = createLog("debug", { write: (line) => void lines.push(line) });
  let organisation: StartedOrganisation;
  let mails: Mail[];
  const start = async (config = {}) => {
    const limits = { unknownTokenLimit: 20, trustProxy: 1, logLevel: "debug" };
    ({ organisation, mails } = await startWithLinks(database(), { config: { ...limits, ...config }, log }));
  };
  beforeEach(async () => {
    lines.length = 0;
    await start();
  });
  afterEach(() => organisation.close());

  const open = (link: string, from = "203.0.113.7") =>
    send(organisation.url, link, { headers: { "x-forwarded-for": from } });
  const answer = (link: string, given: string, headers?: Record<string, string>) =>
    answerOn(organisation.url, link, given, headers);
  const offered = async (firstName = "Robin") => {
    const person = await organisation.addPerson({ firstName });
    const job = await organisation.open();
    return { job, person, link: linkOf(mails, OFFER) };
  };

  const CHANGED =
    /^shiftpact\.(notifications|bookings|jobs|declines|disputed_addresses|issues|candidates|offer_mails) /;
  const rows = async () => (await organisation.dump()).split("\n").filter((row) => CHANGED.test(row));

  it("changes nothing but that it was opened, and the page is kept and referred to by no one", async () => {
    const { link } = await offered();
    const before = await rows();
    for (const method of ["HEAD", "GET"]) {
      const { status, headers, text } = await send(organisation.url, link, { method });
      expect(status).toBe(200);
      expect(text === "").toBe(method === "HEAD");
      expect(headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-robots-tag": "noindex, nofollow",
        "x-content-type-options": "nosniff",
      });
      expect(headers["content-security-policy"]).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(headers).not.toHaveProperty("set-cookie");
      expect(headers).not.toHaveProperty("etag");
      // The time stands before the salt, which is 0.
      const opened = method === "GET" ? /,"[^"]+",0,(?=[^,]+,"[^"]+"\)$)/ : /$^/;
      expect((await rows()).map((row) => row.replace(opened, ",,0,"))).toEqual(before);
    }
  });

  it("is in no log, metric, trace, notification or row", async () => {
    const { job, link } = await offered();
    const token = link.slice("/c/".length);
    await open(link);
    await open(`${link}x`);
    const own = ownLinkIn(mails[0]);
    const unsubscribe = linksIn(mails[0] ?? { text: "" }).at(-1) ?? "";
    expect((await open(unsubscribe)).status).toBe(200);
    const calendar = /<code>https:\/\/work\.example([^<]*)/.exec((await open(own)).text)?.[1] ?? "";
    expect((await open(calendar)).status).toBe(200);
    await answer(link, "accept");
    await answer(link, "decline");
    await answer(link, "nonsense");
    const { items } = ok(
      await organisation.operations.listNotifications({ params: { query: { jobId: job.jobId } } }),
    );
    const steps = await organisation.steps(job.traceId ?? "");
    const published = [
      JSON.stringify([items, steps]),
      await organisation.metrics(),
      await organisation.dump(),
    ];
    const mac = token.slice(-22);
    const secrets = [
      token,
      mac,
      own.slice(-22),
      unsubscribe.slice(-22),
      (calendar.split("/")[3] ?? "").slice(-22),
    ];
    for (const text of published) for (const secret of secrets) expect(text).not.toContain(secret);
    await expect.poll(() => lines.join("").match(HIDDEN)?.length).toBe(11);
    for (const secret of secrets) expect(lines.join("")).not.toContain(secret);
    expect((await open(link)).text).not.toContain(mac);
  });

  it("shows of the person the first name alone, whatever signs it has", async () => {
    const name = '<b>Ä & "ö" 👩🏽 שלום</b>';
    const { person, link } = await offered(name);
    const { text } = await open(link);
    expect(text).toContain("<bdi>&lt;b&gt;Ä &amp; &quot;ö&quot; 👩🏽 שלום&lt;/b&gt;</bdi>");
    for (const secret of [
      "Ek",
      "robin@example.com",
      "46701740605",
      person.personalNumber,
      person.candidateId,
    ])
      expect(text).not.toContain(secret);
  });

  it.each([".", ")", ">", "%3E", ").", '"'])(
    "opens with %s after it, as some mail programs have it",
    async (sign) => {
      const { link } = await offered();
      expect((await open(`${link}${sign}`)).status).toBe(200);
    },
  );

  it("is unknown unless it is whole, and opens no other shift", async () => {
    const { job, link } = await offered();
    const token = link.slice("/c/".length);
    const other = await organisation.open();
    const [otherLink = ""] = linksIn(mails.at(-1) ?? { text: "" });
    expect(otherLink).not.toBe(link);
    const spliced = Buffer.from(token, "base64url");
    Buffer.from(otherLink.slice("/c/".length), "base64url").copy(spliced, 16, 16, 32);
    const last = token.at(-1) === "A" ? "B" : "A";
    const forged = [
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      `${token.slice(0, -1)}${last}`,
      `${token.slice(0, 10)}%00${token.slice(13)}`,
      token.toLowerCase(),
      spliced.toString("base64url"),
      randomBytes(52).toString("base64url"),
      "x",
      "a".repeat(8_000),
    ];
    for (const [nth, each] of forged.entries()) {
      const page = await open(`/c/${each}`, `203.0.113.${nth}`);
      expect([page.status, headingOf(page)]).toEqual([404, "No such link"]);
      expect((await answer(`/c/${each}`, "accept", { "x-forwarded-for": `198.51.100.${nth}` })).status).toBe(
        404,
      );
    }
    expect((await open("/c/%E0%A4%A")).status).toBe(400);
    expect((await open("/c/")).status).toBe(404);
    for (const { shiftId } of [job, other]) expect((await organisation.job(shiftId)).bookings).toEqual([]);
  });

  it("stays valid for everyone while random ones from one address get 429, without a statement", async () => {
    const { link } = await offered();
    const statuses = new Map<number, number>();
    const kinds = ["", "shifts/", "unsubscribe/", "calendar/"];
    for (let nth = 0; nth < 10_000; nth += 50) {
      const opened = Array.from({ length: 50 }, async (_, each) => {
        const kind = kinds[each % 4] ?? "";
        const end = kind === "calendar/" ? "/shifts.ics" : "";
        const path = `/c/${kind}${randomBytes(52).toString("base64url")}${end}`;
        // Connections are kept: there are many requests.
        const headers = { "x-forwarded-for": "203.0.113.9" };
        const response = await fetch(organisation.url + path, { headers });
        await response.arrayBuffer();
        return response;
      });
      for (const { status } of await Promise.all(opened))
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 404: 20, 429: 9_980 });
    expect((await open(link, "203.0.113.9")).status).toBe(200);
    expect((await open(`/c/${randomBytes(52).toString("base64url")}`, "203.0.113.10")).status).toBe(404);
    // Unknown tokens are counted apart.
    const headers = { "x-forwarded-for": "203.0.113.9", authorization: "Bearer unknown" };
    expect((await send(organisation.url, "/operations/v1/me", { headers })).status).toBe(401);
  });

  it("is judged before a form is read: what is sent to an unknown or ended one is not looked at, and counts", async () => {
    const { person, link } = await offered();
    const path = { candidateId: person.candidateId };
    ok(await organisation.operations.eraseCandidate({ params: { path } }));
    const post = (to: string, body: unknown, type = "application/x-www-form-urlencoded") => {
      const headers = { "content-type": type, "x-forwarded-for": "203.0.113.20" };
      return send(organisation.url, to, { method: "POST", headers, body });
    };
    const long = "a=1&".repeat(20_000);
    const unknown = Array.from({ length: 21 }, async (_, nth) => {
      const kind = nth % 2 === 0 ? "" : "shifts/";
      return (await post(`/c/${kind}${randomBytes(52).toString("base64url")}`, long)).status;
    });
    const statuses = await Promise.all(unknown);
    expect(statuses.filter((status) => status === 404)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect((await post(link, long)).status).toBe(410);
    expect((await post(link, "{", "application/json")).status).toBe(410);
  });

  it("takes no form that is longer than an answer", async () => {
    const { link } = await offered();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const padded = (length: number) =>
      send(organisation.url, link, {
        method: "POST",
        headers,
        body: `answer=decline&more=${"x".repeat(length)}`,
      });
    expect((await padded(2_000)).status).toBe(413);
    // It is read, and names nothing that a page showed.
    expect((await padded(500)).status).toBe(409);
  });

  it("takes no answer from another site", async () => {
    const { job, link } = await offered();
    const refused: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site", origin: PUBLIC_URL },
    ];
    for (const headers of refused) {
      const page = await answer(link, "accept", headers);
      expect([page.status, headingOf(page)]).toEqual([403, "Not sent"]);
    }
    expect((await organisation.job(job.shiftId)).bookings).toEqual([]);
    const accepted: Record<string, string>[] = [{}, { origin: "null" }, { origin: PUBLIC_URL }];
    for (const headers of accepted) expect((await answer(link, "accept", headers)).status).toBe(303);
  });

  it("takes no other answer, and only a form", async () => {
    const { link } = await offered();
    expect((await answer(link, "maybe")).status).toBe(400);
    const json = { method: "POST", body: { answer: "accept" } };
    expect((await send(organisation.url, link, json)).status).toBe(415);
    expect((await send(organisation.url, link, { method: "PUT" })).status).toBe(405);
  });

  it("ends with the erasure of the person", async () => {
    const { person, link } = await offered();
    ok(
      await organisation.operations.eraseCandidate({ params: { path: { candidateId: person.candidateId } } }),
    );
    expect((await open(link)).status).toBe(410);
    const page = await answer(link, "accept");
    expect([page.status, headingOf(page)]).toEqual([410, "This link has ended"]);
    expect(page.text).not.toContain("Robin");
  });

  it("ends with a new one, which an operator sends", async () => {
    const { job, link } = await offered();
    const [notification] = await organisation.notifications(job, "job_offered");
    const path = { notificationId: notification?.notificationId ?? "" };
    const links = [link];
    for (let times = 0; times < 2; times += 1) {
      ok(await organisation.operations.resendNotification({ params: { path } }));
      await organisation.idle();
      links.push(linkOf(mails, OFFER));
    }
    const statuses = await Promise.all(links.map(async (each) => (await open(each)).status));
    expect(statuses).toEqual([410, 410, 200]);
  });

  it("ends for someone else, who gets no more mail, until an operator sends it again", async () => {
    const { job, person, link } = await offered();
    await organisation.open();
    const [otherLink = ""] = linksIn(mails.at(-1) ?? { text: "" });
    const page = await answer(link, "not_me");
    expect([page.status, headingOf(page), buttonsOf(page)]).toEqual([410, "Thank you", []]);
    for (const each of [link, otherLink]) expect((await open(each)).status).toBe(410);
    const [notification] = await organisation.notifications(job, "job_offered");
    const { notificationId = "" } = notification ?? {};
    expect(notification).toMatchObject({ deliveryError: "address_disputed" });
    const subject = { kind: "notification", notificationId, candidateId: person.candidateId };
    expect(await organisation.issues()).toMatchObject([{ code: "notification_failed", subject }]);
    const count = mails.length;
    const third = await organisation.open();
    expect(mails).toHaveLength(count);
    expect(await organisation.notifications(third)).toMatchObject([{ deliveryError: "address_disputed" }]);
    ok(await organisation.operations.resendNotification({ params: { path: { notificationId } } }));
    await organisation.idle();
    expect((await open(linkOf(mails, OFFER))).status).toBe(200);
    await organisation.open();
    expect(mails).toHaveLength(count + 2);
  });

  it("is mailed at once to an address that was corrected after that", async () => {
    const { person, link } = await offered();
    await answer(link, "not_me");
    const params = { path: { candidateId: person.candidateId } };
    ok(await organisation.operations.changeCandidate({ params, body: { email: "right@example.com" } }));
    await organisation.open();
    expect(mails.map(({ address }) => address)).toEqual(["robin@example.com", "right@example.com"]);
  });

  it("survives a change of SECRET_KEY", async () => {
    const { link } = await offered();
    const { shiftId } = (await organisation.jobs())[0] ?? { shiftId: "" };
    expect(shiftId).not.toBe("");
    await organisation.close();
    const { secretKey } = configFor({});
    await start({ secretKey: Buffer.alloc(32, 9), olderSecretKeys: [secretKey] });
    expect((await open(link)).status).toBe(200);
  });

  it("is not in mails without a public address, and the start says so", async () => {
    await organisation.close();
    lines.length = 0;
    const caught = catchMail();
    organisation = await startOrganisation(database(), { channel: caught.channel, log });
    await organisation.addPerson();
    await organisation.open();
    expect(caught.mails.map(({ text }) => text.includes("/c/"))).toEqual([false]);
    expect(lines.filter((line) => line.includes("PUBLIC_URL"))).toHaveLength(1);
  });
});
