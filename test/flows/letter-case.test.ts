import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { featureEngines } from "../harness/engines.ts";
import { ok } from "../harness/operations.ts";
import { useHarness } from "../harness/platform.ts";

const upper = () => randomUUID().toUpperCase();
const inUpperCase = (of: object, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(of).map(([name, value]) => [
      name,
      names.includes(name) && typeof value === "string" ? value.toUpperCase() : value,
    ]),
  );

describe.each(featureEngines)("a UUID is the same in either case (RFC 9562), on %s", (engine) => {
  const harness = useHarness(engine);

  it("for a shift, which has one job and no repeated event", async () => {
    const { open, send, idle, events, callCount, provider, providerId } = await harness().onboard();
    const { shiftId } = await open();
    provider.updateShift(shiftId, { positions: 3 });
    await idle();
    const traceId = await send("shift.update", shiftId.toUpperCase());
    await send("shift.update", shiftId, traceId);
    await idle();
    const { items } = ok(await harness().operations.listJobs({ params: { query: { providerId } } }));
    expect(items).toMatchObject([{ shiftId, positions: 3 }]);
    expect((await events()).map((event) => event.shiftId)).toEqual([shiftId, shiftId, shiftId]);
    expect(await events({ shiftId: shiftId.toUpperCase() })).toHaveLength(3);
    // The provider's spelling of the new shift.
    expect(callCount("GET", `/shifts/${shiftId}`)).toBeGreaterThanOrEqual(3);
    expect(callCount("GET", `/shifts/${shiftId.toUpperCase()}`)).toBe(0);
  });

  it("for a shift of a provider that writes it in upper case and compares text", async () => {
    const { accept, withdraw, cancel, open, idle, events, job, ...organisation } = await harness().onboard();
    const id = upper();
    const opened = await open({ id, positions: 2 });
    expect(opened.shiftId).toBe(id.toLowerCase());
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    expect(await accept(opened, person)).toEqual({ status: 201, code: "confirmed" });
    expect(await accept(opened, other)).toEqual({ status: 201, code: "confirmed" });
    expect(await withdraw(opened, other)).toEqual({ status: 204 });
    expect(organisation.provider.shift(id)?.assigned.size).toBe(1);
    const path = { jobId: opened.jobId };
    expect(
      ok(await harness().operations.changeJob({ params: { path }, body: { positions: 4 } })),
    ).toMatchObject({ positions: 4 });
    expect(await cancel(opened)).toEqual({ status: 202 });
    await idle();
    expect(organisation.provider.shift(id)).toMatchObject({ cancelled: true, positions: 4 });
    expect(await job(id)).toMatchObject({ jobId: opened.jobId, status: "cancelled" });
    expect((await events({ shiftId: id })).at(-1)).toMatchObject({
      event: "shift.delete",
      status: "skipped_echo",
    });
  });

  it.each(["getShift", "assign"])("in the response of the provider to %s", async (what) => {
    const names = what === "assign" ? ["shiftId", "candidateId"] : ["id"];
    const isMeant = (body: object) => (what === "assign" ? "success" : "startTime") in body;
    const organisation = await harness().onboard({
      dialect: { acknowledgement: "full" },
      rewrite: (body) =>
        typeof body === "object" && body !== null && isMeant(body) ? inUpperCase(body, names) : body,
    });
    const job = await organisation.open();
    const person = await organisation.addPerson();
    expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
    expect(await organisation.job(job.shiftId)).toMatchObject({ jobId: job.jobId, status: "filled" });
  });

  it("in every request to the operations API", async () => {
    const organisation = await harness().onboard();
    const { operations } = harness();
    const job = await organisation.open();
    const person = await organisation.addPerson();
    const jobId = job.jobId.toUpperCase();
    const same = { candidateId: person.candidateId.toUpperCase() };
    expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
    expect(await organisation.accept({ ...job, jobId }, { ...person, ...same })).toEqual({
      status: 201,
      code: "confirmed",
    });
    const shiftId = job.shiftId.toUpperCase();
    const { providerId: ownId, traceId = "" } = job;
    const providerId = ownId.toUpperCase();
    for (const query of [{ shiftId }, { providerId }, { shiftId, providerId }]) {
      const { items } = ok(await operations.listJobs({ params: { query } }));
      expect(items.map((each) => each.jobId)).toEqual([job.jobId]);
    }
    expect(await organisation.steps(traceId.toUpperCase())).toEqual(await organisation.steps(traceId));
    expect(await organisation.withdraw({ ...job, jobId }, { ...person, ...same })).toEqual({ status: 204 });
  });

  it("but not in a name, which is unchanged", async () => {
    const { operations } = harness();
    const name = upper();
    expect(ok(await operations.createWorkplace({ body: { name } }))).toMatchObject({ name });
    const { competenceId } = ok(await operations.createCompetence({ body: { name } }));
    const { addPerson } = await harness().onboard();
    const { candidateId } = await addPerson({ competenceIds: [competenceId.toUpperCase()] });
    const path = { candidateId: candidateId.toUpperCase() };
    expect(ok(await operations.getCandidate({ params: { path } }))).toMatchObject({
      candidateId,
      competenceIds: [competenceId],
    });
  });
});
