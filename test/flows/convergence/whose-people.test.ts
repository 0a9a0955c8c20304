import { afterEach, describe, expect, it } from "vitest";
import type { Candidate, Job } from "../../../generated/operations/types.ts";
import { engines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { numberAt } from "../../harness/registry-provider.ts";
import { type Organisation, useIndependent } from "./organisation.ts";
import { type Provider, startProvider } from "./provider.ts";

const paramsOf = ({ providerId }: { providerId: string }) => ({ path: { providerId } });

describe.each(engines)("a person whom the registry of one organisation names, on %s", (engine) => {
  const onboard = useIndependent(engine);
  const started: Provider[] = [];
  afterEach(() => Promise.all(started.splice(0).map((provider) => provider.close())));

  /** Registers another organisation whose roles are mapped to the same competence. It stays a draft. */
  async function draft({ operations, competenceId }: Organisation): Promise<Provider> {
    const provider = await startProvider();
    started.push(provider);
    const { providerId, url: baseUrl } = provider;
    const order = { kind: "independent", name: "Utkast", routing: "path" } as const;
    const body = { ...order, providerId, baseUrl, providerToken: provider.token() };
    ok(await operations.createIntegration({ body }));
    const params = paramsOf(provider);
    ok(await operations.discoverIntegration({ params }));
    const roles = provider.roles.map(({ id: roleId }) => ({ roleId, competenceId }));
    ok(await operations.updateMappings({ params, body: { outlets: [], roles } }));
    return provider;
  }

  /** Imports the registry with this person in it, and returns the candidate. */
  async function importOf({ operations }: Organisation, provider: Provider, nth: number, name: string) {
    provider.employ(numberAt(nth), { firstName: name, lastName: "Ek", email: `${name}@example.com` });
    ok(await operations.importRegistry({ params: paramsOf(provider) }));
    const query = { search: `${name} Ek` };
    const { items } = ok(await operations.listCandidates({ params: { query } }));
    return items[0] as Candidate;
  }

  const offered = async ({ notifications }: Organisation, job: Job) =>
    (await notifications(job, "job_offered")).map(({ candidateId }) => candidateId);

  const pickable = async ({ operations }: Organisation, { jobId }: Job) =>
    ok(await operations.listJobCandidates({ params: { path: { jobId } } })).items.map(
      ({ candidateId }) => candidateId,
    );

  it("is neither offered nor booked on a shift of another, until an operator releases the person", async () => {
    const platform = await onboard();
    const { operations, accept } = platform;
    const employee = await platform.addPerson();
    const provider = await draft(platform);
    const person = await importOf(platform, provider, 520, "Anna");
    const job = await platform.open({ positions: 3 });
    await expect.poll(() => offered(platform, job)).toEqual([employee.candidateId]);
    expect(await pickable(platform, job)).not.toContain(person.candidateId);
    expect(await accept(job, person)).toEqual({ status: 409, code: "candidate_not_released" });
    expect(person).toMatchObject({
      shared: false,
      competenceIds: [],
      memberships: [
        { providerId: provider.providerId, released: false, competenceIds: [platform.competenceId] },
      ],
    });

    const params = { path: { candidateId: person.candidateId } };
    const { providerId } = provider;
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
    const person = await importOf(platform, platform.provider, 521, "Berit");
    const job = await platform.open();
    await expect.poll(() => offered(platform, job)).toContain(person.candidateId);
    expect(await pickable(platform, job)).toContain(person.candidateId);
    await platform.book(job, person as never);
    expect(await platform.findJob(job.shiftId)).toMatchObject({ status: "filled" });
  });

  it("may be added by an operator, whose data are valid everywhere from then on", async () => {
    const platform = await onboard();
    const { operations, competenceId } = platform;
    const { candidateId } = await importOf(platform, await draft(platform), 522, "Cecilia");
    const own = { firstName: "Carin", lastName: "Holm", email: "carin@example.com", phone: "+46701740609" };
    const body = { ...own, personalNumber: numberAt(522), competenceIds: [competenceId] };
    const added = ok(await operations.createCandidate({ body }));
    expect(added).toMatchObject({ candidateId, firstName: "Carin", shared: true });
    expect((await operations.createCandidate({ body })).error).toMatchObject({ code: "candidate_exists" });
    const job = await platform.open();
    await expect.poll(() => offered(platform, job)).toContain(candidateId);
  });

  it("has the name that each organisation gives the person, and keeps what an operator entered", async () => {
    const platform = await onboard();
    const { operations } = platform;
    const provider = await draft(platform);
    const { candidateId } = await importOf(platform, provider, 523, "Doris");
    platform.provider.employ(numberAt(523), {
      firstName: "Disa",
      lastName: "Lind",
      email: "disa@example.com",
    });
    ok(await operations.importRegistry({ params: paramsOf(platform) }));
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
    const elsewhere = { providerId: provider.providerId };
    ok(await operations.releaseCandidate({ params, body: elsewhere }));
    expect(ok(await operations.getCandidate({ params }))).toMatchObject({ firstName: "Disa" });
  });

  it("is anonymous once the organisation is deleted, unless another one names the person too", async () => {
    const platform = await onboard();
    const { operations } = platform;
    const provider = await draft(platform);
    const person = await importOf(platform, provider, 524, "Elsa");
    const shared = await importOf(platform, provider, 525, "Frida");
    const both = await importOf(platform, provider, 526, "Greta");
    platform.provider.employ(numberAt(526), { firstName: "Gerd", lastName: "Lind" });
    ok(await operations.importRegistry({ params: paramsOf(platform) }));
    const { providerId } = provider;
    const released = { params: { path: { candidateId: shared.candidateId } }, body: { providerId } };
    ok(await operations.releaseCandidate(released));
    ok(await operations.deleteIntegration({ params: paramsOf(provider) }));
    const find = ({ candidateId }: Candidate) =>
      operations.getCandidate({ params: { path: { candidateId } } });
    expect((await find(person)).error).toMatchObject({ code: "candidate_not_found" });
    expect(ok(await find(shared))).toMatchObject({ firstName: "Frida", memberships: [] });
    expect(ok(await find(both))).toMatchObject({
      firstName: "Gerd",
      memberships: [{ providerId: platform.providerId, released: false }],
    });
    // The person was not erased at a wish: another import may name the person again.
    const again = await importOf(platform, platform.provider, 524, "Eva");
    expect(again.candidateId).not.toBe(person.candidateId);
  });
});
