import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CandidateChange } from "../../../generated/operations/types.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import { ok } from "../../flows/operations.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

const NTH = 43;

describe.each(featureEngines)("a change of a candidate on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  beforeEach(async () => {
    shop = await openWorkshop(database());
  });
  afterEach(() => shop.close());

  const change = (candidateId: string, body: CandidateChange) =>
    shop.operations.changeCandidate({ params: { path: { candidateId } }, body });

  it("updates the address and keeps fields that it does not name", async () => {
    const candidateId = await shop.addPerson(NTH);
    const before = ok(await shop.operations.getCandidate({ params: { path: { candidateId } } }));
    expect(ok(await change(candidateId, { email: "robin.ek@example.com" }))).toEqual(before);
    const body = { reason: "was it stored" };
    const shown = ok(await shop.operations.revealCandidate({ params: { path: { candidateId } }, body }));
    expect(shown).toMatchObject({ email: "robin.ek@example.com", phone: "+46701740605", lastName: "Ek" });
  });

  it("offers the open jobs that need a new competence", async () => {
    const candidateId = await shop.addPerson(NTH, { competenceIds: [] });
    const job = await shop.open();
    expect(await shop.notificationsOf(job)).toEqual([]);
    const { competenceIds } = ok(await change(candidateId, { competenceIds: [shop.competenceId] }));
    expect(competenceIds).toEqual([shop.competenceId]);
    await shop.idle();
    expect(await shop.notificationsOf(job)).toMatchObject([{ kind: "job_offered", candidateId }]);
  });

  it("resolves the issue about a competence that a changed shift requires, once the candidate has it", async () => {
    const able = { competenceIds: [shop.competenceId] };
    const candidateId = await shop.addPerson(NTH, able);
    const { jobId, shiftId } = await shop.open();
    await shop.accept({ jobId, candidateId });
    await shop.idle();
    ok(await change(candidateId, { competenceIds: [] }));
    shop.provider.updateShift(shiftId, { endTime: "2031-05-01T15:00:00Z" });
    await shop.send("shift.update", shiftId);
    expect(await shop.issueCodes()).toEqual(["competence_missing"]);
    ok(await change(candidateId, { phone: "+46701740699" }));
    expect(await shop.issueCodes()).toEqual(["competence_missing"]);
    ok(await change(candidateId, able));
    expect(await shop.issueCodes()).toEqual([]);
    expect((await shop.job(jobId)).bookings).toMatchObject([{ candidateId, status: "confirmed" }]);
  });

  it("is refused for an unknown candidate or an unknown competence", async () => {
    const missing = await change(randomUUID(), { phone: "+46701740699" });
    expect([missing.response.status, missing.error?.code]).toEqual([404, "candidate_not_found"]);
    const candidateId = await shop.addPerson(NTH);
    const wrong = await change(candidateId, { phone: "+46701740699", competenceIds: [randomUUID()] });
    expect([wrong.response.status, wrong.error?.code]).toEqual([400, "validation_failed"]);
    const empty = await change(candidateId, {} as CandidateChange);
    expect([empty.response.status, empty.error?.code]).toEqual([400, "validation_failed"]);
    const body = { reason: "is it the same" };
    const shown = ok(await shop.operations.revealCandidate({ params: { path: { candidateId } }, body }));
    expect(shown).toMatchObject({ phone: "+46701740605" });
  });
});
