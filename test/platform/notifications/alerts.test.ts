import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isIssueOpenedMessage } from "../../../generated/notifications/index.ts";
import type { IssueOpenedMessage } from "../../../generated/notifications/types.ts";
import type { IssueCode, Params } from "../../../generated/operations/types.ts";
import type { Urgency } from "../../../src/contract/operator-text.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/contract/timestamp.ts";
import type { Channel, NotificationWebhook } from "../../../src/platform/deps.ts";
import { raiseIssue, resolveIssues } from "../../../src/platform/issues.ts";
import { createLog } from "../../../src/platform/log.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { createNotificationWebhook } from "../../../src/platform/notifications/webhook.ts";
import { webhookSecrets } from "../../../src/platform/setting-kinds.ts";
import { transact } from "../../../src/platform/transaction.ts";
import { createUpkeep } from "../../../src/platform/upkeep/upkeep.ts";
import { depsFor } from "../../harness/deps.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { type MailServer, startMailServer } from "../../harness/mail-server.ts";
import { type Reply, startService } from "../../harness/notification-service.ts";
import { startHarness } from "../../harness/platform.ts";

const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const ADDRESS = "operators@example.com";
const REFUSED = { code: "provider_refused", params: { failure: "http_error", status: 422 } } as const;

describe.each(featureEngines)("alerts for operators on %s", (engine) => {
  const database = useEngine(engine);
  const lines: string[] = [];
  const log = createLog("warn", { write: (line) => void lines.push(line) });
  let service: Awaited<ReturnType<typeof startService>>;
  let server: MailServer;
  let channel: Channel;
  let webhook: NotificationWebhook;
  let reply: Reply;
  let now: Date;
  let providerId: string;
  beforeEach(async () => {
    [reply, now, lines.length, providerId] = [{ status: 204 }, new Date(), 0, randomUUID()];
    await database().kysely.deleteFrom("issues").execute();
    await database()
      .kysely.insertInto("integrations")
      .values({
        providerId,
        kind: `k-${providerId.slice(0, 8)}`,
        name: "Kvarteret",
        baseUrl: "https://example.com",
        providerToken: "t",
      })
      .execute();
    service = await startService(() => reply);
    server = await startMailServer();
    channel = createEmailChannel({ url: server.url, from: "shifts@example.com" });
    const secrets = webhookSecrets.read(SECRET);
    webhook = createNotificationWebhook({ url: service.url, secrets, now: () => now, allowInsecure: true });
  });
  afterEach(async () => {
    channel.close();
    await Promise.all([webhook.close(), service.close(), server.close()]);
  });

  const deps = (severity: Urgency = "urgent") => {
    const alerts = { severity, email: ADDRESS };
    return depsFor(database(), { log, now: () => now, channel, webhook, alerts });
  };
  /** A round of one process, so long after the last one. */
  const round = async (afterMs = MINUTE_MS, severity?: Urgency) => {
    now = new Date(now.getTime() + afterMs);
    await createUpkeep(deps(severity)).run();
  };
  const raise = ({ code, params }: { code: IssueCode; params?: Params } = REFUSED, shiftId = randomUUID()) =>
    transact(deps(), (trx) =>
      raiseIssue(trx, deps(), {
        code,
        providerId,
        subject: { kind: "shift", shiftId },
        ...(params && { params }),
      }),
    );
  const resolve = (subject?: { kind: "shift"; shiftId: string }) =>
    transact(deps(), (trx) => resolveIssues(trx, deps(), { providerId, ...(subject && { subject }) }));
  const messages = () =>
    service.received.map(
      ({ body, headers }) =>
        new Webhook(SECRET).verify(body, headers as Record<string, string>) as IssueOpenedMessage,
    );
  /** The number of alerts by mail, and by the webhook. */
  const sent = () => [server.mails.length, service.received.length];

  it("are sent by mail and webhook, with the cause, its figures and the name of the organisation", async () => {
    const begun = now.toISOString();
    await raise();
    await raise();
    await round();
    const [message] = messages();
    expect(isIssueOpenedMessage(message)).toBe(true);
    expect(message).toMatchObject({
      type: "issue.opened",
      timestamp: begun,
      data: {
        providerId,
        organisation: "Kvarteret",
        code: "provider_refused",
        cause: "http_error 422",
        severity: "urgent",
        title: "Call refused by the provider",
        issues: 2,
        shifts: 2,
        people: 0,
      },
    });
    expect(service.received[0]?.headers["webhook-id"]).toBe(message?.data.issueId);
    const [mail] = server.mails;
    expect(mail?.to).toEqual([ADDRESS]);
    expect(mail?.headers.subject).toBe("Urgent: Call refused by the provider (Kvarteret)");
    expect(mail?.body).toContain("Kvarteret: 2 issues, 2 shifts. The first: The provider refused a call");
    expect(sent()).toEqual([1, 1]);
  });

  it("are sent once for a cause while an issue with it is open, and once for another cause", async () => {
    const shiftId = randomUUID();
    await raise(REFUSED, shiftId);
    await round();
    await raise();
    await resolve({ kind: "shift", shiftId });
    await round();
    await raise();
    await round();
    expect(sent()).toEqual([1, 1]);
    await raise({ code: "provider_refused", params: { failure: "http_error", status: 404 } });
    await round();
    expect(sent()).toEqual([2, 2]);
  });

  it("are sent again when the cause comes back after all its issues were resolved", async () => {
    await raise();
    await round();
    now = new Date(now.getTime() + SECOND_MS);
    await resolve();
    now = new Date(now.getTime() + SECOND_MS);
    await raise();
    await round();
    expect(sent()).toEqual([2, 2]);
    expect(new Set(messages().map(({ data }) => data.issueId)).size).toBe(2);
  });

  it("are not sent of an issue that is snoozed, until its time", async () => {
    await raise();
    const snoozedUntil = new Date(now.getTime() + 5 * MINUTE_MS);
    await database().kysely.updateTable("issues").set({ snoozedUntil }).execute();
    await round();
    expect(sent()).toEqual([0, 0]);
    await round(5 * MINUTE_MS);
    expect(sent()).toEqual([1, 1]);
  });

  it("are not sent of an issue that is resolved within half a minute, and then at once", async () => {
    await raise();
    await round(29 * SECOND_MS);
    expect(sent()).toEqual([0, 0]);
    await resolve();
    await round();
    expect(sent()).toEqual([0, 0]);
    await raise();
    await round(30 * SECOND_MS);
    expect(sent()).toEqual([1, 1]);
  });

  it.each<[Urgency, IssueCode[]]>([
    ["urgent", ["token_rejected"]],
    ["normal", ["token_rejected", "shift_unusable"]],
    ["low", ["token_rejected", "shift_unusable", "provider_check"]],
  ])("are sent from the severity %s on", async (severity, codes) => {
    for (const code of ["token_rejected", "shift_unusable", "provider_check"] as const) await raise({ code });
    await round(MINUTE_MS, severity);
    expect(new Set(messages().map(({ data }) => data.code))).toEqual(new Set(codes));
    expect(sent()).toEqual([codes.length, codes.length]);
  });

  it("are sent once by two processes", async () => {
    await raise();
    await raise();
    now = new Date(now.getTime() + MINUTE_MS);
    await Promise.all([createUpkeep(deps()).run(), createUpkeep(deps()).run()]);
    await round();
    expect(sent()).toEqual([1, 1]);
  });

  it("are sent within minutes by another process if one ends between its claim and the delivery", async () => {
    const ended = () => Promise.reject(new Error("the process has ended"));
    now = new Date(now.getTime() - 13 * MINUTE_MS);
    await raise();
    now = new Date(now.getTime() + MINUTE_MS);
    await createUpkeep({
      ...deps(),
      channel: { ...channel, deliver: ended },
      webhook: { ...webhook, send: ended },
    }).run();
    await raise();
    await round();
    expect(sent()).toEqual([0, 0]);
    await round(10 * MINUTE_MS);
    await round();
    expect(sent()).toEqual([1, 1]);
    expect(messages()[0]?.data.issues).toBe(2);
  });

  it("are at most 20 in a round by each way, the oldest first", async () => {
    for (let nth = 0; nth < 21; nth += 1) {
      await raise({ code: "provider_refused", params: { failure: "http_error", status: 400 + nth } });
      now = new Date(now.getTime() + 1);
    }
    await round();
    expect(messages().map(({ data }) => data.cause)).toEqual(
      Array.from({ length: 20 }, (_, nth) => `http_error ${400 + nth}`),
    );
    await round();
    await round();
    expect(sent()).toEqual([21, 21]);
  });

  it("are tried again each minute for an hour, by each way alone and under the same id, and are logged without the address", async () => {
    reply = { status: 503 };
    await raise();
    await round();
    await round();
    expect(sent()).toEqual([1, 2]);
    reply = { status: 204 };
    server.fail("away");
    await raise({ code: "token_rejected" });
    await round();
    expect(sent()).toEqual([1, 4]);
    expect(new Set(messages().map(({ data }) => data.issueId)).size).toBe(2);
    await server.recover();
    await round();
    await round();
    expect(sent()).toEqual([2, 4]);
    expect(lines).toHaveLength(3);
    expect(lines.join()).not.toContain(ADDRESS);
    reply = { status: 503 };
    await raise({ code: "route_missing" });
    await round(HOUR_MS);
    expect(sent()).toEqual([2, 4]);
  });

  it("that the service refuses with 410 are not tried again", async () => {
    reply = { status: 410 };
    await raise();
    await round();
    await round();
    expect(sent()).toEqual([1, 1]);
  });

  it("are sent by a platform with the settings for them", async () => {
    now = new Date(now.getTime() - MINUTE_MS);
    await raise();
    const mail = { url: server.url, from: "shifts@example.com" };
    const alerts = { severity: "urgent", email: ADDRESS } as const;
    const webhookTo = { url: service.url, secrets: webhookSecrets.read(SECRET) };
    const harness = await startHarness(database(), { config: { mail, alerts, webhook: webhookTo } });
    await expect.poll(sent).toEqual([1, 1]);
    await harness.close();
  });
});
