import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { isNotificationMessage } from "../../../generated/notifications/index.ts";
import type { NotificationMessage } from "../../../generated/notifications/types.ts";
import type { Job } from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { createLog } from "../../../src/platform/log.ts";
import { createNotificationWebhook } from "../../../src/platform/notifications/webhook.ts";
import { webhookSecrets } from "../../../src/platform/setting-kinds.ts";
import { answerOn, PUBLIC_URL } from "../../harness/candidate-links.ts";
import { useClock } from "../../harness/clock.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { send } from "../../harness/http.ts";
import { type Received, type Reply, type ReplyTo, startService } from "../../harness/notification-service.ts";
import { ok } from "../../harness/operations.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const NEWER = `whsec_${Buffer.alloc(64, 9).toString("base64")}`;

type Service = Awaited<ReturnType<typeof startService>>;

/** @throws unless the signature is that of the exact bytes. */
const verified = ({ body, headers }: Received, secret = SECRET): NotificationMessage =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as NotificationMessage;

const idOf = ({ headers }: Received) => headers["webhook-id"];

describe.each(featureEngines)("the webhook of notifications on %s", (engine) => {
  const database = useEngine(engine);
  const clock = useClock(database);
  const lines: string[] = [];
  const log = createLog("debug", { write: (line) => void lines.push(line) });
  let service: Service;
  let organisation: StartedOrganisation;
  let reply: ReplyTo;
  beforeEach(async () => {
    [reply, lines.length] = [() => ({ status: 204 }), 0];
    service = await startService((received) => reply(received));
    const secrets = webhookSecrets.read(`${NEWER}, ${SECRET}`);
    organisation = await startOrganisation(database(), {
      config: { publicUrl: PUBLIC_URL, webhook: { url: service.url, secrets } },
      now: clock.now,
      log,
    });
  });
  afterEach(async () => {
    await organisation.close();
    await service.close();
  });

  const offer = async () => {
    const person = await organisation.addPerson();
    const job = await organisation.open({
      startTime: new Date(clock.now().getTime() + DAY_MS).toISOString(),
      endTime: new Date(clock.now().getTime() + DAY_MS + HOUR_MS).toISOString(),
    });
    return { person, job };
  };
  /** Sets the clock forward, and waits for what has become due. */
  const later = async (ms: number) => {
    await clock.forward(ms);
    await organisation.idle();
  };
  const states = async (job: Job) => (await organisation.notifications(job)).map(({ webhook }) => webhook);
  const issues = async () => {
    const { items } = ok(await organisation.operations.listIssues({ params: { query: {} } }));
    return items.filter(({ code }) => code === "notification_failed");
  };

  it("gets one again that an operator sends again, under an id of its own and with a new link", async () => {
    const { job } = await offer();
    const [{ notificationId } = { notificationId: "" }] = await organisation.notifications(job);
    for (const nth of [1, 2]) {
      ok(await organisation.operations.resendNotification({ params: { path: { notificationId } } }));
      await organisation.idle();
      expect([service.received.length, await states(job)]).toEqual([nth + 1, ["sent"]]);
    }
    expect(service.received.map(idOf)).toEqual([
      notificationId,
      `${notificationId}.1`,
      `${notificationId}.2`,
    ]);
    const links = service.received.map((each) => verified(each).data.link?.replace(PUBLIC_URL, "") ?? "");
    const statuses = links.map(async (link) => (await send(organisation.url, link)).status);
    expect(await Promise.all(statuses)).toEqual([410, 410, 200]);
  });

  it("gets each notification once, signed with each secret, with a link by which the candidate answers", async () => {
    const { person, job } = await offer();
    const [first] = service.received;
    if (!first) throw new Error("nothing was received");
    const message = verified(first);
    expect(verified(first, NEWER)).toEqual(message);
    expect(() => verified({ ...first, body: `${first.body} ` })).toThrow();
    expect(isNotificationMessage(message)).toBe(true);
    const { notificationId, link = "", ...data } = message.data;
    expect(data).toEqual({
      kind: "job_offered",
      providerId: organisation.providerId,
      jobId: job.jobId,
      candidateId: person.candidateId,
      language: "en",
      expiresAt: job.startTime,
    });
    expect(idOf(first)).toBe(notificationId);
    expect(await states(job)).toEqual(["sent"]);
    await answerOn(organisation.url, link.slice(PUBLIC_URL.length), "accept");
    await organisation.idle();
    const kinds = service.received.map((each) => verified(each).data.kind);
    expect(kinds).toEqual(["job_offered", "booking_confirmed"]);
    expect((await organisation.booking(job, person))?.status).toBe("confirmed");
  });

  it("has the link nowhere else", async () => {
    const { job } = await offer();
    const token =
      verified(service.received[0] ?? { headers: {}, body: "" })
        .data.link?.split("/")
        .at(-1) ?? "";
    expect(token).toHaveLength(70);
    const listed = await send(organisation.url, `/operations/v1/notifications?jobId=${job.jobId}`);
    const texts = [lines.join("\n"), listed.text, JSON.stringify(await organisation.notifications(job))];
    for (const text of [...texts, await organisation.dump(), await organisation.metrics()])
      expect(text).not.toContain(token);
  });

  it.each<[string, Reply]>([
    ["an error", { status: 503 }],
    ["a refusal", { status: 422 }],
    ["a redirect", { status: 302, headers: { location: "/elsewhere" } }],
  ])("tries again after %s, under the same id and with the time of the attempt", async (_, failure) => {
    reply = async () => {
      await clock.forward(MINUTE_MS);
      return service.received.length <= 2 ? failure : { status: 200 };
    };
    const { job } = await offer();
    expect(await states(job)).toEqual(["sent"]);
    expect(service.received).toHaveLength(3);
    expect(new Set(service.received.map(idOf)).size).toBe(1);
    expect(new Set(service.received.map(({ body }) => body)).size).toBe(1);
    const [first = 0, second = 0, third = 0] = service.received.map(({ headers }) =>
      Number(headers["webhook-timestamp"]),
    );
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(60);
    for (const each of service.received) expect(verified(each).data.jobId).toBe(job.jobId);
  });

  it("does not let one notification that fails delay the others", async () => {
    const { job } = await offer();
    let refused: string | undefined;
    reply = ({ body }) => {
      const { data } = JSON.parse(body) as NotificationMessage;
      if (data.jobId === job.jobId) refused ??= data.notificationId;
      return { status: data.notificationId === refused ? 500 : 200 };
    };
    const { job: other } = await offer();
    expect((await states(job)).toSorted()).toEqual(["sent", "waiting"]);
    expect(await states(other)).toEqual(["sent", "sent"]);
  });

  it("does not let the oldest ones delay the newest if they all fail", async () => {
    for (let nth = 0; nth < 5; nth += 1) await organisation.addPerson();
    const failing = new Set<string>();
    reply = ({ body }) => {
      const { jobId } = (JSON.parse(body) as NotificationMessage).data;
      if (failing.size === 0) failing.add(jobId);
      return { status: failing.has(jobId) ? 500 : 200 };
    };
    const { job } = await offer();
    const { job: other } = await offer();
    // After twelve failures the service is asked each hour.
    await later(HOUR_MS);
    expect(new Set(await states(job))).toEqual(new Set(["waiting"]));
    expect((await states(job)).length).toBeGreaterThan(5);
    expect(new Set(await states(other))).toEqual(new Set(["sent"]));
  });

  it("gets five and the newest of those that wait in a run in which all of these fail", async () => {
    for (let nth = 0; nth < 7; nth += 1) await organisation.addPerson();
    reply = () => ({ status: 500 });
    const { job } = await offer();
    const waiting = (await organisation.notifications(job)).map(({ notificationId }) => notificationId);
    const tried = new Set(service.received.map(idOf));
    expect(waiting.map((id) => tried.has(id))).toEqual([...Array(5).fill(true), false, false, true]);
  });

  it("is not sent any more once the shift has started", async () => {
    reply = () => ({ status: 500 });
    const { job } = await offer();
    const before = service.received.length;
    reply = () => ({ status: 200 });
    await later(2 * DAY_MS);
    expect(await states(job)).toEqual(["dropped"]);
    expect(service.received).toHaveLength(before);
  });

  it("is disabled by a 410 until an operator resolves the issue", async () => {
    reply = () => ({ status: 410 });
    const { job } = await offer();
    reply = () => ({ status: 200 });
    await organisation.addPerson();
    await later(HOUR_MS);
    expect(service.received).toHaveLength(1);
    const [issue, ...more] = await issues();
    expect(more).toEqual([]);
    expect(issue).toMatchObject({ subject: { kind: "webhook" }, params: { status: 410 }, count: 1 });
    ok(await organisation.operations.resolveIssue({ params: { path: { issueId: issue?.issueId ?? "" } } }));
    await later(HOUR_MS);
    expect(await states(job)).toEqual(["sent", "sent"]);
  });

  it("raises an issue after many failures, which closes when the service accepts what waits", async () => {
    reply = () => ({ status: 503 });
    const { job } = await offer();
    for (let attempt = 0; attempt < 12; attempt += 1) await later(11 * 60_000);
    expect(await issues()).toMatchObject([{ subject: { kind: "webhook" }, params: { status: 503 } }]);
    reply = () => ({ status: 200 });
    await later(2 * HOUR_MS);
    expect(await states(job)).toEqual(["sent"]);
    expect(await issues()).toEqual([]);
  });
});

describe("one attempt", () => {
  const attempt = async (options: { timeoutMs?: number; allowInsecure?: boolean; url?: string }) => {
    const service = await startService(() => undefined);
    onTestFinished(async () => void (await service.close()));
    const webhook = createNotificationWebhook({
      url: service.url,
      secrets: webhookSecrets.read(SECRET),
      now: () => new Date(),
      resolve: (_, __, callback) => callback(null, [{ address: "10.0.0.1", family: 4 }]),
      ...options,
    });
    onTestFinished(webhook.close);
    return webhook.send("id", "{}", new AbortController().signal);
  };

  it("fails without a response within the time limit", async () => {
    expect(await attempt({ allowInsecure: true, timeoutMs: 50 })).toEqual({
      kind: "failed",
      failure: "timeout",
    });
  });

  it("has 15 seconds", async () => {
    const limit = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
    onTestFinished(() => limit.mockRestore());
    expect(await attempt({ allowInsecure: true })).toMatchObject({ kind: "failed" });
    expect(limit).toHaveBeenCalledExactlyOnceWith(15_000);
  });

  it("does not reach a private address", async () => {
    expect(await attempt({ url: "https://10.0.0.1/hook" })).toEqual({
      kind: "failed",
      failure: "address_blocked",
    });
    expect(await attempt({ url: "https://messages.example/hook" })).toMatchObject({ kind: "failed" });
  });
});
