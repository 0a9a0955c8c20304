import { describe, expect, it } from "vitest";
import type { Job, Notification } from "../../../generated/operations/types.ts";
import { engines } from "../../harness/engines.ts";
import { agree } from "./agree.ts";
import { useIndependent } from "./organisation.ts";
import { TIMEOUT_MS } from "./pace.ts";
import { digitsOf, type Effect } from "./provider-operations.ts";
import { createShift, formsOf, stepsOf, type TestSystem, take } from "./random-steps.ts";

const STEPS = 200;
const AT_ONCE = 2;
const PEOPLE = 6;
const FIRST_SHIFTS = 4;

/** CONVERGENCE_SEED repeats the steps and the forms of a run, but not the order of its simultaneous calls. */
const seed = Number(process.env.CONVERGENCE_SEED ?? Date.now() % 1_000_000);

describe.each(engines)("200 random operations under random faults, on %s", (engine) => {
  // The periodic read finds what a stale read concealed. Accepts return before slow providers respond. Platform and
  // provider share a process, whose pauses must not resemble lost responses: hence a longer limit for each call.
  const timing = { reconcileMs: 1_000, answerWithinMs: 100 };
  const onboard = useIndependent(engine, { timing, providerTimeoutMs: 3 * TIMEOUT_MS });

  it("end in agreement, with every effect once", async ({ annotate }) => {
    await annotate(`CONVERGENCE_SEED=${seed}`);
    try {
      const organisation = await onboard({ ...formsOf(seed), echo: true });
      const system: TestSystem = {
        organisation,
        people: organisation.people,
        asked: [],
        firstTimes: new Map(),
      };
      await run(system);
      await expectAgreement(system);
      expect(await doubledEffects(system)).toEqual([]);
      expect(await inventedNotifications(system)).toEqual([]);
    } catch (error) {
      if (error instanceof Error) error.message = `[CONVERGENCE_SEED=${seed}] ${error.message}`;
      throw error;
    }
  });
});

async function run(system: TestSystem): Promise<void> {
  const { provider, addPerson, jobs } = system.organisation;
  for (let nth = 0; nth < PEOPLE; nth++) await addPerson();
  for (let nth = 0; nth < FIRST_SHIFTS; nth++) createShift(system, nth);
  await expect.poll(async () => (await jobs()).length).toBe(FIRST_SHIFTS);
  provider.fault({ kind: "no-duplicate-detection" });
  const steps = stepsOf(seed, STEPS);
  for (let first = 0; first < STEPS; first += AT_ONCE)
    await Promise.all(steps.slice(first, first + AT_ONCE).map((step) => take(system, step)));
  provider.clearFaults();
  provider.fault({ kind: "no-duplicate-detection" });
}

/** Waits for stable agreement: the platform has read every shift again. */
async function expectAgreement({ organisation }: TestSystem): Promise<void> {
  const { provider, events } = organisation;
  await provider.settled();
  const disagreements = () => agree(organisation, provider);
  await expect.poll(disagreements).toEqual([]);
  await expect.poll(async () => (await events()).filter(({ status }) => status === "queued")).toEqual([]);
  const live = provider.shiftIds().filter((shiftId) => provider.shift(shiftId)?.deleted === false);
  const readsOf = (shiftId: string) =>
    provider.calls.filter((call) => call.operation === "getShift" && call.shiftId === shiftId).length;
  const before = new Map(live.map((shiftId) => [shiftId, readsOf(shiftId)]));
  const notRead = () => live.filter((shiftId) => readsOf(shiftId) <= (before.get(shiftId) ?? 0));
  await expect.poll(notRead).toEqual([]);
  await expect.poll(disagreements).toEqual([]);
}

/** Returns effects that occurred more often than requested, and people who were created twice. */
async function doubledEffects(system: TestSystem): Promise<string[]> {
  const { provider, jobs } = system.organisation;
  const created = provider.candidates.filter(({ createdBy }) => createdBy === "platform");
  const numbers = new Set(created.map(({ personalNumber }) => digitsOf(personalNumber)));
  const twice = created.length > numbers.size ? ["a person was created twice"] : [];
  return [...twice, ...(await jobs()).flatMap((job) => doubledOn(system, job))];
}

/**
 * Counts only effects with a response. Without one the platform cannot know of an effect, and may repeat the call after a late effect.
 */
function doubledOn(system: TestSystem, { jobId, shiftId }: Job): string[] {
  const { provider } = system.organisation;
  const delivered = provider.effects.filter((effect) => effect.delivered && effect.shiftId === shiftId);
  const of = (kind: Effect["kind"]) => delivered.filter((effect) => effect.kind === kind);
  const asked = (kind: TestSystem["asked"][number]["kind"], candidateId?: string) =>
    system.asked.filter(
      (each) => each.jobId === jobId && each.kind === kind && each.candidateId === candidateId,
    ).length;
  const more = (what: string, { length: done }: Effect[], most: number) =>
    done > most ? [`shift ${shiftId}: ${what} ${done} times, requested ${most} times`] : [];
  return [
    ...more("deleted", of("delete"), Math.min(1, asked("cancel"))),
    ...more("changed", of("put"), asked("change")),
    ...system.people.flatMap((person) => {
      const assignments = of("assign").filter(({ candidateId }) => isSame(system, person, candidateId));
      return more("a person assigned", assignments, asked("accept", person.candidateId));
    }),
  ];
}

function isSame(
  system: TestSystem,
  { personalNumber }: TestSystem["people"][number],
  id: string | undefined,
): boolean {
  const candidate = system.organisation.provider.candidates.find((each) => each.id === id);
  return candidate !== undefined && digitsOf(candidate.personalNumber) === personalNumber;
}

/** Returns notifications without a matching change at the provider. */
async function inventedNotifications(system: TestSystem): Promise<string[]> {
  const { jobs, notifications } = system.organisation;
  const lines: string[] = [];
  for (const job of await jobs()) {
    const sent = await notifications(job);
    for (const person of system.people) {
      const own = sent.filter(({ candidateId }) => candidateId === person.candidateId);
      lines.push(...inventedFor(system, job, person, own));
    }
  }
  return lines;
}

function inventedFor(
  system: TestSystem,
  { jobId, shiftId }: Job,
  person: TestSystem["people"][number],
  sent: readonly Notification[],
): string[] {
  const { provider } = system.organisation;
  const versions = provider.versionsOf(shiftId);
  const starts = new Set(versions.map(({ startTime }) => Date.parse(startTime)));
  const assigned = provider.effects.filter(
    ({ kind, candidateId, ...effect }) =>
      kind === "assign" && effect.shiftId === shiftId && isSame(system, person, candidateId),
  ).length;
  const accepted = system.asked.filter(
    (each) => each.kind === "accept" && each.jobId === jobId && each.candidateId === person.candidateId,
  ).length;
  const isDeleted = provider.shift(shiftId)?.deleted === true;
  const most: Record<Notification["kind"], number> = {
    booking_confirmed: assigned,
    booking_released: accepted,
    shift_cancelled: isDeleted ? Math.min(1, accepted) : 0,
    shift_changed: accepted > 0 ? versions.length - 1 : 0,
    job_offered: Number.POSITIVE_INFINITY,
  };
  const count = (wanted: Notification["kind"]) => sent.filter(({ kind }) => kind === wanted).length;
  const kinds = Object.keys(most) as Notification["kind"][];
  const invented = kinds.filter((kind) => count(kind) > most[kind]);
  const offers = sent.filter(({ kind }) => kind === "job_offered");
  const mistaken = offers.filter(({ content }) => !starts.has(Date.parse(String(content.startTime))));
  return [
    ...invented.map(
      (kind) => `shift ${shiftId}: ${count(kind)} times ${kind}, at most ${most[kind]} expected`,
    ),
    ...mistaken.map(() => `shift ${shiftId}: an offer names times that it never had`),
  ];
}
