import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CandidateChange } from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS } from "../../../src/contract/timestamp.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

const NUMBER = published.personnummer[41] ?? "";

describe.each(featureEngines)("one person on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database());
  });
  afterEach(() => organisation.close());

  const reveal = (candidateId: string, reason: string) =>
    organisation.operations.revealCandidate({ params: { path: { candidateId } }, body: { reason } });
  const reveals = () => database().kysely.selectFrom("reveals").select(["candidateId", "reason"]).execute();

  it("is shown masked", async () => {
    const { candidateId } = await organisation.addPerson({ personalNumber: NUMBER });
    const { data } = await organisation.operations.getCandidate({ params: { path: { candidateId } } });
    expect(data).toEqual({
      candidateId,
      personalNumber: `${NUMBER?.slice(0, 4)}****-****`,
      firstName: "Robin",
      lastName: "Ek",
      email: "r***@example.com",
      phone: "*** 05",
      competenceIds: [organisation.competenceId],
      shared: true,
      memberships: [],
      conflicts: [],
    });
  });

  it("is shown unmasked for a reason, which is recorded each time", async () => {
    const { candidateId } = await organisation.addPerson({ personalNumber: NUMBER });
    expect((await reveal(candidateId, "the provider asks")).data).toEqual({
      candidateId,
      personalNumber: NUMBER,
      firstName: "Robin",
      lastName: "Ek",
      email: "robin@example.com",
      phone: "+46701740605",
      memberships: [],
    });
    await reveal(candidateId, "the wrong mail");
    expect(await reveals()).toEqual([
      { candidateId, reason: "the provider asks" },
      { candidateId, reason: "the wrong mail" },
    ]);
  });

  it.each(["", "no", "x".repeat(201), "a\u0000bc"])(
    "is not shown unmasked for the reason %j",
    async (reason) => {
      const { candidateId } = await organisation.addPerson({ personalNumber: NUMBER });
      expect((await reveal(candidateId, reason)).error?.code).toBe("validation_failed");
      expect(await reveals()).toEqual([]);
    },
  );

  it("is a 404 under an unknown id, and nothing is recorded", async () => {
    await organisation.addPerson({ personalNumber: NUMBER });
    expect((await reveal(randomUUID(), "who is this")).error?.code).toBe("candidate_not_found");
    expect(await reveals()).toEqual([]);
  });
});

describe.each(featureEngines)("a candidate, on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database());
  });
  afterEach(() => organisation.close());

  const change = (candidateId: string, body: CandidateChange) =>
    organisation.operations.changeCandidate({ params: { path: { candidateId } }, body });

  it("gets a new address, and keeps the fields that were not given", async () => {
    const { candidateId } = await organisation.addPerson();
    const before = ok(await organisation.operations.getCandidate({ params: { path: { candidateId } } }));
    expect(ok(await change(candidateId, { email: "robin.ek@example.com" }))).toEqual(before);
    const body = { reason: "was it stored" };
    const shown = ok(
      await organisation.operations.revealCandidate({ params: { path: { candidateId } }, body }),
    );
    expect(shown).toMatchObject({ email: "robin.ek@example.com", phone: "+46701740605", lastName: "Ek" });
  });

  it("is offered the open jobs that need a newly added competence", async () => {
    const { candidateId } = await organisation.addPerson({ competenceIds: [] });
    const job = await organisation.open();
    expect(await organisation.notifications(job)).toEqual([]);
    const { competenceIds } = ok(await change(candidateId, { competenceIds: [organisation.competenceId] }));
    expect(competenceIds).toEqual([organisation.competenceId]);
    await organisation.idle();
    expect(await organisation.notifications(job)).toMatchObject([{ kind: "job_offered", candidateId }]);
  });

  it("is reported while without the competence that a changed shift needs", async () => {
    const able = { competenceIds: [organisation.competenceId] };
    const { candidateId } = await organisation.addPerson(able);
    const { jobId, shiftId, endTime } = await organisation.open();
    await organisation.accept({ jobId }, { candidateId });
    await organisation.idle();
    ok(await change(candidateId, { competenceIds: [] }));
    const later = new Date(Date.parse(endTime) + HOUR_MS).toISOString();
    organisation.provider.updateShift(shiftId, { endTime: later });
    await organisation.process("shift.update", shiftId);
    expect(await organisation.issueCodes()).toEqual(["competence_missing"]);
    ok(await change(candidateId, { phone: "+46701740699" }));
    expect(await organisation.issueCodes()).toEqual(["competence_missing"]);
    ok(await change(candidateId, able));
    expect(await organisation.issueCodes()).toEqual([]);
    expect((await organisation.job(shiftId)).bookings).toMatchObject([{ candidateId, status: "confirmed" }]);
  });

  it("is refused with a date of birth that is to come: the century may be wrong", async () => {
    const day = (text: string) => startOrganisation(database(), { now: () => new Date(`${text}T12:00:00Z`) });
    const personalNumber = published.personnummer.toSorted().at(-1) ?? "";
    const born = `${personalNumber.slice(0, 4)}-${personalNumber.slice(4, 6)}-${personalNumber.slice(6, 8)}`;
    const yesterday = new Date(Date.parse(born) - DAY_MS).toISOString().slice(0, 10);
    const add = async (on: string) => {
      const early = await day(on);
      const name = { firstName: "Lo", lastName: "Ek", email: "lo@example.com", phone: "+46701740699" };
      const body = { ...name, personalNumber, competenceIds: [] };
      const { response, error } = await early.operations.createCandidate({ body });
      await early.close();
      return error?.errors?.[0]?.message ?? response.status;
    };
    expect(await add(yesterday)).toContain("the century may be wrong");
    expect(await add(born)).toBe(201);
  });

  it("is not changed when the candidateId or a competence is unknown", async () => {
    const missing = await change(randomUUID(), { phone: "+46701740699" });
    expect([missing.response.status, missing.error?.code]).toEqual([404, "candidate_not_found"]);
    const { candidateId } = await organisation.addPerson();
    const wrong = await change(candidateId, { phone: "+46701740699", competenceIds: [randomUUID()] });
    expect([wrong.response.status, wrong.error?.code]).toEqual([400, "validation_failed"]);
    const empty = await change(candidateId, {} as CandidateChange);
    expect([empty.response.status, empty.error?.code]).toEqual([400, "validation_failed"]);
    const body = { reason: "is it the same" };
    const shown = ok(
      await organisation.operations.revealCandidate({ params: { path: { candidateId } }, body }),
    );
    expect(shown).toMatchObject({ phone: "+46701740605" });
  });
});
