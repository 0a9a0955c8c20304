import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import type { FaultName } from "../../../src/sandbox/faults/switchboard.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

const NUMBER = published.personnummer[40] ?? "";
const PERSON = {
  firstName: "Ragnhild",
  lastName: "Vinterkvist",
  email: "r.v@winter.example",
  phone: "+46701740699",
};
const READABLE = ["Ragnhild", "Vinterkvist", "winter.example", "46701740699"];
const TRACES = [NUMBER, ...READABLE];

describe.each(featureEngines)("erasing a person on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  /** How far the platform's clock is ahead. Milliseconds. */
  let aheadMs = 0;
  beforeEach(async () => {
    aheadMs = 0;
    // An answer is not waited for: in some cases none comes.
    const timing = { answerWithinMs: 0 };
    const now = () => new Date(Date.now() + aheadMs);
    organisation = await startOrganisation(database(), { now, timing, retries: { tries: 1_000 } });
  });
  afterEach(() => organisation.close());

  const itIs = (time: string, plusMs = 0) => {
    aheadMs = Date.parse(time) + plusMs - Date.now();
  };
  const add = async () => (await organisation.addPerson({ personalNumber: NUMBER, ...PERSON })).candidateId;
  const erase = async (candidateId: string) => {
    const { response, error } = await organisation.operations.eraseCandidate({
      params: { path: { candidateId } },
    });
    return error?.code ?? response.status;
  };
  const book = async (candidateId: string) => {
    const job = await organisation.open();
    await organisation.accept(job, { candidateId });
    await organisation.idle();
    return organisation.job(job.shiftId);
  };
  const reveal = (candidateId: string, reason: string) =>
    organisation.operations.revealCandidate({ params: { path: { candidateId } }, body: { reason } });

  it("leaves no personal data in the database, and an anonymous booking", async () => {
    const candidateId = await add();
    const job = await book(candidateId);
    const providerCandidateId = job.bookings[0]?.providerCandidateId ?? "";
    await reveal(candidateId, "Ragnhild Vinterkvist asked");
    const before = await organisation.dump();
    for (const trace of [...READABLE, providerCandidateId]) expect(before).toContain(trace);
    itIs(job.endTime, HOUR_MS);
    expect(await erase(candidateId)).toBe(204);
    const after = await organisation.dump();
    for (const trace of [...TRACES, providerCandidateId]) expect(after).not.toContain(trace);
    const numbers = ["personalNumberSealed", "personalNumberHash"] as const;
    expect(await database().kysely.selectFrom("candidates").select(numbers).execute()).toEqual([
      { personalNumberSealed: null, personalNumberHash: null },
    ]);
    expect((await organisation.job(job.shiftId)).bookings).toMatchObject([
      { candidateId, status: "confirmed" },
    ]);
    expect(await revealsOf(candidateId)).toEqual([{ reason: "" }]);
  });

  const revealsOf = (candidateId: string) =>
    database().kysely.selectFrom("reveals").select("reason").where("candidateId", "=", candidateId).execute();

  it("is refused while the person holds a seat, and succeeds once the seat is free", async () => {
    const candidateId = await add();
    const job = await book(candidateId);
    expect(await erase(candidateId)).toBe("candidate_booked");
    await organisation.withdraw(job, { candidateId });
    await organisation.idle();
    expect(await erase(candidateId)).toBe(204);
  });

  it("is refused until the end of the shift once it is too late to withdraw", async () => {
    const candidateId = await add();
    const job = await book(candidateId);
    itIs(job.endTime, -1_000);
    expect(await organisation.withdraw(job, { candidateId })).toEqual({ status: 409, code: "job_not_open" });
    expect(await erase(candidateId)).toBe("candidate_booked");
    itIs(job.endTime);
    expect(await erase(candidateId)).toBe(204);
  });

  it("makes the person unknown to every operation", async () => {
    const candidateId = await add();
    const job = await organisation.open();
    const path = { candidateId };
    expect(await erase(candidateId)).toBe(204);
    expect(await erase(candidateId)).toBe("candidate_not_found");
    expect((await organisation.operations.getCandidate({ params: { path } })).error?.code).toBe(
      "candidate_not_found",
    );
    expect((await reveal(candidateId, "who is this")).error?.code).toBe("candidate_not_found");
    expect(await revealsOf(candidateId)).toEqual([]);
    expect((await organisation.operations.listCandidates()).data?.items).toEqual([]);
    const body = { candidateId };
    const accepted = await organisation.operations.acceptJob({
      params: { path: { jobId: job.jobId } },
      body,
    });
    expect(accepted.response.status).toBe(404);
    expect(accepted.error?.code).toBe("candidate_not_found");
    await organisation.open();
    expect((await organisation.operations.listNotifications()).data?.items).toEqual([]);
  });

  it("lets the same person be added again", async () => {
    const first = await add();
    await erase(first);
    const second = await add();
    expect(second).not.toBe(first);
    const job = await book(second);
    expect(job.bookings).toMatchObject([{ candidateId: second, status: "confirmed" }]);
  });

  /** The person is erased after the shift, while this call of an accepted booking is under way: before the provider has it, or after. */
  const eraseDuring = async (call: string, when: "before" | "after") => {
    const candidateId = await add();
    const job = await organisation.open();
    const [asked, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    organisation.onTheWay = async ({ method, path }, pass) => {
      if (when === "after") await pass();
      if (`${method} ${path}`.startsWith(call)) {
        asked.resolve();
        await goesOn.promise;
      }
      if (when === "before") await pass();
    };
    expect(await organisation.accept(job, { candidateId })).toEqual({ status: 202, code: "pending" });
    await asked.promise;
    itIs(job.endTime, HOUR_MS);
    expect(await erase(candidateId)).toBe(204);
    goesOn.resolve();
    await organisation.idle();
    expect((await organisation.job(job.shiftId)).bookings).toMatchObject([
      { status: "released", reason: "candidate_erased" },
    ]);
    expect(organisation.provider.shift(job.shiftId)?.assigned.size).toBe(0);
    return organisation.provider.candidates.find(({ personalNumber }) => personalNumber === NUMBER);
  };

  it("stops a booking of a past shift from sending the person to the provider", async () => {
    expect(await eraseDuring("GET /candidates", "before")).toBeUndefined();
    expect(await organisation.dump()).not.toContain(NUMBER);
  });

  it("discards the response to a call that was in progress", async () => {
    const { id = "" } = (await eraseDuring("POST /candidates", "after")) ?? {};
    expect(id).not.toBe("");
    expect(await organisation.dump()).not.toContain(id);
  });

  /** The provider has assigned the person, reported otherwise, and removes no one. */
  const failWithTakeBack = async (candidateId: string, fault: FaultName = "error-500") => {
    const job = await organisation.open();
    organisation.provider.setFault("assign-of-another");
    organisation.provider.setFault(fault, { operations: ["unassignCandidate", "deleteAssignment"] });
    await organisation.accept(job, { candidateId });
    await expect
      .poll(async () => (await organisation.job(job.shiftId)).bookings.map(({ status }) => status))
      .toEqual(["failed"]);
    return job;
  };
  const isAssigned = ({ shiftId }: { shiftId: string }) =>
    organisation.provider.shift(shiftId)?.assigned.size === 1;

  it("does not wait for a provider that may have the person on a shift, which an issue reports", async () => {
    const candidateId = await add();
    const job = await failWithTakeBack(candidateId);
    expect(isAssigned(job)).toBe(true);
    const [{ code, params: { providerCandidateId = "" } = {} } = {}] = await organisation.issues();
    expect(code).toBe("assigned_as_another");
    expect(await organisation.dump()).toContain(providerCandidateId);
    expect(await erase(candidateId)).toBe(204);
    expect(await organisation.dump()).not.toContain(providerCandidateId);
    expect(await organisation.issueCodes()).toContain("unassign_failed");
  });

  it("succeeds when the provider keeps the person permanently, which an issue reports", async () => {
    const candidateId = await add();
    const job = await failWithTakeBack(candidateId, "unassign-absent");
    await organisation.idle();
    expect(isAssigned(job)).toBe(true);
    expect(await organisation.issueCodes()).toContain("unassign_failed");
    expect(await erase(candidateId)).toBe(204);
  });

  it("ends pending work to remove the person from a past shift", async () => {
    const candidateId = await add();
    const job = await failWithTakeBack(candidateId);
    itIs(job.endTime, HOUR_MS);
    expect(await erase(candidateId)).toBe(204);
    // A call that was under way before the erasure fails like all before it.
    await organisation.idle();
    organisation.provider.clearFaults();
    await organisation.idle();
    expect(isAssigned(job)).toBe(true);
    // A run between the end of the shift and the erasure says that the person is still on it.
    expect((await organisation.issueCodes()).filter((code) => code !== "unassign_failed")).toEqual([
      "assigned_as_another",
    ]);
    expect(await organisation.dump()).not.toContain(NUMBER);
  });

  it("excludes a concurrent accept: the person is either booked or erased", async () => {
    const candidateId = await add();
    const job = await organisation.open();
    const [accepted, erased] = await Promise.all([
      organisation.accept(job, { candidateId }),
      erase(candidateId),
    ]);
    await organisation.idle();
    expect([
      [202, "candidate_booked"],
      [404, 204],
    ]).toContainEqual([accepted.status, erased]);
  });
});
