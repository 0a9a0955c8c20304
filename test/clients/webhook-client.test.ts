import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Message } from "../../generated/events/types.ts";
import {
  createWebhookClient,
  WEBHOOK_SCHEDULE,
  type WebhookClientOptions,
} from "../../src/clients/webhook-client.ts";
import { MINUTE_MS } from "../../src/contract/timestamp.ts";
import { RECEIPT, type Reply, startPlatform } from "../harness/platform-stand-in.ts";

const EVENT: Message = {
  event: "shift.create",
  providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11",
  content: { shiftId: "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3" },
  traceId: "3f1f6f5c-0f4e-4a3a-8d0f-2c9f6f1f7a55",
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** Creates a platform with these responses, and a client whose waits take no time. */
async function start(replies: Reply[], options: Partial<WebhookClientOptions> = {}) {
  const platform = await startPlatform(...replies);
  open.push(platform);
  const waits: number[] = [];
  const client = createWebhookClient({
    platformUrl: `${platform.url}/`,
    token: "platform-token",
    wait: async (ms) => {
      waits.push(ms);
    },
    ...options,
  });
  return { platform, client, waits };
}

const answering =
  (status: number, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, headers).end();

const never: Reply = () => undefined;

describe("one try", () => {
  it.each([
    [undefined, "/webhooks/scheduling-provider"],
    ["demo", "/api/v3/integrations/demo/webhook"],
  ])("of kind %s is posted to %s", async (kind, path) => {
    const { platform, client } = await start([RECEIPT], kind === undefined ? {} : { kind });
    expect(await client.send(EVENT)).toEqual({ delivered: true, tries: 1 });
    expect(platform.received).toEqual([
      {
        path,
        headers: expect.objectContaining({
          authorization: "Bearer platform-token",
          "content-type": "application/json",
          "x-trace-id": EVENT.traceId,
          traceparent: expect.stringContaining("3f1f6f5c0f4e4a3a8d0f2c9f6f1f7a55"),
        }),
        body: EVENT,
      },
    ]);
  });

  it("is enough when the second path responds with 200 and no body", async () => {
    const { client } = await start([answering(200)]);
    expect(await client.send(EVENT)).toEqual({ delivered: true, tries: 1 });
  });

  it.each([
    ["nothing", answering(200)],
    ["a web page", ((response) => response.end("<h1>Welcome</h1>")) as Reply],
    ["received: false", ((response) => response.end('{"received":false}')) as Reply],
  ])("is not enough when the first path responds with 200 and %s", async (_, reply) => {
    const { client } = await start([reply, RECEIPT], { kind: "demo" });
    expect(await client.send(EVENT)).toEqual({ delivered: true, tries: 2 });
  });

  it.each([400, 401, 403, 404, 413, 415, 422])(
    "is the last one when the platform refuses with %i",
    async (status) => {
      const { platform, client } = await start([answering(status)]);
      expect(await client.send(EVENT)).toEqual({ delivered: false, tries: 1, reason: `status ${status}` });
      expect(platform.received).toHaveLength(1);
    },
  );
});

describe("further tries", () => {
  it.each([408, 429, 500, 502, 503, 504])("follow a %i", async (status) => {
    const { client } = await start([answering(status), RECEIPT]);
    expect(await client.send(EVENT)).toEqual({ delivered: true, tries: 2 });
  });

  it("follow a redirect, which would leak the token and lose the event", async () => {
    const away = answering(302, { Location: "/elsewhere" });
    const { platform, client } = await start([away, RECEIPT]);
    expect(await client.send(EVENT)).toEqual({ delivered: true, tries: 2 });
    expect(platform.received.map(({ path }) => path)).not.toContain("/elsewhere");
  });

  it("follow a late response", async () => {
    const { client } = await start([never], { timeoutMs: 20, schedule: [0, 0] });
    expect(await client.send(EVENT)).toEqual({
      delivered: false,
      tries: 2,
      reason: "no response within 20 ms",
    });
  });

  it("follow 5 seconds without a response, unless another limit is given", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    onTestFinished(() => timeout.mockRestore());
    const { client } = await start([answering(503), RECEIPT]);
    await client.send(EVENT);
    expect(timeout.mock.calls).toEqual([[5_000], [5_000]]);
  });

  it("follow a connection that fails", async () => {
    const { platform, client } = await start([RECEIPT], { schedule: [0, 0, 0] });
    await platform.close();
    open.length = 0;
    expect(await client.send(EVENT)).toEqual({ delivered: false, tries: 3, reason: "the connection failed" });
  });

  it("keep to the recommended schedule, and end with it", async () => {
    const { client, waits } = await start([answering(503)]);
    const tries = WEBHOOK_SCHEDULE.length;
    expect(await client.send(EVENT)).toEqual({ delivered: false, tries, reason: "status 503" });
    expect(waits).toEqual(WEBHOOK_SCHEDULE);
    expect(waits.slice(0, 4)).toEqual([0, 5_000, 5 * MINUTE_MS, 30 * MINUTE_MS]);
    expect(waits.slice(4).map((ms) => ms / (60 * MINUTE_MS))).toEqual([2, 5, 10, 14, 20, 24]);
  });

  it("are the same event with the same traceId", async () => {
    const { platform, client } = await start([answering(503), answering(500), RECEIPT]);
    await client.send(EVENT);
    const sent = platform.received.map(({ body, headers }) => [body, headers["x-trace-id"]]);
    expect(sent).toEqual([1, 2, 3].map(() => [EVENT, EVENT.traceId]));
  });

  it("wait for a Retry-After only if it is longer than the schedule", async () => {
    const replies = [
      answering(503, { "Retry-After": "60" }),
      answering(429, { "Retry-After": "60" }),
      RECEIPT,
    ];
    const { client, waits } = await start(replies);
    expect(await client.send(EVENT)).toEqual({ delivered: true, tries: 3 });
    expect(waits).toEqual([0, MINUTE_MS, 5 * MINUTE_MS]);
  });

  it("wait for a Retry-After that is a date", async () => {
    const now = Date.parse("2027-03-01T12:00:00Z");
    const reply = answering(503, { "Retry-After": new Date(now + 30_000).toUTCString() });
    const { client, waits } = await start([reply, RECEIPT], { now: () => now });
    await client.send(EVENT);
    expect(waits).toEqual([0, 30_000]);
  });

  it("end when the sender aborts during a wait", async () => {
    const giveUp = new AbortController();
    const wait: WebhookClientOptions["wait"] = async (ms, signal) => {
      if (ms > 0) giveUp.abort();
      signal?.throwIfAborted();
    };
    const { platform, client } = await start([answering(503)], { wait });
    await expect(client.send(EVENT, giveUp.signal)).rejects.toThrow("aborted");
    expect(platform.received).toHaveLength(1);
  });

  it("end when the sender aborts during a request", async () => {
    const giveUp = new AbortController();
    const { platform, client } = await start([() => giveUp.abort()]);
    await expect(client.send(EVENT, giveUp.signal)).rejects.toThrow("aborted");
    expect(platform.received).toHaveLength(1);
  });

  it("wait in real time by default", async () => {
    const platform = await startPlatform(answering(503), RECEIPT);
    open.push(platform);
    const client = createWebhookClient({ platformUrl: platform.url, token: "t", schedule: [0, 1] });
    expect(await client.send(EVENT)).toEqual({ delivered: true, tries: 2 });
  });
});
