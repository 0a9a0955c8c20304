import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createProviderHttp } from "../../../src/clients/provider/http.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { createNotificationWebhook } from "../../../src/platform/notifications/webhook.ts";
import { copyDatabase, featureEngines } from "../../harness/engines.ts";
import { type MailServer, startMailServer } from "../../harness/mail-server.ts";
import { startService } from "../../harness/notification-service.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { type Harness, OPERATIONS_TOKEN, startHarness } from "../../harness/platform.ts";
import { type Illness, type Receiver, startReceiver } from "../../harness/receiver.ts";

/** Longer than any test: no time limit of the platform ends what hangs. */
const NEVER_MS = 3_600_000;
const ORGANISATIONS = 12;
/** More than a channel has places. */
const RECIPIENTS = 12;
const FROM = "shifts@platform.example";

const webhookTo = (url: string, timeoutMs = NEVER_MS) =>
  createNotificationWebhook({
    url,
    secrets: [Buffer.alloc(24)],
    now: () => new Date(),
    allowInsecure: true,
    timeoutMs,
  });

const ILLNESSES: readonly Illness[] = ["hang", "refuse", "drip", "fail"];
type Which = "webhook" | "mail server" | "recipient" | "provider" | "stream" | "scrape";
const WHICH: readonly Which[] = ["webhook", "mail server", "recipient", "provider", "stream", "scrape"];
const CASES = WHICH.flatMap((which) => ILLNESSES.map((how) => ({ which, how })));

const RECIPIENT = { hang: "hang", drip: "drip", refuse: 550, fail: 451 } as const;
const PATHS = { stream: "/operations/v1/stream", scrape: "/metrics" };

/** A client that does not read, or reads one byte at a time, or leaves at once. */
function startClient(port: string, path: string, how: Illness): Socket {
  const client = connect(Number(port), "127.0.0.1");
  client.on("error", () => undefined).on("readable", () => undefined);
  client.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${OPERATIONS_TOKEN}\r\n\r\n`,
  );
  const reading = setInterval(() => how === "drip" && client.read(1), 20);
  client.once("close", () => clearInterval(reading));
  if (how === "refuse" || how === "fail") client.once("connect", () => client.destroy());
  return client;
}

describe.each(featureEngines)("receivers that are ill, on %s", (engine) => {
  const ill = {} as Record<"webhook" | "mail server" | "provider", Receiver>;
  let recipients: Illness | undefined;
  let asked = 0;
  let mail: MailServer;
  let service: Awaited<ReturnType<typeof startService>>;
  let platform: Harness;
  let one: Organisation;
  let other: Organisation;
  let events = "";
  const leaving = new AbortController();
  beforeAll(async () => {
    mail = await startMailServer({
      onRecipient: (address) => {
        if (!recipients || !address.endsWith("@ill.example")) return "accept";
        asked += 1;
        return RECIPIENT[recipients];
      },
    });
    service = await startService(() => ({ status: 204 }));
    ill.webhook = await startReceiver(service.url, "http");
    ill["mail server"] = await startReceiver(mail.url, "smtp");
    platform = await startHarness(engine, {
      channel: createEmailChannel({ url: ill["mail server"].url, from: FROM, timeoutMs: NEVER_MS }),
      webhook: webhookTo(ill.webhook.url),
      providerTimeoutMs: NEVER_MS,
    });
    const via = async (url: string) => {
      ill.provider = await startReceiver(url, "http");
      return ill.provider.url;
    };
    one = await platform.onboard({ connect: false, via });
    other = await platform.onboard({ connect: false });
    for (let nth = 0; nth < RECIPIENTS; nth += 1) await one.addPerson({ email: `person-${nth}@ill.example` });
    const headers = { Authorization: `Bearer ${OPERATIONS_TOKEN}` };
    const url = `${platform.platform.url}${PATHS.stream}`;
    const stream = await fetch(url, { headers, signal: leaving.signal });
    void (async () => {
      for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>)
        events += Buffer.from(chunk).toString();
    })().catch(() => undefined);
  });
  afterEach(async () => {
    recipients = undefined;
    for (const receiver of Object.values(ill)) receiver.become("well");
    await other.idle();
  });
  afterAll(async () => {
    leaving.abort();
    await platform.close();
    await Promise.all([mail, service, ...Object.values(ill)].map((each) => each.close()));
  });

  /** A shift that the organisation's people are offered. */
  const offer = async ({ provider, send }: Organisation) => {
    const { shiftId } = provider.createShift();
    await send("shift.create", shiftId);
    return shiftId;
  };
  /** Makes it ill, and returns how many of its connections are under way and have ended. */
  const sicken = async (which: Which, how: Illness): Promise<() => readonly [number, number]> => {
    if (which === "stream" || which === "scrape") {
      const client = startClient(new URL(platform.platform.url).port, PATHS[which], how);
      onTestFinished(() => void client.destroy());
      return () => (client.connecting ? [0, 0] : client.destroyed ? [0, 1] : [1, 0]);
    }
    if (which === "recipient") {
      [recipients, asked] = [how, 0];
      return () => [asked, 0];
    }
    ill[which].become(how);
    return () => [ill[which].open, ill[which].ended];
  };

  it.each(CASES)("a $which that does this delays nothing of the others: $how", async ({ which, how }) => {
    const connections = await sicken(which, how);
    await offer(one);
    await expect.poll(() => connections().reduce((sum, each) => sum + each)).toBeGreaterThan(0);
    const email = `${which}-${how}@well.example`.replace(" ", "-");
    const { candidateId } = await other.addPerson({ email });
    const shiftId = await offer(other);
    if (which !== "mail server")
      await expect.poll(() => mail.mails.some(({ to }) => to.includes(email))).toBe(true);
    if (which !== "webhook")
      await expect.poll(() => service.received.some(({ body }) => body.includes(candidateId))).toBe(true);
    await expect.poll(() => events).toContain(shiftId);
    expect(await platform.metrics()).toContain("shiftpact_build_info");
    if (how === "hang" || how === "drip") {
      // What is ill is ill still, and was ended by no time limit.
      expect(connections()[0]).toBeGreaterThan(0);
      expect(connections()[1]).toBe(0);
    }
  });
});

const signal = new AbortController().signal;
const LIMIT_MS = 200;
const LETTER = {
  id: "m",
  address: "a@b.example",
  organisation: "K",
  language: "en",
  subject: "S",
  text: "t",
  html: "h",
} as const;

describe("an attempt of the platform", () => {
  it.each([
    ["with a mail", 30_000, createEmailChannel({ url: "smtp://127.0.0.1:9", from: FROM })] as const,
    ["to call a provider", 10_000, createProviderHttp({ allowInsecure: true })] as const,
  ])("%s ends after %d ms", async (_, ms, receiver) => {
    const limit = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
    onTestFinished(() => void limit.mockRestore());
    if ("deliver" in receiver) await receiver.deliver(LETTER, signal);
    else await expect(receiver.fetch(new Request("http://127.0.0.1:9"))).rejects.toThrow();
    expect(limit).toHaveBeenCalledExactlyOnceWith(ms);
    await receiver.close();
  });
});

describe("a mail server that hangs", () => {
  it("has three attempts together for the domains for which it does, one for each, and none while one hangs", async () => {
    const receiver = await startReceiver("smtp://127.0.0.1:9", "smtp");
    onTestFinished(receiver.close);
    receiver.become("hang");
    const channel = createEmailChannel({ url: receiver.url, from: FROM, timeoutMs: LIMIT_MS });
    onTestFinished(() => channel.close());
    const clock = performance.now.bind(performance);
    let aheadMs = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => clock() + aheadMs);
    onTestFinished(() => void now.mockRestore());
    const mail = (...names: string[]) =>
      Promise.all(
        names.map(async (name) => {
          const { kind } = await channel.deliver({ ...LETTER, address: `a@${name}.example` }, signal);
          return `${name} ${kind}`;
        }),
      );
    const first = mail("one", "two", "three", "four");
    aheadMs = 5_001;
    expect(await mail("one")).toEqual(["one deferred"]);
    expect(await first).toEqual([
      "one unavailable",
      "two unavailable",
      "three unavailable",
      "four unavailable",
    ]);
    expect(await mail("one", "one", "two", "three", "four")).toEqual([
      "one unavailable",
      "one deferred",
      "two unavailable",
      "three unavailable",
      "four deferred",
    ]);
  });
});

describe("a receiver that drips", () => {
  const dripping = async (protocol: "http" | "smtp") => {
    const receiver = await startReceiver(`${protocol}://127.0.0.1:9`, protocol);
    onTestFinished(receiver.close);
    receiver.become("drip");
    return receiver.url;
  };

  it("holds a notification no longer than the time limit of the whole attempt", async () => {
    const webhook = webhookTo(await dripping("http"), LIMIT_MS);
    onTestFinished(webhook.close);
    expect(await webhook.send("id", "{}", signal)).toEqual({ kind: "failed", failure: "timeout" });
  });

  it("holds a call to a provider no longer than that", async () => {
    const http = createProviderHttp({ allowInsecure: true, timeoutMs: LIMIT_MS });
    onTestFinished(http.close);
    await expect(http.fetch(new Request(await dripping("http")))).rejects.toMatchObject({
      failure: "timeout",
    });
  });

  it.each(["the greeting", "the reply about a recipient"])(
    "with %s holds a mail no longer than that",
    async (what) => {
      const server = await startMailServer({ onRecipient: () => "drip" });
      onTestFinished(server.close);
      const url = what === "the greeting" ? await dripping("smtp") : server.url;
      const channel = createEmailChannel({ url, from: FROM, timeoutMs: LIMIT_MS });
      onTestFinished(() => channel.close());
      const outcome = await channel.deliver(LETTER, signal);
      expect(outcome).toEqual({ kind: "unavailable", code: "mail_server_unreachable" });
    },
  );
});

describe("two processes on one PostgreSQL", () => {
  it(`mail the offers of ${ORGANISATIONS} organisations while the company's service holds every request open`, async () => {
    const { where, remove } = await copyDatabase();
    onTestFinished(remove);
    const mail = await startMailServer();
    onTestFinished(mail.close);
    const service = await startReceiver("http://127.0.0.1:9", "http");
    onTestFinished(service.close);
    service.become("hang");
    const start = async (): Promise<Harness> => {
      const channel = createEmailChannel({ url: mail.url, from: FROM });
      const harness = await startHarness(where, { channel, webhook: webhookTo(service.url) });
      onTestFinished(harness.close);
      return harness;
    };
    const [first, second] = [await start(), await start()];
    const onboarding = Array.from({ length: ORGANISATIONS }, (_, nth) =>
      (nth % 2 === 0 ? first : second).onboard({ connect: false }),
    );
    // All of them first: an onboarding waits until the platform is idle.
    for (const [nth, organisation] of (await Promise.all(onboarding)).entries()) {
      await organisation.addPerson({ email: `person-${nth}@example.com` });
      await organisation.send("shift.create", organisation.provider.createShift().shiftId);
    }
    await expect.poll(() => mail.mails.flatMap(({ to }) => to).length).toBe(ORGANISATIONS);
    // One of each organisation: what hangs leaves its place to others of its own channel too.
    await expect.poll(() => service.open).toBe(ORGANISATIONS);
    expect(service.ended).toBe(0);
  });
});
