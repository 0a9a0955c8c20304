import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { JobStream } from "./job-stream.ts";
import type { Target } from "./load.ts";
import type { Organisation } from "./organisations.ts";

/** Sends webhooks about new shifts. */
export interface Sender {
  send(url: string, organisation: Organisation, shiftId?: string): Promise<void>;
  close(): Promise<void>;
}

export function createSender(connections = 50): Sender {
  const dispatcher = new Agent({ connections });
  return {
    send: async (url, { providerId, platformToken }, shiftId = randomUUID()) => {
      const { statusCode, body } = await request(url + WEBHOOK_PATH, {
        method: "POST",
        dispatcher,
        headers: headersOf(platformToken),
        body: webhook(providerId, shiftId),
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`a webhook got status ${statusCode}: ${text}`);
    },
    close: () => dispatcher.destroy(),
  };
}

const inTurn = <T>(all: readonly T[], index: number): T => {
  const one = all[index % all.length];
  if (one === undefined) throw new RangeError("no element to take in turn");
  return one;
};

/** Sends `atOnce` webhooks at the same time, of the organisations and to the processes in turn. Resolves with the last acknowledgement. */
export async function sendMany(
  sender: Sender,
  urls: readonly string[],
  organisations: readonly Organisation[],
  count: number,
  atOnce = 50,
): Promise<void> {
  let sent = 0;
  const work = async () => {
    while (sent < count) {
      const index = sent++;
      await sender.send(inTurn(urls, index), inTurn(organisations, index));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** Returns the time from each webhook to its job, one at a time and with a pause after each. Milliseconds. */
export async function idleFlow(
  { sender, url, jobs, organisations }: FlowParts,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    times.push(await toJob({ sender, url, jobs, organisations }, index));
    await sleep(20);
  }
  return times;
}

export interface FlowParts {
  sender: Sender;
  url: string;
  jobs: JobStream;
  organisations: readonly Organisation[];
}

/** Returns the time from a webhook to its job. Milliseconds. */
export async function toJob({ sender, url, jobs, organisations }: FlowParts, index: number): Promise<number> {
  const shiftId = randomUUID();
  const job = jobs.job(shiftId);
  const begun = performance.now();
  await sender.send(url, inTurn(organisations, index), shiftId);
  return (await job) - begun;
}

const WEBHOOK_PATH = "/webhooks/scheduling-provider";

/** Returns a webhook of the organisation about the shift, with a new traceId. */
export function webhooksOf({ providerId, platformToken }: Organisation): Target & { body: () => string } {
  return {
    path: WEBHOOK_PATH,
    method: "POST",
    headers: headersOf(platformToken),
    body: () => webhook(providerId, randomUUID()),
  };
}

const headersOf = (token: string) => ({
  Authorization: `Bearer ${token}`,
  "Content-Type": "application/json",
});

const webhook = (providerId: string, shiftId: string): string =>
  JSON.stringify({ event: "shift.create", providerId, content: { shiftId }, traceId: randomUUID() });
