import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../../../generated/operations/client.ts";
import { issueText } from "../../contract/operator-text.ts";
import { visible } from "../../contract/storable-text.ts";
import type { Channel, Mail } from "../../platform/deps.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { painter } from "../../verify/reporters/terminal.ts";

/** Prints the demo on the terminal, line by line, as it happens. */
export interface Printer {
  title(text: string, facts: readonly [string, string][]): void;
  heading(number: number | undefined, text: string): void;
  /** One step that succeeded, with what was observed. */
  done(step: string, seen: string, ms: number): void;
  failed(step: string, reason: string): void;
  line(text: string): void;
}

/** Prints plain text unless the output is a terminal and NO_COLOR is unset. */
export function createPrinter(write: (line: string) => void, isColoured: boolean): Printer {
  const paint = painter(isColoured);
  return {
    title: (text, facts) => {
      write("");
      write(paint("bold", text));
      for (const [name, value] of facts) write(`  ${paint("dim", name.padEnd(10))} ${visible(value)}`);
    },
    heading: (number, text) => {
      write("");
      write(`${number === undefined ? "   " : paint("cyan", ` ${number} `)}${paint("bold", text)}`);
    },
    done: (step, seen, ms) => {
      const took = paint("dim", `${Math.max(1, Math.round(ms))} ms`.padStart(7));
      write(`   ${paint("green", "✓")} ${step.padEnd(46)} ${took}   ${paint("dim", seen)}`.trimEnd());
    },
    failed: (step, reason) => {
      write(`   ${paint("red", "✗")} ${step}`);
      write(`     ${paint("red", reason)}`);
    },
    line: (text) => write(visible(text)),
  };
}

export type Operations = ReturnType<typeof createClient>;

/** What the demo runs on: a provider, the platform's operations API, and a terminal. */
export interface DemoContext {
  provider: Sandbox;
  operations: Operations;
  platformUrl: string;
  printer: Printer;
  /** How long one step may take. Milliseconds. */
  timeoutMs: number;
}

/** A failed step, with its name and the reason. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
  readonly step: string;

  constructor(step: string, reason: string) {
    super(reason);
    this.step = step;
  }
}

export function operationsOf(platformUrl: string, operationsToken: string): Operations {
  const headers = { Authorization: `Bearer ${operationsToken}` };
  return createClient({ baseUrl: `${platformUrl}/operations/v1`, headers });
}

/** Runs one step and prints it. `action` returns its result and a line about it. */
export async function step<T>(
  demo: DemoContext,
  name: string,
  action: () => Promise<[T, string]>,
): Promise<T> {
  const startedAt = performance.now();
  try {
    const [result, seen] = await action();
    demo.printer.done(name, seen, performance.now() - startedAt);
    return result;
  } catch (error) {
    throw new StepFailed(name, error instanceof Error ? error.message : String(error));
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the body of a successful response. @throws Error with the problem's code and detail. */
export function expectOk<T>({ data, error, response }: Answer<T>): T {
  if (response.ok && error === undefined) return data as T;
  const { code, detail } = (error ?? {}) as { code?: string; detail?: string };
  throw new Error(`status ${response.status}${code ? ` ${code}` : ""}${detail ? `: ${detail}` : ""}`);
}

const POLL_MS = 15;

/** Polls `read` until it returns a value. @throws Error that names what was awaited. */
export async function until<T>(
  demo: DemoContext,
  awaited: string,
  read: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + demo.timeoutMs;
  while (performance.now() < deadline) {
    const found = await read();
    if (found !== undefined) return found;
    await sleep(POLL_MS);
  }
  throw await timedOut(demo, awaited);
}

/** Waits the same time for a promise, because a webhook is retried for days. */
export async function within<T>(demo: DemoContext, awaited: string, coming: Promise<T>): Promise<T> {
  const over = new AbortController();
  const timeout = sleep(demo.timeoutMs, undefined, { signal: over.signal }).then(async () => {
    throw await timedOut(demo, awaited);
  });
  try {
    return await Promise.race([coming, timeout]);
  } finally {
    timeout.catch(() => undefined);
    over.abort();
  }
}

async function timedOut(demo: DemoContext, awaited: string): Promise<Error> {
  return new Error(`waited ${demo.timeoutMs / 1_000} s for ${awaited}${await openIssues(demo)}`);
}

/** Returns the issues that the platform has raised. */
async function openIssues({ operations, provider }: DemoContext): Promise<string> {
  const query = { providerId: provider.providerId };
  const { data } = await operations.listIssues({ params: { query } });
  const details = (data?.items ?? []).map((issue) => issueText(issue).detail);
  return details.length > 0 ? `; open issues of the platform: ${details.join(" | ")}` : "";
}

/** A mail server that keeps the last mails, so that the demo sends none to anyone. */
export function catchMails(): { channel: Channel; mails: readonly Mail[] } {
  const mails: Mail[] = [];
  const deliver: Channel["deliver"] = async (mail) => {
    mails.push(mail);
    if (mails.length > KEPT) mails.shift();
    return { kind: "delivered" };
  };
  return { mails, channel: { name: "email", deliver, close: () => undefined } };
}

const KEPT = 100;

/** What reaches a candidate of a notification: the link in the mail, and what the service for SMS or chat gets. */
interface Reached {
  firstName: string;
  url: string;
  /** Undefined when the messages go to a service of the company's own. */
  message: string | undefined;
}

/** Sends a candidate the offer of an open shift. @throws Error when no such mail comes in time. */
export async function mailedLink(
  demo: DemoContext,
  mails: readonly Mail[],
  messages: readonly string[] | undefined,
): Promise<Reached> {
  const { operations, platformUrl } = demo;
  const notificationId = await until(demo, "an offer", () => readOffer(demo));
  const path = { notificationId };
  const { candidateId } = expectOk(await operations.resendNotification({ params: { path } }));
  const { firstName } = expectOk(await operations.getCandidate({ params: { path: { candidateId } } }));
  const link = await until(demo, "the mail of the offer", async () => {
    const mail = mails.findLast(({ id }) => id.startsWith(notificationId));
    return mail && /\/c\/[\w-]+/.exec(mail.text)?.[0];
  });
  const find = async () => messages?.findLast((each) => each.includes(link));
  const message = messages && (await until(demo, "the message of the offer", find));
  return { firstName, url: platformUrl + link, message };
}

/** Returns an offer of the first open shift that still holds. */
async function readOffer({ operations, provider: { providerId } }: DemoContext): Promise<string | undefined> {
  const query = { providerId, status: "open" } as const;
  const [job] = expectOk(await operations.listJobs({ params: { query } })).items;
  if (!job) return undefined;
  const { items } = expectOk(await operations.listNotifications({ params: { query: { jobId: job.jobId } } }));
  const booked = job.bookings.map(({ candidateId }) => candidateId);
  return items.find(
    ({ kind, withdrawnAt, candidateId }) =>
      kind === "job_offered" && withdrawnAt === undefined && !booked.includes(candidateId),
  )?.notificationId;
}
