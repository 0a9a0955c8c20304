import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import type { Reply } from "../../harness/actions.ts";
import { featureEngines } from "../../harness/engines.ts";
import { useHarness } from "../../harness/platform.ts";

const CONFIRMED = { status: 201, code: "confirmed" };
const UNKNOWN = "0190c7a4-0000-7000-8000-000000000001";
const OVERLAPS = { status: 409, code: "booking_overlaps" };

describe.each(featureEngines)("the seats of a job on %s", (engine) => {
  const clock = { ms: Date.now() };
  const harness = useHarness(engine, { now: () => new Date(clock.ms) });

  const shift = (from: number, to: number) => {
    const day = Math.ceil(clock.ms / HOUR_MS) * HOUR_MS + 48 * HOUR_MS;
    const at = (hours: number) => new Date(day + hours * HOUR_MS).toISOString();
    return { startTime: at(from), endTime: at(to) };
  };

  it("are given to as many candidates as there are positions, however many accept at once", async () => {
    const organisation = await harness().onboard();
    const people = await Promise.all(Array.from({ length: 12 }, () => organisation.addPerson()));
    const { provider } = organisation;
    const { shiftId } = provider.createShift({ positions: 6 });
    // One of the provider's own people takes a position.
    provider.assign(shiftId, provider.candidates[0]?.id ?? "");
    await organisation.idle();
    const job = await organisation.job(shiftId);
    const code = await Promise.all(people.map((person) => organisation.accept(job, person)));
    expect(counted(code)).toEqual({ confirmed: 5, job_filled: 7 });
    expect(provider.shift(shiftId)?.assigned.size).toBe(6);
    const after = await organisation.job(shiftId);
    expect([after.status, after.bookings.length]).toEqual(["filled", 5]);
  });

  it("are given to a candidate on only one of two overlapping jobs, even with concurrent accepts", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const jobs = [await organisation.open(shift(0, 8)), await organisation.open(shift(7, 9))];
    const code = await Promise.all(jobs.map((job) => organisation.accept(job, person)));
    expect(counted(code)).toEqual({ confirmed: 1, booking_overlaps: 1 });
  });

  it("are refused for an overlap with a job of another organisation", async () => {
    const [here, there] = [await harness().onboard(), await harness().onboard()];
    const person = await here.addPerson({ competenceIds: [here.competenceId, there.competenceId] });
    await here.accept(await here.open(shift(0, 8)), person);
    expect(await there.accept(await there.open(shift(4, 6)), person)).toEqual(OVERLAPS);
  });

  it("are given for a job that starts when another ends", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    for (const times of [shift(0, 4), shift(4, 8), shift(-3, 0)]) {
      expect(await organisation.accept(await organisation.open(times), person)).toEqual(CONFIRMED);
    }
  });

  it("are given to a candidate whose overlapping booking has ended", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const [one, other] = [await organisation.open(shift(0, 8)), await organisation.open(shift(1, 2))];
    await organisation.accept(one, person);
    expect(await organisation.accept(other, person)).toEqual(OVERLAPS);
    await organisation.withdraw(one, person);
    expect(await organisation.accept(other, person)).toEqual(CONFIRMED);
  });

  it("are given once to a candidate who accepts again, and get one assignment", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open({ positions: 2 });
    for (const _ of "12") expect(await organisation.accept(job, person)).toEqual(CONFIRMED);
    const { bookings } = await organisation.job(job.shiftId);
    expect(bookings).toHaveLength(1);
    const path = `/shifts/${job.shiftId}/assign/${bookings[0]?.providerCandidateId}`;
    expect(organisation.callCount("PUT", path)).toBe(1);
    expect(await organisation.notifications(job, "booking_confirmed")).toHaveLength(1);
  });

  it("are not given on an unknown job, or to an unknown candidate: 404", async () => {
    const organisation = await harness().onboard();
    const [job, person] = [await organisation.open(), await organisation.addPerson()];
    const replies = [
      await organisation.accept({ ...job, jobId: UNKNOWN }, person),
      await organisation.accept(job, { ...person, candidateId: UNKNOWN }),
    ];
    expect(replies).toEqual(["job_not_found", "candidate_not_found"].map((code) => ({ status: 404, code })));
  });

  it("require the job's competence", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson({ competenceIds: [] });
    const code = await organisation.accept(await organisation.open(), person);
    expect(code).toEqual({ status: 409, code: "competence_missing" });
  });

  it("are not given once the shift has started or the job is cancelled", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const [started, cancelled] = [
      await organisation.open(shift(0, 1)),
      await organisation.open(shift(72, 80)),
    ];
    await organisation.cancel(cancelled);
    await organisation.idle();
    clock.ms += 49 * HOUR_MS;
    for (const job of [started, cancelled]) {
      expect(await organisation.accept(job, person)).toEqual({ status: 409, code: "job_not_open" });
    }
  });
});

function counted(code: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code: word = "nothing" } of code) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
