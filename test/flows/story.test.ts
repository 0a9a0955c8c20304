import { describe, expect, it } from "vitest";
import { featureEngines } from "../engines.ts";
import { useStage } from "./stage.ts";

describe.each(featureEngines)("the trace of a shift on %s", (engine) => {
  const stage = useStage(engine);

  it("tells the whole story, from the webhook to the cancellation", async () => {
    const organisation = await stage().onboard({ dialect: { echoTraceId: "same" } });
    const [person] = [await organisation.addPerson(), await organisation.addPerson()];
    const job = await organisation.open();
    await organisation.accept(job, person);
    await organisation.withdraw(job, person);
    await organisation.accept(job, person);
    await organisation.cancel(job);
    await organisation.quiet();
    const verdicts = await organisation.verdicts(job.traceId ?? "");
    // The echo may come before the answer to the DELETE is written down.
    const isOfEcho = (verdict: string) => /shift\.delete|echo/.test(verdict);
    expect(verdicts.filter(isOfEcho)).toEqual([
      "webhook: shift.delete stored",
      "event: skipped: echo of our DELETE",
    ]);
    expect(verdicts.filter((verdict) => !isOfEcho(verdict))).toEqual([
      "webhook: shift.create stored",
      "fetch: shift read (variant a)",
      "job: job created: open",
      "match: 2 free with the competence",
      "notification: offered to 2",
      "event: job created: open",
      "booking: seat reserved",
      "candidate: created at the provider",
      "assign: provider confirmed",
      "booking: withdrawal requested",
      "unassign: provider confirmed",
      "match: 2 free with the competence, 2 of them offered it before",
      "booking: seat reserved",
      "candidate: found at the provider",
      "assign: provider confirmed",
      "cancel: cancellation requested",
      "cancel: provider confirmed the cancellation",
      "job: job cancelled",
      "notification: cancellation told to 1",
    ]);
  });

  it("times what the provider was asked, and names what each step is about", async () => {
    const organisation = await stage().onboard();
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

  it("tells the story of a change under the traceId of the change", async () => {
    const organisation = await stage().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    await organisation.accept(job, person);
    const { roles } = organisation.provider;
    const { traceId } = organisation.provider.updateShift(job.shiftId, { roleId: roles[1]?.id ?? "" });
    await organisation.quiet();
    expect(await organisation.verdicts(traceId)).toEqual([
      "webhook: shift.update stored",
      "fetch: shift read (variant a)",
      "job: job updated: filled",
      "notification: change told to 1",
      "event: job updated: filled",
    ]);
  });

  it("holds nothing of the person", async () => {
    const organisation = await stage().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault("error-500", {
      operations: ["findCandidates", "createCandidate"],
      times: 3,
    });
    await organisation.accept(job, person);
    const told = JSON.stringify(await organisation.steps(job.traceId ?? ""));
    expect(told).not.toContain(person.personalNumber);
    expect(told).not.toMatch(/robin|example\.com|\+4670/i);
  });
});
