import { randomUUID } from "node:crypto";
import type { Message } from "../../generated/events/types.ts";
import type { Event, Issue, Job, Notification, TraceStep } from "../../generated/operations/types.ts";
import { createWebhookClient } from "../../src/clients/webhook-client.ts";
import type { Platform } from "../../src/platform/main.ts";
import type { NewShift } from "../../src/sandbox/desk.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { type Operations, ok, type Person, type ProviderCall } from "./operations.ts";

/** The answer to somebody who accepts or withdraws: the status, and the booking's status or the problem's code. */
export interface Said {
  status: number;
  said: string | undefined;
}

/** What is done and seen in a test. */
export interface Doings {
  /** Until every webhook is delivered, and everything that came of it is done. */
  quiet(): Promise<void>;
  /** A new shift at the provider, and the job that came of it. */
  open(shift?: NewShift): Promise<Job>;
  /** A webhook of the test's own making; its traceId. */
  send(event: string, shiftId: string, traceId?: string): Promise<string>;
  job(shiftId: string): Promise<Job>;
  findJob(shiftId: string): Promise<Job | undefined>;
  accept(job: Pick<Job, "jobId">, person: Pick<Person, "candidateId"> & Partial<Person>): Promise<Said>;
  withdraw(job: Pick<Job, "jobId">, person: Pick<Person, "candidateId"> & Partial<Person>): Promise<Said>;
  cancel(job: Job): Promise<Said>;
  /** Oldest first. */
  events(shiftId?: string): Promise<Event[]>;
  event(traceId: string): Promise<Event>;
  issues(): Promise<Issue[]>;
  /** The codes of the open issues, in order of the alphabet. */
  issueCodes(): Promise<string[]>;
  /** The notifications of the job, oldest first. */
  notificationsOf(job: Job, kind?: Notification["kind"]): Promise<Notification[]>;
  steps(traceId: string): Promise<TraceStep[]>;
  /** `step: code`, oldest first. */
  verdicts(traceId: string): Promise<string[]>;
  /** How often the provider was asked so; `path` without its prefix. */
  asked(method: string, path: string): number;
}

interface Parts {
  platform: Pick<Platform, "url" | "idle">;
  operations: Operations;
  provider: Sandbox;
  providerId: string;
  platformToken: string;
  calls: readonly ProviderCall[];
}

const LIMIT = 200;

export function doingsOf(parts: Parts): Doings {
  const { platform, operations, provider, calls } = parts;
  const quiet = async () => {
    let before: number;
    do {
      before = provider.deliveries.length;
      await provider.settled();
      await platform.idle();
      // What the platform did may have caused an echo, which is not done yet.
    } while (provider.deliveries.length > before);
  };
  const seeing = seeingOf(parts);
  return {
    quiet,
    ...seeing,
    ...acceptingOf(operations),
    open: async (shift) => {
      const { shiftId } = provider.createShift(shift);
      await quiet();
      return seeing.job(shiftId);
    },
    send: (event, shiftId, traceId = randomUUID()) => send(parts, event, shiftId, traceId),
    asked: (method, path) => calls.filter((call) => call.method === method && call.path === path).length,
  };
}

async function send(parts: Parts, event: string, shiftId: string, traceId: string): Promise<string> {
  const { platform, providerId, platformToken: token } = parts;
  const client = createWebhookClient({ platformUrl: platform.url, token, schedule: [0] });
  const sent = await client.send({ event, providerId, content: { shiftId }, traceId } as Message);
  if (!sent.delivered) throw new Error(`the webhook was not taken: ${sent.reason}`);
  return traceId;
}

type Accepting = Pick<Doings, "accept" | "withdraw" | "cancel">;

function acceptingOf(operations: Operations): Accepting {
  return {
    accept: async ({ jobId }, { candidateId }) => {
      const answer = await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
      return { status: answer.response.status, said: answer.data?.status ?? answer.error?.code };
    },
    withdraw: async ({ jobId }, { candidateId }) => {
      const answer = await operations.withdrawBooking({ params: { path: { jobId, candidateId } } });
      return { status: answer.response.status, said: answer.error?.code };
    },
    cancel: async ({ jobId }) => {
      const answer = await operations.cancelJob({ params: { path: { jobId } } });
      return { status: answer.response.status, said: answer.error?.code };
    },
  };
}

type Seeing = Omit<Doings, keyof Accepting | "quiet" | "open" | "send" | "asked">;

function seeingOf({ operations, providerId }: Parts): Seeing {
  const findJob = async (shiftId: string) => {
    const query = { providerId, shiftId };
    return ok(await operations.listJobs({ params: { query } })).items[0];
  };
  const issues = async () =>
    ok(await operations.listIssues({ params: { query: { providerId, limit: LIMIT } } })).items;
  const steps = async (traceId: string) =>
    ok(await operations.getTrace({ params: { path: { traceId } } })).steps;
  const events = async (query: { shiftId?: string; traceId?: string }) => {
    const params = { query: { providerId, limit: LIMIT, ...query } };
    return ok(await operations.listEvents({ params })).items.reverse();
  };
  return {
    findJob,
    job: async (shiftId) => some(await findJob(shiftId), "job"),
    events: (shiftId) => events(shiftId === undefined ? {} : { shiftId }),
    event: async (traceId) => some((await events({ traceId }))[0], "event"),
    issues,
    issueCodes: async () => (await issues()).map(({ code }) => code).sort(),
    notificationsOf: async ({ jobId }, kind) => {
      const query = { jobId, limit: LIMIT };
      const { items } = ok(await operations.listNotifications({ params: { query } }));
      return items.reverse().filter((each) => kind === undefined || each.kind === kind);
    },
    steps,
    verdicts: async (traceId) =>
      (await steps(traceId)).map(({ step, verdict }) => `${step}: ${verdict.code}`),
  };
}

function some<T>(thing: T | undefined, what: string): T {
  if (thing === undefined) throw new Error(`there is no such ${what}`);
  return thing;
}
