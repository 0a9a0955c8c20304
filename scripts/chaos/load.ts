import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "../../generated/events/types.ts";
import { createWebhookClient } from "../../src/clients/webhook-client.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import type { StoredShift } from "../../src/sandbox/organisation.ts";
import type { Organisation, Person } from "../../test/harness/organisation.ts";
import type { Random } from "./random.ts";

const HOUR_MS = 3_600_000;
const MOST_OPEN_SHIFTS = 40;
/** Between two troubles: a provider that never responds shows nothing. */
const CALLS_PER_FAULT = 12;
/** So many bookings must be accepted for a run to show anything. */
export const LEAST_ACCEPTED = 8;
/** A sender that does not give up: every try that gets no answer, or a 503, is followed by another one. */
export const STUBBORN: readonly number[] = [0, ...Array.from({ length: 2_000 }, () => 100)];
/** What passes, and may have taken effect before it went wrong. */
const FAULTS: readonly FaultName[] = [
  ...(["unavailable", "rate-limited", "error-500", "error-now-and-then", "errors-as-html"] as const),
  ...(["slow", "reset", "reset-now-and-then", "assign-lost-answer", "oversized"] as const),
  ...(["truncated", "empty-body", "garbage", "json-as-html", "ids-as-numbers", "wrapped-in-data"] as const),
  ...(["invalid-now-and-then", "duplicate-webhooks", "answer-lost", "assign-again-refused"] as const),
  ...(["assign-late", "create-late", "stale-reads", "shift-lag"] as const),
];
/** What is about everything, for a while: a gateway without a route, a token that was rotated. */
const OUTAGES: readonly FaultName[] = ["gateway-not-found", "token-rejected", "token-forbidden"];
/** An effect that comes late comes within the time limit of a call, which the platform waits for. Milliseconds. */
const LATE_MS = 400;
/**
 * A lagging replica catches up well within the platform's patience (`ABSENCE_RETRIES_MS`), however many reads it answers meanwhile: a shift that is
 * missing for longer is taken as deleted, rightly. So no lag follows another at once. Milliseconds.
 */
const LAG_MS = 100;
const LAGS_APART_MS = 2_000;

/** What the platform has said yes to, beside the webhooks that the sandbox sent itself. */
export interface Said {
  /** Webhooks of the load's own making that were answered with 200. */
  events: { event: string; shiftId: string; traceId: string }[];
  accepted: { jobId: string; candidateId: string }[];
  withdrawn: { jobId: string; candidateId: string }[];
  cancelled: string[];
  /** How often the times of a shift were changed by the provider. */
  retimed: Map<string, number>;
  /** Where each fault to the platform begins and ends, in turns: how many calls the provider had by then. */
  faults: number[];
  /** What was done, by name. */
  done: Map<string, number>;
}

/** An assignment that the provider confirmed, in full, in an answer that nothing spoilt. */
export interface Assigned {
  shiftId: string;
  candidateId: string;
  /** How many calls the provider had by then. */
  at: number;
  /** How many beginnings and ends of faults there were by then. */
  marks: number;
}

/** The people at one provider and on the platform, who do what they like. */
export interface Load {
  organisation: Organisation;
  said: Said;
  assigned: Assigned[];
  /** How many people the provider knew before. */
  seeded: number;
  /** Resolved once enough was accepted. */
  enough: PromiseWithResolvers<void>;
  /** How many calls the provider had at the last trouble. */
  troubledAt: number;
  /** When its last lag began, by `performance.now`. */
  laggedAt: number;
  /** Webhooks of the load's own that are under way. */
  underWay: Set<Promise<void>>;
}

export function gather(organisation: Organisation): Load {
  const said = {
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
  const never = { troubledAt: 0, laggedAt: Number.NEGATIVE_INFINITY };
  return { organisation, said, assigned: [], seeded, enough, ...never, underWay: new Set() };
}

/** Where all people of a load get their mail. */
export const addressOf = ({ organisation }: Pick<Load, "organisation">): string =>
  `people@${organisation.providerId}.example`;

interface Place {
  /** Of the platform's processes. */
  urls: readonly string[];
  people: readonly Person[];
  random: Random;
}

/** One thing after the other, until told to stop; what the platform does not answer is left. */
export async function live(load: Load, place: Place, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await act(load, place).catch(() => count(load.said, "not answered"));
    await sleep(place.random.between(50, 150));
  }
}

const count = ({ done }: Said, what: string) => void done.set(what, (done.get(what) ?? 0) + 1);

const ACTS = {
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
  trouble,
  outage,
} satisfies Record<string, (load: Load, place: Place) => Promise<void> | void>;

/** By how often they happen. */
const OFTEN: readonly (keyof typeof ACTS)[] = [
  ...(["create", "create", "early", "update", "retime", "remove", "repeat", "repeat"] as const),
  ...(["accept", "accept", "accept", "accept", "withdraw", "cancel", "trouble"] as const),
  ...(["assignOwn", "unassignOwn", "trouble", "outage"] as const),
];

async function act(load: Load, place: Place): Promise<void> {
  const name = load.organisation.provider.shifts.length === 0 ? "create" : place.random.pick(OFTEN);
  await ACTS[name](load, place);
  count(load.said, name);
}

function newShift({ random }: Place) {
  const start = Math.ceil(Date.now() / HOUR_MS + random.between(24, 24 * 20)) * HOUR_MS;
  return { id: randomUUID(), ...timesOf(start), positions: random.between(1, 4) };
}

function timesOf(start: number) {
  const [startTime = "", endTime = ""] = [start, start + 6 * HOUR_MS].map((ms) => new Date(ms).toISOString());
  return { startTime, endTime };
}

const mayOpen = ({ organisation }: Load) =>
  organisation.provider.shifts.filter(({ cancelled }) => !cancelled).length < MOST_OPEN_SHIFTS;

function create(load: Load, place: Place): void {
  const { provider } = load.organisation;
  if (mayOpen(load)) provider.createShift(newShift(place));
}

/** The update comes before the shift can be read. */
function early(load: Load, place: Place): void {
  const { provider } = load.organisation;
  if (!mayOpen(load)) return;
  const shift = newShift(place);
  send(load, place, { event: "shift.update", shiftId: shift.id, traceId: randomUUID() });
  provider.createShift(shift);
}

const openShift = ({ organisation }: Load, { random }: Place) =>
  random.pick(organisation.provider.shifts.filter(({ cancelled }) => !cancelled));

function update(load: Load, place: Place): void {
  const shift = openShift(load, place);
  if (shift) load.organisation.provider.updateShift(shift.id, { positions: place.random.between(1, 4) });
}

function retime(load: Load, place: Place): void {
  const shift = openShift(load, place);
  if (!shift) return;
  const { retimed } = load.said;
  const start = Date.parse(shift.startTime) + HOUR_MS;
  load.organisation.provider.updateShift(shift.id, timesOf(start));
  retimed.set(shift.id, (retimed.get(shift.id) ?? 0) + 1);
}

function remove(load: Load, place: Place): void {
  const shift = openShift(load, place);
  if (shift && place.random.pick([true, false])) load.organisation.provider.deleteShift(shift.id);
}

/** A webhook once more: the same traceId, and long after others of the shift. */
function repeat(load: Load, place: Place): void {
  const before = place.random.pick(load.organisation.provider.deliveries);
  if (before) send(load, place, before);
}

function send(
  { organisation, said, underWay }: Load,
  { urls, random }: Place,
  message: Said["events"][number],
): void {
  const { event, shiftId, traceId } = message;
  const { providerId, platformToken: token } = organisation;
  const client = createWebhookClient({
    platformUrl: random.pick(urls),
    token,
    schedule: STUBBORN,
    timeoutMs: 2_000,
  });
  const sending = client
    .send({ event, providerId, content: { shiftId }, traceId } as Message)
    .then(({ delivered }) => void (delivered && said.events.push({ event, shiftId, traceId })))
    .finally(() => underWay.delete(sending));
  underWay.add(sending);
}

async function seatOf(load: Load, place: Place) {
  const { shifts } = load.organisation.provider;
  const shift = place.random.pick(shifts);
  const job = shift && (await load.organisation.findJob(shift.id));
  return job && { job, person: place.random.pick(place.people) };
}

async function accept(load: Load, place: Place): Promise<void> {
  const seat = await seatOf(load, place);
  if (!seat) return;
  const { status } = await load.organisation.accept(seat.job, seat.person);
  const { candidateId } = seat.person;
  if (status < 300) load.said.accepted.push({ jobId: seat.job.jobId, candidateId });
  if (load.said.accepted.length >= LEAST_ACCEPTED) load.enough.resolve();
}

async function withdraw(load: Load, place: Place): Promise<void> {
  const seat = await seatOf(load, place);
  const booking = seat?.job.bookings.find(({ status }) => status === "pending" || status === "confirmed");
  if (!seat || !booking) return;
  const { candidateId } = booking;
  const { status } = await load.organisation.withdraw(seat.job, { candidateId });
  if (status < 300) load.said.withdrawn.push({ jobId: seat.job.jobId, candidateId });
}

async function cancel(load: Load, place: Place): Promise<void> {
  const seat = place.random.pick([true, false, false]) ? await seatOf(load, place) : undefined;
  if (!seat || seat.job.status === "cancelled") return;
  const { status } = await load.organisation.cancel(seat.job);
  if (status < 300) load.said.cancelled.push(seat.job.jobId);
}

function trouble(load: Load, { random }: Place): void {
  const { provider, calls } = load.organisation;
  if (calls.length - load.troubledAt < CALLS_PER_FAULT) return;
  load.troubledAt = calls.length;
  const name = random.pick(FAULTS);
  const now = performance.now();
  if (name === "shift-lag") {
    if (now - load.laggedAt < LAGS_APART_MS) return;
    load.laggedAt = now;
    provider.setFault(name, { times: Number.POSITIVE_INFINITY, forMs: LAG_MS });
  } else provider.setFault(name, { times: random.between(1, 5), retryAfter: "0", lateMs: LATE_MS });
  count(load.said, `fault ${name}`);
}

/** Every call meets it, the look-up of people and the witness of an absence too. */
function outage(load: Load, { random }: Place): void {
  const { provider, calls } = load.organisation;
  if (calls.length - load.troubledAt < CALLS_PER_FAULT) return;
  load.troubledAt = calls.length;
  const name = random.pick(OUTAGES);
  provider.setFault(name, { forMs: random.between(100, 1_500) });
  count(load.said, `fault ${name}`);
}

/** Every other time the provider sends no webhook. */
function assignOwn(load: Load, place: Place): void {
  const shift = openShift(load, place);
  if (!shift || shift.assigned.size >= shift.positions) return;
  const { provider } = load.organisation;
  const { id } = place.random.pick(provider.candidates.slice(0, load.seeded));
  if (place.random.pick([true, false])) provider.assign(shift.id, id);
  else shift.assigned.set(id, new Date().toISOString());
}

function unassignOwn(load: Load, place: Place): void {
  const { provider } = load.organisation;
  const own = new Set(provider.candidates.slice(0, load.seeded).map(({ id }) => id));
  const ownOn = ({ assigned, cancelled }: StoredShift) =>
    cancelled ? undefined : [...assigned.keys()].find((id) => own.has(id));
  const shift = place.random.pick(provider.shifts.filter((each) => ownOn(each) !== undefined));
  const id = shift && ownOn(shift);
  if (!shift || id === undefined) return;
  if (place.random.pick([true, false])) provider.unassign(shift.id, id);
  else shift.assigned.delete(id);
}
