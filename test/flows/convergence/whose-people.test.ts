import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Candidate, Job } from "../../../generated/operations/types.ts";
import type { NewCandidate } from "../../../src/sandbox/provider-actions.ts";
import { engines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { numberAt } from "../../harness/responders.ts";
import { type Flow, useFlows } from "../flow.ts";

type Names = Omit<NewCandidate, "personalNumber">;

describe.each(engines)("a person whom the registry of one organisation names, on %s", (engine) => {
  const onboard = useFlows(engine);

  /** Registers another organisation whose roles are mapped to the same competence. It stays a draft. */
  async function draft({ operations, competenceId }: Flow): Promise<Flow> {
    const other = await onboard({ activate: false });
    const roles = other.provider.roles.map(({ id: roleId }) => ({ roleId, competenceId }));
    ok(await operations.updateMappings({ params: other.params, body: { outlets: [], roles } }));
    return other;
  }

  /** Adds someone who has worked in a role to the organisation's registry, and imports it. */
  async function importOne({ operations, provider, params }: Flow, nth: number, names: Names) {
    const [role] = provider.roles;
    const worked = {
      shiftId: randomUUID(),
      date: "2026-01-31",
      roleId: role?.id ?? "",
      roleName: role?.name ?? "",
    };
    provider.addCandidate({
      ...names,
      personalNumber: numberAt(nth),
      employeeNumber: "1",
      workHistory: [worked],
    });
    ok(await operations.importRegistry({ params }));
  }

  /** Imports the registry with this person in it, and returns the candidate. */
  async function importOf(organisation: Flow, nth: number, name: string) {
    await importOne(organisation, nth, { firstName: name, lastName: "Ek", email: `${name}@example.com` });
    const query = { search: `${name} Ek` };
    const { items } = ok(await organisation.operations.listCandidates({ params: { query } }));
    return items[0] as Candidate;
  }

  const offered = async ({ notifications }: Flow, job: Job) =>
    (await notifications(job, "job_offered")).map(({ candidateId }) => candidateId);

  const pickable = async ({ operations }: Flow, { jobId }: Job) =>
    ok(await operations.listJobCandidates({ params: { path: { jobId } } })).items.map(
      ({ candidateId }) => candidateId,
    );

  it("is neither offered nor booked on a shift of another, until an operator releases the person", async () => {
    const platform = await onboard();
    const { operations, accept } = platform;
    const employee = await platform.addPerson();
    const other = await draft(platform);
    const person = await importOf(other, 520, "Anna");
    const job = await platform.open({ positions: 3 });
    await expect.poll(() => offered(platform, job)).toEqual([employee.candidateId]);
    expect(await pickable(platform, job)).not.toContain(person.candidateId);
    expect(await accept(job, person)).toEqual({ status: 409, code: "candidate_not_released" });
    expect(person).toMatchObject({
      shared: false,
      competenceIds: [],
      memberships: [
        { providerId: other.providerId, released: false, competenceIds: [platform.competenceId] },
      ],
    });

    const params = { path: { candidateId: person.candidateId } };
    const { providerId } = other;
    expect(ok(await operations.releaseCandidate({ params, body: { providerId } }))).toMatchObject({
      shared: true,
      memberships: [{ providerId, released: true }],
      competenceIds: [platform.competenceId],
    });
    await expect.poll(async () => (await offered(platform, job)).includes(person.candidateId)).toBe(true);
    expect(await pickable(platform, job)).toContain(person.candidateId);
    await platform.book(job, person as never);
  });

  it("is offered and booked on the shifts of that organisation", async () => {
    const platform = await onboard();
    const person = await importOf(platform, 521, "Berit");
    const job = await platform.open();
    await expect.poll(() => offered(platform, job)).toContain(person.candidateId);
    expect(await pickable(platform, job)).toContain(person.candidateId);
    await platform.book(job, person as never);
    expect(await platform.findJob(job.shiftId)).toMatchObject({ status: "filled" });
  });

  it("may be added by an operator, whose data are valid everywhere from then on", async () => {
    const platform = await onboard();
    const { operations, competenceId } = platform;
    const { candidateId } = await importOf(await draft(platform), 522, "Cecilia");
    const own = { firstName: "Carin", lastName: "Holm", email: "carin@example.com", phone: "+46701740609" };
    const body = { ...own, personalNumber: numberAt(522), competenceIds: [competenceId] };
    const added = ok(await operations.createCandidate({ body }));
    expect(added).toMatchObject({ candidateId, firstName: "Carin", email: "c***@example.com", shared: true });
    expect((await operations.createCandidate({ body })).error).toMatchObject({ code: "candidate_exists" });
    const job = await platform.open();
    await expect.poll(() => offered(platform, job)).toContain(candidateId);
  });

  it("has the name that each organisation gives the person, and keeps what an operator entered", async () => {
    const platform = await onboard();
    const { operations } = platform;
    const other = await draft(platform);
    const { candidateId } = await importOf(other, 523, "Doris");
    await importOne(platform, 523, { firstName: "Disa", lastName: "Lind", email: "disa@example.com" });
    const job = await platform.open();
    const named = async () =>
      ok(await operations.listJobCandidates({ params: { path: { jobId: job.jobId } } })).items.find(
        (each) => each.candidateId === candidateId,
      );
    expect(await named()).toMatchObject({ firstName: "Disa", lastName: "Lind" });
    const params = { path: { candidateId } };
    const { providerId } = platform;
    ok(await operations.releaseCandidate({ params, body: { providerId } }));
    expect(ok(await operations.getCandidate({ params }))).toMatchObject({ firstName: "Disa" });
    const elsewhere = { providerId: other.providerId };
    ok(await operations.releaseCandidate({ params, body: elsewhere }));
    expect(ok(await operations.getCandidate({ params }))).toMatchObject({ firstName: "Disa" });
  });

  it("is anonymous once the organisation is deleted, unless another one names the person too", async () => {
    const platform = await onboard();
    const { operations } = platform;
    const other = await draft(platform);
    const person = await importOf(other, 524, "Elsa");
    const shared = await importOf(other, 525, "Frida");
    const both = await importOf(other, 526, "Greta");
    await importOne(platform, 526, { firstName: "Gerd", lastName: "Lind" });
    const { providerId } = other;
    const released = { params: { path: { candidateId: shared.candidateId } }, body: { providerId } };
    ok(await operations.releaseCandidate(released));
    ok(await operations.deleteIntegration({ params: other.params }));
    const find = ({ candidateId }: Candidate) =>
      operations.getCandidate({ params: { path: { candidateId } } });
    expect((await find(person)).error).toMatchObject({ code: "candidate_not_found" });
    expect(ok(await find(shared))).toMatchObject({ firstName: "Frida", memberships: [] });
    expect(ok(await find(both))).toMatchObject({
      firstName: "Gerd",
      memberships: [{ providerId: platform.providerId, released: false }],
    });
    // The person was not erased at a wish: another import may name the person again.
    const again = await importOf(platform, 524, "Eva");
    expect(again.candidateId).not.toBe(person.candidateId);
  });
});
