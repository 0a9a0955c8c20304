import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accept } from "../../../src/platform/bookings/accept.ts";
import { findCase, rememberCandidate } from "../../../src/platform/bookings/case.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { openWorkshop, type Workshop } from "../workshop.ts";

const NTH = 40;
const NUMBER = published.personnummer[NTH] ?? "";
const PERSON = {
  firstName: "Ragnhild",
  lastName: "Vinterkvist",
  email: "r.v@winter.example",
  phone: "+46701740699",
};
const TRACES = [NUMBER, "Ragnhild", "Vinterkvist", "winter.example", "46701740699"];
const HOUR = 3_600_000;

describe.each(featureEngines)("erasing a person on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  let now = new Date();
  beforeEach(async () => {
    now = new Date();
    // So many tries that a booking never ends by itself while its provider is down.
    shop = await openWorkshop(database(), { now: () => now, retries: { tries: 1_000 } });
  });
  afterEach(() => shop.close());

  const add = () => shop.addPerson(NTH, PERSON);
  const erase = async (candidateId: string) => {
    const { response, error } = await shop.operations.eraseCandidate({ params: { path: { candidateId } } });
    return error?.code ?? response.status;
  };
  const book = async (candidateId: string) => {
    const job = await shop.open();
    await accept(shop.deps, { jobId: job.jobId, candidateId });
    await shop.deps.queue.idle();
    return shop.job(job.jobId);
  };
  const reveal = (candidateId: string, reason: string) =>
    shop.operations.revealCandidate({ params: { path: { candidateId } }, body: { reason } });

  it("leaves nothing of the person in the database, and an anonymous booking", async () => {
    const candidateId = await add();
    const job = await book(candidateId);
    const providerCandidateId = job.bookings[0]?.providerCandidateId ?? "";
    await reveal(candidateId, "Ragnhild Vinterkvist asked");
    const before = await shop.dump();
    for (const trace of [...TRACES, providerCandidateId]) expect(before).toContain(trace);
    now = new Date(Date.parse(job.endTime) + HOUR);
    expect(await erase(candidateId)).toBe(204);
    const after = await shop.dump();
    for (const trace of [...TRACES, providerCandidateId]) expect(after).not.toContain(trace);
    expect((await shop.job(job.jobId)).bookings).toMatchObject([{ candidateId, status: "confirmed" }]);
    expect(await revealsOf(candidateId)).toEqual([{ reason: "" }]);
  });

  const revealsOf = (candidateId: string) =>
    database()
      .kysely.selectFrom("reveals")
      .select("reason")
      .where("candidate_id", "=", candidateId)
      .execute();

  it("is refused while the person holds a seat, and goes when the seat is free", async () => {
    const candidateId = await add();
    const job = await book(candidateId);
    expect(await erase(candidateId)).toBe("candidate_booked");
    now = new Date(Date.parse(job.endTime) - 1);
    expect(await erase(candidateId)).toBe("candidate_booked");
    const path = { jobId: job.jobId, candidateId };
    await shop.operations.withdrawBooking({ params: { path } });
    expect(await erase(candidateId)).toBe(204);
  });

  it("makes the person unknown everywhere", async () => {
    const candidateId = await add();
    const job = await shop.open();
    const path = { candidateId };
    expect(await erase(candidateId)).toBe(204);
    expect(await erase(candidateId)).toBe("candidate_not_found");
    expect((await shop.operations.getCandidate({ params: { path } })).error?.code).toBe(
      "candidate_not_found",
    );
    expect((await reveal(candidateId, "who is this")).error?.code).toBe("candidate_not_found");
    expect(await revealsOf(candidateId)).toEqual([]);
    expect((await shop.operations.listCandidates()).data?.items).toEqual([]);
    const body = { candidateId };
    const accepted = await shop.operations.acceptJob({ params: { path: { jobId: job.jobId } }, body });
    expect(accepted.response.status).toBe(404);
    expect(accepted.error?.code).toBe("candidate_not_found");
    await shop.open();
    expect((await shop.operations.listNotifications()).data?.items).toEqual([]);
  });

  it("lets the same person come anew", async () => {
    const first = await add();
    await erase(first);
    const second = await add();
    expect(second).not.toBe(first);
    const job = await book(second);
    expect(job.bookings).toMatchObject([{ candidateId: second, status: "confirmed" }]);
  });

  it("stops a booking of a shift that is over from telling the provider who it was", async () => {
    const candidateId = await add();
    const job = await shop.open();
    const down = await reserveWhileDown(job.jobId, candidateId);
    now = new Date(Date.parse(job.endTime) + HOUR);
    expect(await erase(candidateId)).toBe(204);
    // Not well again before the task has ended: a call that left before the erasure would tell it.
    await shop.deps.queue.idle();
    shop.provider.clearFaults();
    expect(shop.provider.candidates.some(({ personalNumber }) => personalNumber === NUMBER)).toBe(false);
    const of = await findCase(database().kysely, down);
    expect(of?.booking).toMatchObject({ status: "released", reason: "candidate_erased" });
    // The answer of a call that was under way comes after the erasure.
    if (of)
      await database()
        .kysely.transaction()
        .execute((trx) => rememberCandidate(trx, of, "late"));
    expect(await shop.dump()).not.toContain("late");
  });

  /** The provider hangs while the task asks it who this is. */
  const reserveWhileDown = async (jobId: string, candidateId: string) => {
    shop.provider.setFault("error-500");
    const { booking_id } = await accept(shop.deps, { jobId, candidateId });
    return booking_id;
  };

  /** The provider has assigned the person, said something else, and takes nobody off. */
  const failWithTakeBack = async (candidateId: string) => {
    const job = await shop.open();
    shop.provider.setFault("assign-of-another");
    shop.provider.setFault("error-500", { operations: ["unassignCandidate", "deleteAssignment"] });
    await accept(shop.deps, { jobId: job.jobId, candidateId });
    await expect
      .poll(async () => (await shop.job(job.jobId)).bookings.map(({ status }) => status))
      .toEqual(["failed"]);
    return job;
  };
  const isAssigned = ({ shiftId }: { shiftId: string }) => shop.provider.shift(shiftId)?.assigned.size === 1;

  it("is refused while the provider may have the person on a shift, and goes when it has not", async () => {
    const candidateId = await add();
    const job = await failWithTakeBack(candidateId);
    expect(await erase(candidateId)).toBe("candidate_booked");
    expect(isAssigned(job)).toBe(true);
    shop.provider.clearFaults();
    await shop.deps.queue.idle();
    expect(isAssigned(job)).toBe(false);
    expect(await erase(candidateId)).toBe(204);
    expect((await shop.operations.listIssues()).data?.items.map(({ code }) => code)).toEqual([
      "provider_refused",
    ]);
  });

  it("goes when the provider kept the person for good, which an operator was told", async () => {
    await shop.close();
    shop = await openWorkshop(database(), { now: () => now, retries: { tries: 2 } });
    const candidateId = await add();
    await failWithTakeBack(candidateId);
    await shop.deps.queue.idle();
    const issues = (await shop.operations.listIssues()).data?.items ?? [];
    expect(issues.map(({ code }) => code)).toContain("unassign_failed");
    expect(await erase(candidateId)).toBe(204);
  });

  it("ends what waits to take the person off a shift that is over", async () => {
    const candidateId = await add();
    const job = await failWithTakeBack(candidateId);
    now = new Date(Date.parse(job.endTime) + HOUR);
    expect(await erase(candidateId)).toBe(204);
    await shop.deps.queue.idle();
    expect((await shop.operations.listIssues()).data?.items.map(({ code }) => code)).toEqual([
      "provider_refused",
    ]);
    expect(await shop.dump()).not.toContain(NUMBER);
  });

  it("takes turns with an accept: either the person is booked, or erased", async () => {
    const candidateId = await add();
    const job = await shop.open();
    const [accepted, erased] = await Promise.all([
      accept(shop.deps, { jobId: job.jobId, candidateId }).then(
        () => "booked",
        () => "unknown",
      ),
      erase(candidateId),
    ]);
    await shop.deps.queue.idle();
    expect([
      ["booked", "candidate_booked"],
      ["unknown", 204],
    ]).toContainEqual([accepted, erased]);
  });
});
