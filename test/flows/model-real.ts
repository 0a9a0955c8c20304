import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Job } from "../../generated/operations/types.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import type { Reply } from "../harness/actions.ts";
import { type Operations, ok } from "../harness/operations.ts";
import type { Organisation, Person } from "../harness/organisation.ts";
import {
  accept,
  deliver,
  isOverfilled,
  type Model,
  pairOf,
  statusOf,
  type Values,
  type Webhook,
} from "./model.ts";

/** The platform over HTTP and its provider, as the commands of the model see them. */
export interface Real {
  accept(shift: number, person: number): Promise<Reply>;
  withdraw(shift: number, person: number): Promise<Reply>;
  cancel(shift: number): Promise<Reply>;
  change(shift: number, values: Partial<Values>): Promise<Reply>;
  providerUpdates(shift: number, values: Partial<Values>): void;
  providerDeletes(shift: number): void;
  /** Assigns one of the provider's own people to the shift, or unassigns them. */
  providerAssigns(shift: number, isOn: boolean): void;
  webhook(event: Webhook["event"], shift: number): Webhook;
  send(webhook: Webhook): Promise<void>;
  replay(webhook: Webhook): Promise<void>;
  fault(name: FaultName, times: number): void;
  clearTrouble(): void;
  idle(): Promise<void>;
  /** Resolves when all resulting work is done. */
  compare(model: Model): Promise<void>;
}

/** Temporary faults, which may strike after the call took effect. */
export const TROUBLE = ["unavailable", "error-500", "reset", "truncated", "assign-lost-answer"] as const;

const HOUR_MS = 3_600_000;

interface NewShift extends Values {
  day: number;
}

/** The first two overlap. */
const SHIFTS: readonly NewShift[] = [
  { day: 0, start: 0, end: 6, positions: 2 },
  { day: 0, start: 1, end: 7, positions: 1 },
  { day: 1, start: 0, end: 6, positions: 1 },
];

interface Place {
  organisation: Organisation;
  operations: Operations;
  people: readonly Person[];
  /** The first day of each run: runs use separate days, two each. */
  firstDay: number;
}

/** Creates three shifts: a job of two people, an open job, and one whose create is not delivered yet. */
export async function begin(place: Place): Promise<{ model: Model; real: Real }> {
  const { model, real } = makeShifts(place);
  for (const webhook of model.waiting.splice(0, 2)) {
    deliver(model, webhook);
    await real.send(webhook);
  }
  await place.organisation.idle();
  for (const person of [0, 1]) expect(await real.accept(0, person)).toEqual(accept(model, 0, person));
  return { model, real };
}

function makeShifts(place: Place): { model: Model; real: Real } {
  const { provider } = place.organisation;
  provider.clearFaults();
  const first = Math.ceil(Date.now() / HOUR_MS) + 24 * place.firstDay;
  const times = SHIFTS.map(({ day }) => timesOn((first + 24 * day) * HOUR_MS));
  const shiftIds = SHIFTS.map((shift, index) => provider.createShift(times[index]?.(shift)).shiftId);
  const real = realOf(place, shiftIds, times);
  const pairs = SHIFTS.map(({ day, start, end, positions }) => pairOf({ start, end, positions }, day));
  const waiting = shiftIds.map((_, index) => real.webhook("shift.create", index));
  const people = place.people.map((_, index) => index);
  return { model: { people, pairs, waiting, delivered: [], refusing: new Set() }, real };
}

type Times = (values: Partial<Values>) => { startTime?: string; endTime?: string; positions?: number };

function timesOn(midnight: number): Times {
  const iso = (hour: number) => new Date(midnight + hour * HOUR_MS).toISOString();
  return ({ start, end, positions }) => ({
    ...(start !== undefined && { startTime: iso(start) }),
    ...(end !== undefined && { endTime: iso(end) }),
    ...(positions !== undefined && { positions }),
  });
}

function realOf(place: Place, shiftIds: readonly string[], times: readonly Times[]): Real {
  const { organisation, operations, people } = place;
  const { provider } = organisation;
  const idOf = (shift: number) => nth(shiftIds, shift);
  const jobOf = (shift: number) => organisation.job(idOf(shift));
  const bodyOf = (shift: number, values: Partial<Values>) => nth(times, shift)(values);
  return {
    accept: async (shift, person) => organisation.accept(await jobOf(shift), nth(people, person)),
    withdraw: async (shift, person) => organisation.withdraw(await jobOf(shift), nth(people, person)),
    cancel: async (shift) => organisation.cancel(await jobOf(shift)),
    change: async (shift, values) => {
      const { jobId } = await jobOf(shift);
      const body = bodyOf(shift, values);
      const answer = await operations.changeJob({ params: { path: { jobId } }, body });
      return { status: answer.response.status, code: answer.error?.code };
    },
    providerUpdates: (shift, values) => void provider.updateShift(idOf(shift), bodyOf(shift, values)),
    providerDeletes: (shift) => void provider.deleteShift(idOf(shift)),
    providerAssigns: (shift, isOn) =>
      void provider[isOn ? "assign" : "unassign"](idOf(shift), nth(provider.candidates, 0).id),
    webhook: (event, shift) => ({ event, shift, traceId: randomUUID() }),
    send: async ({ event, shift, traceId }) => void (await organisation.send(event, idOf(shift), traceId)),
    replay: async ({ traceId }) => {
      const { eventId } = await organisation.event(traceId);
      ok(await operations.replayEvent({ params: { path: { eventId } } }));
    },
    fault: (name, times) => provider.setFault(name, { times, retryAfter: "0" }),
    clearTrouble: () => {
      for (const name of TROUBLE) provider.setFault(name, { times: 0 });
    },
    idle: organisation.idle,
    compare: async (model) => {
      await organisation.idle();
      const seen = await Promise.all(shiftIds.map((shiftId) => observe(place, shiftId)));
      expect(seen).toEqual(model.pairs.map((pair, index) => expected(pair, nth(times, index))));
      expectNobodyTwice(place);
    },
  };
}

function nth<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`index ${index} is not among ${list.length}`);
  return found;
}

/** Returns the state that the model expects from `observe`. */
function expected({ shift, job }: Model["pairs"][number], times: Times) {
  const { start, end, positions } = job ?? shift;
  return {
    assigned: [...shift.assigned].sort(),
    isDeleted: shift.isDeleted,
    job: job && {
      ...times({ start, end, positions }),
      status: statusOf(job),
      overfilled: isOverfilled(job),
      own: job.hasOwn ? 1 : 0,
      booked: [...job.booked].sort(),
      pending: 0,
      cancelling: false,
      notified: [...job.notified].sort(),
      offered: [...job.offered].sort(),
    },
  };
}

async function observe(place: Place, shiftId: string) {
  const { organisation } = place;
  const shift = organisation.provider.shift(shiftId);
  const job = await organisation.findJob(shiftId);
  return {
    assigned: [...(shift?.assigned.keys() ?? [])].map((id) => whoIs(place, id)).sort(),
    isDeleted: shift?.cancelled,
    job: job && (await lookAt(place, job)),
  };
}

async function lookAt({ organisation, people }: Place, job: Job) {
  const { status, startTime, endTime, positions, overfilled, cancelling = false, ownPeopleCount: own } = job;
  const personOf = (candidateId: string) => people.findIndex((each) => each.candidateId === candidateId);
  const having = (wanted: string) => job.bookings.filter((booking) => booking.status === wanted);
  const notes = await organisation.notifications(job);
  const offers = notes.filter(({ kind, withdrawnAt }) => kind === "job_offered" && withdrawnAt === undefined);
  return {
    ...{ status, startTime, endTime, positions, overfilled, cancelling, own },
    booked: having("confirmed")
      .map(({ candidateId }) => personOf(candidateId))
      .sort(),
    pending: having("pending").length,
    notified: notes.map(({ kind, candidateId }) => `${kind} ${personOf(candidateId)}`).sort(),
    offered: offers.map(({ candidateId }) => personOf(candidateId)).sort(),
  };
}

function whoIs({ organisation, people }: Place, providerCandidateId: string): number {
  const found = organisation.provider.candidates.find(({ id }) => id === providerCandidateId);
  return people.findIndex(({ personalNumber }) => personalNumber === found?.personalNumber);
}

function expectNobodyTwice({ organisation }: Place): void {
  const numbers = organisation.provider.candidates.map(({ personalNumber }) => personalNumber);
  expect(new Set(numbers).size).toBe(numbers.length);
}
