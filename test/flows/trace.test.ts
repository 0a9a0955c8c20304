import { describe, expect, it } from "vitest";
import { featureEngines } from "../harness/engines.ts";
import { useHarness } from "../harness/platform.ts";

describe.each(featureEngines)("the trace of a shift on %s", (engine) => {
  const harness = useHarness(engine);

  it("has every step, from the webhook to the cancellation", async () => {
    const organisation = await harness().onboard({ dialect: { echoTraceId: "same" } });
    const [person] = [await organisation.addPerson(), await organisation.addPerson()];
    const job = await organisation.open();
    await organisation.accept(job, person);
    await organisation.withdraw(job, person);
    await organisation.accept(job, person);
    await organisation.cancel(job);
    await organisation.idle();
    const verdicts = await organisation.verdicts(job.traceId ?? "");
    // The echo may arrive before the response to the DELETE is recorded.
    const isOfEcho = (verdict: string, nth: number) => nth > 0 && /echo|webhook/.test(verdict);
    expect(verdicts.filter(isOfEcho).sort()).toEqual(["event: echo_of_delete", "webhook: stored"]);
    expect(verdicts.filter((verdict, nth) => !isOfEcho(verdict, nth))).toEqual([
      "webhook: stored",
      "fetch: shift_read",
      "job: job_created",
      "event: job_created",
      "match: candidates_matched",
      "notification: notified",
      "booking: seat_reserved",
      "candidate: candidate_created",
      "assign: assigned",
      "notification: notified",
      "booking: withdrawal_requested",
      "unassign: unassigned",
      "booking: booking_released",
      "notification: notified",
      "match: candidates_matched",
      "notification: notified",
      "booking: seat_reserved",
      "assign: assigned",
      "notification: notified",
      "cancel: cancellation_requested",
      "cancel: cancellation_confirmed",
      "notification: notified",
      "job: job_cancelled",
    ]);
  });

  it("has the duration of each provider call, and the subject of each step", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    await organisation.accept(job, person);
    const steps = await organisation.steps(job.traceId ?? "");
    const timed = steps.filter(({ durationMs }) => durationMs !== undefined).map(({ step }) => step);
    expect(timed).toEqual(["fetch", "candidate", "assign"]);
    const { providerId, shiftId, jobId } = job;
    for (const step of steps) expect(step).toMatchObject({ providerId, shiftId });
    for (const step of steps.slice(2)) {
      if (step.step !== "event") expect(step).toMatchObject({ jobId });
    }
  });

  it("of a change is under the traceId of the change", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    await organisation.accept(job, person);
    const { roles } = organisation.provider;
    const { traceId } = organisation.provider.updateShift(job.shiftId, { roleId: roles[1]?.id ?? "" });
    await organisation.idle();
    expect(await organisation.verdicts(traceId)).toEqual([
      "webhook: stored",
      "fetch: shift_read",
      "notification: notified",
      "job: job_updated",
      "event: job_updated",
    ]);
  });

  it("holds no personal data", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault("error-500", {
      operations: ["findCandidates", "createCandidate"],
      times: 3,
    });
    await organisation.accept(job, person);
    const steps = JSON.stringify(await organisation.steps(job.traceId ?? ""));
    expect(steps).not.toContain(person.personalNumber);
    expect(steps).not.toMatch(/robin|example\.com|\+4670/i);
  });
});
