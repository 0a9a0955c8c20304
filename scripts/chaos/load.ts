import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "../../generated/events/types.ts";
import { createWebhookClient } from "../../src/clients/webhook-client.ts";
import { HOUR_MS } from "../../src/contract/timestamp.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import type { StoredShift } from "../../src/sandbox/organisation.ts";
import type { Organisation, Person } from "../../test/harness/organisation.ts";
import type { Random } from "../../test/harness/random.ts";

const MOST_OPEN_SHIFTS = 40;
/** Calls between two faults: a provider that never responds shows nothing. */
const CALLS_PER_FAULT = 12;
/** The least number of accepted bookings that makes a run meaningful. */
export const LEAST_ACCEPTED = 8;
/** The schedule of a persistent sender: each try without a response, or with 503, is followed by another one. */
export const PERSISTENT_SCHEDULE: readonly number[] = [0, ...Array.from({ length: 2_000 }, () => 100)];
/** Temporary faults, which may strike after the call took effect. */
const FAULTS: readonly FaultName[] = [
  ...(["unavailable", "rate-limited", "error-500", "error-now-and-then", "errors-as-html"] as const),
  ...(["slow", "reset", "reset-now-and-then", "assign-lost-answer", "oversized"] as const),
  ...(["truncated", "empty-body", "garbage", "json-as-html", "ids-as-numbers", "wrapped-in-data"] as const),
  ...(["invalid-now-and-then", "duplicate-webhooks", "answer-lost", "assign-again-refused"] as const),
  ...(["assign-late", "create-late", "stale-reads", "shift-lag"] as const),
];
/** Temporary faults of every call: a gateway without a route, a rotated token. */
const OUTAGES: readonly FaultName[] = ["gateway-not-found", "token-rejected", "token-forbidden"];
/** A late effect stays within the time limit of a call. Milliseconds. */
const LATE_MS = 400;
/**
 * A lagging replica catches up before the platform counts a missing shift as deleted (`ABSENCE_RETRIES_MS` in platform-child.ts). Lags
 * therefore keep a distance. Milliseconds.
 */
const LAG_MS = 100;
const LAGS_APART_MS = 2_000;

/** What the platform has acknowledged, beside the webhooks of the sandbox. */
export interface LoadRecord {
  /** Webhooks of the load itself that got 200. */
  events: { event: string; shiftId: string; traceId: string }[];
  accepted: { jobId: string; candidateId: string }[];
  withdrawn: { jobId: string; candidateId: string }[];
  cancelled: string[];
  /** How often the provider changed the times of a shift. */
  retimed: Map<string, number>;
  /** The starts and ends of faults, in turns, each as the number of provider calls until then. */
  faults: number[];
  /** The number of actions, by name. */
  done: Map<string, number>;
}

/** An assignment that the provider confirmed with an intact response. */
export interface Assigned {
  shiftId: string;
  candidateId: string;
  /** The number of provider calls until then. */
  at: number;
  /** The number of starts and ends of faults until then. */
  marks: number;
}

/** The random activity of the people at one provider and on the platform. */
export interface Load {
  organisation: Organisation;
  record: LoadRecord;
  assigned: Assigned[];
  /** The number of people whom the provider knew at the start. */
  seeded: number;
  /** Resolves once enough bookings were accepted. */
  enough: PromiseWithResolvers<void>;
  /** The number of provider calls at the last fault. */
  faultAt: number;
  /** When its last lag began, by `performance.now`. */
  lagAt: number;
  /** Webhooks of the load itself that are under way. */
  underWay: Set<Promise<void>>;
}

export function createLoad(organisation: Organisation): Load {
  const record = {
    events: [],
    accepted: [],
    withdrawn: [],
    cancelled: [],
    retimed: new Map(),
    faults: [],
    done: new Map(),
  };
  const seeded = organisation.provider.candidates.length;
  const enough = Promise.withResolvers<void>();
  const never = { faultAt: 0, lagAt: Number.NEGATIVE_INFINITY };
  return { organisation, record, assigned: [], seeded, enough, ...never, underWay: new Set() };
}

/** Returns the mail address of all people of a load. */
export const addressOf = ({ organisation }: Pick<Load, "organisation">): string =>
  `people@${organisation.providerId}.example`;

interface LoadContext {
  /** The URLs of the platform's processes. */
  urls: readonly string[];
  people: readonly Person[];
  random: Random;
}

/** Performs one action after the other until the signal aborts. Actions without a response are dropped. */
export async function runLoad(load: Load, context: LoadContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await act(load, context).catch(() => count(load.record, "no response"));
    await sleep(context.random.between(50, 150));
  }
}

const count = ({ done }: LoadRecord, what: string) => void done.set(what, (done.get(what) ?? 0) + 1);

const ACTIONS = {
  create,
  early,
  update,
  retime,
  remove,
  repeat,
  accept,
  withdraw,
  cancel,
  assignOwn,
  unassignOwn,
  providerFault,
  providerOutage,
} satisfies Record<string, (load: Load, context: LoadContext) => Promise<void> | void>;

/** The actions, by frequency. */
const WEIGHTED: readonly (keyof typeof ACTIONS)[] = [
  ...(["create", "create", "early", "update", "retime", "remove", "repeat", "repeat"] as const),
  ...(["accept", "accept", "accept", "accept", "withdraw", "cancel", "providerFault"] as const),
  ...(["assignOwn", "unassignOwn", "providerFault", "providerOutage"] as const),
];

async function act(load: Load, context: LoadContext): Promise<void> {
  const name = load.organisation.provider.shifts.length === 0 ? "create" : context.random.pick(WEIGHTED);
  await ACTIONS[name](load, context);
  count(load.record, name);
}

function newShift({ random }: LoadContext) {
  const start = Math.ceil(Date.now() / HOUR_MS + random.between(24, 24 * 20)) * HOUR_MS;
  return { id: randomUUID(), ...timesOf(start), positions: random.between(1, 4) };
}

function timesOf(start: number) {
  const [startTime = "", endTime = ""] = [start, start + 6 * HOUR_MS].map((ms) => new Date(ms).toISOString());
  return { startTime, endTime };
}

const mayOpen = ({ organisation }: Load) =>
  organisation.provider.shifts.filter(({ cancelled }) => !cancelled).length < MOST_OPEN_SHIFTS;

function create(load: Load, context: LoadContext): void {
  const { provider } = load.organisation;
  if (mayOpen(load)) provider.createShift(newShift(context));
}

/** Sends the update before the shift can be read. */
function early(load: Load, context: LoadContext): void {
  const { provider } = load.organisation;
  if (!mayOpen(load)) return;
  const shift = newShift(context);
  send(load, context, { event: "shift.update", shiftId: shift.id, traceId: randomUUID() });
  provider.createShift(shift);
}

const openShift = ({ organisation }: Load, { random }: LoadContext) =>
  random.pick(organisation.provider.shifts.filter(({ cancelled }) => !cancelled));

function update(load: Load, context: LoadContext): void {
  const shift = openShift(load, context);
  if (shift) load.organisation.provider.updateShift(shift.id, { positions: context.random.between(1, 4) });
}

function retime(load: Load, context: LoadContext): void {
  const shift = openShift(load, context);
  if (!shift) return;
  const { retimed } = load.record;
  const start = Date.parse(shift.startTime) + HOUR_MS;
  load.organisation.provider.updateShift(shift.id, timesOf(start));
  retimed.set(shift.id, (retimed.get(shift.id) ?? 0) + 1);
}

function remove(load: Load, context: LoadContext): void {
  const shift = openShift(load, context);
  if (shift && context.random.pick([true, false])) load.organisation.provider.deleteShift(shift.id);
}

/** Sends an earlier webhook again: the same traceId, possibly after later ones of the shift. */
function repeat(load: Load, context: LoadContext): void {
  const before = context.random.pick(load.organisation.provider.deliveries);
  if (before) send(load, context, before);
}

function send(
  { organisation, record, underWay }: Load,
  { urls, random }: LoadContext,
  message: LoadRecord["events"][number],
): void {
  const { event, shiftId, traceId } = message;
  const { providerId, platformToken: token } = organisation;
  const client = createWebhookClient({
    platformUrl: random.pick(urls),
    token,
    schedule: PERSISTENT_SCHEDULE,
    timeoutMs: 2_000,
  });
  const sending = client
    .send({ event, providerId, content: { shiftId }, traceId } as Message)
    .then(({ delivered }) => void (delivered && record.events.push({ event, shiftId, traceId })))
    .finally(() => underWay.delete(sending));
  underWay.add(sending);
}

async function seatOf(load: Load, context: LoadContext) {
  const { shifts } = load.organisation.provider;
  const shift = context.random.pick(shifts);
  const job = shift && (await load.organisation.findJob(shift.id));
  return job && { job, person: context.random.pick(context.people) };
}

async function accept(load: Load, context: LoadContext): Promise<void> {
  const seat = await seatOf(load, context);
  if (!seat) return;
  const { status } = await load.organisation.accept(seat.job, seat.person);
  const { candidateId } = seat.person;
  if (status < 300) load.record.accepted.push({ jobId: seat.job.jobId, candidateId });
  if (load.record.accepted.length >= LEAST_ACCEPTED) load.enough.resolve();
}

async function withdraw(load: Load, context: LoadContext): Promise<void> {
  const seat = await seatOf(load, context);
  const booking = seat?.job.bookings.find(({ status }) => status === "pending" || status === "confirmed");
  if (!seat || !booking) return;
  const { candidateId } = booking;
  const { status } = await load.organisation.withdraw(seat.job, { candidateId });
  if (status < 300) load.record.withdrawn.push({ jobId: seat.job.jobId, candidateId });
}

async function cancel(load: Load, context: LoadContext): Promise<void> {
  const seat = context.random.pick([true, false, false]) ? await seatOf(load, context) : undefined;
  if (!seat || seat.job.status === "cancelled") return;
  const { status } = await load.organisation.cancel(seat.job);
  if (status < 300) load.record.cancelled.push(seat.job.jobId);
}

function providerFault(load: Load, { random }: LoadContext): void {
  const { provider, calls } = load.organisation;
  if (calls.length - load.faultAt < CALLS_PER_FAULT) return;
  load.faultAt = calls.length;
  const name = random.pick(FAULTS);
  const now = performance.now();
  if (name === "shift-lag") {
    if (now - load.lagAt < LAGS_APART_MS) return;
    load.lagAt = now;
    provider.setFault(name, { times: Number.POSITIVE_INFINITY, forMs: LAG_MS });
  } else provider.setFault(name, { times: random.between(1, 5), retryAfter: "0", lateMs: LATE_MS });
  count(load.record, `fault ${name}`);
}

/** Affects every call, including lookups of people and the second check of a missing shift. */
function providerOutage(load: Load, { random }: LoadContext): void {
  const { provider, calls } = load.organisation;
  if (calls.length - load.faultAt < CALLS_PER_FAULT) return;
  load.faultAt = calls.length;
  const name = random.pick(OUTAGES);
  provider.setFault(name, { forMs: random.between(100, 1_500) });
  count(load.record, `fault ${name}`);
}

/** Assigns one of the provider's own people, in every second case without a webhook. */
function assignOwn(load: Load, context: LoadContext): void {
  const shift = openShift(load, context);
  if (!shift || shift.assigned.size >= shift.positions) return;
  const { provider } = load.organisation;
  const { id } = context.random.pick(provider.candidates.slice(0, load.seeded));
  if (context.random.pick([true, false])) provider.assign(shift.id, id);
  else shift.assigned.set(id, new Date().toISOString());
}

function unassignOwn(load: Load, context: LoadContext): void {
  const { provider } = load.organisation;
  const own = new Set(provider.candidates.slice(0, load.seeded).map(({ id }) => id));
  const ownOn = ({ assigned, cancelled }: StoredShift) =>
    cancelled ? undefined : [...assigned.keys()].find((id) => own.has(id));
  const shift = context.random.pick(provider.shifts.filter((each) => ownOn(each) !== undefined));
  const id = shift && ownOn(shift);
  if (!shift || id === undefined) return;
  if (context.random.pick([true, false])) provider.unassign(shift.id, id);
  else shift.assigned.delete(id);
}
