import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { News } from "./news.ts";
import type { Organisation } from "./organisations.ts";
import { headersOf, WEBHOOK_PATH, webhook } from "./webhook.ts";

/** Sends webhooks of shifts that nobody has heard of yet. */
export interface Sender {
  send(url: string, organisation: Organisation, shiftId?: string): Promise<void>;
  close(): Promise<void>;
}

export function createSender(connections = 50): Sender {
  const dispatcher = new Agent({ connections });
  return {
    send: async (url, { providerId, platformToken }, shiftId = randomUUID()) => {
      const { statusCode, body } = await request(url + WEBHOOK_PATH, {
        ...{ method: "POST", dispatcher, headers: headersOf(platformToken) },
        body: webhook(providerId, shiftId),
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`a webhook was answered ${statusCode}: ${text}`);
    },
    close: () => dispatcher.destroy(),
  };
}

const inTurn = <T>(all: readonly T[], index: number): T => {
  const one = all[index % all.length];
  if (one === undefined) throw new RangeError("nobody is there to take turns");
  return one;
};

/** As many at once as `atOnce`, the organisations and the processes in turn; resolves when the last one is acknowledged. */
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

/** Milliseconds from each webhook to its job, one at a time and with a pause after each. */
export async function idleFlow(
  { sender, url, news, organisations }: FlowParts,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    times.push(await toJob({ sender, url, news, organisations }, index));
    await sleep(20);
  }
  return times;
}

export interface FlowParts {
  sender: Sender;
  url: string;
  news: News;
  organisations: readonly Organisation[];
}

/** Milliseconds. */
export async function toJob({ sender, url, news, organisations }: FlowParts, index: number): Promise<number> {
  const shiftId = randomUUID();
  const job = news.job(shiftId);
  const begun = performance.now();
  await sender.send(url, inTurn(organisations, index), shiftId);
  return (await job) - begun;
}

/**
 * Milliseconds from webhook to job at a steady rate, whether or not the ones before are done: each webhook has its moment, and what
 * the sender itself is late counts too. Each `strangerEvery`th webhook is one of `stranger`, whose jobs nobody waits for.
 */
export async function steadyFlow(
  parts: FlowParts,
  {
    perSecond,
    seconds,
    stranger,
  }: { perSecond: number; seconds: number; stranger?: Organisation | undefined },
): Promise<number[]> {
  const begun = performance.now();
  const times: Promise<number>[] = [];
  const others: Promise<void>[] = [];
  const places = parts.organisations.length + 1;
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const moment = begun + (index * 1_000) / perSecond;
    const early = moment - performance.now();
    if (early > 1) await sleep(early);
    if (stranger && index % places === 0) others.push(parts.sender.send(parts.url, stranger));
    else times.push(lateToo(parts, index, moment));
  }
  await Promise.all(others);
  return Promise.all(times);
}

async function lateToo(parts: FlowParts, index: number, moment: number): Promise<number> {
  const late = Math.max(0, performance.now() - moment);
  return late + (await toJob(parts, index));
}
