import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { featureEngines, useEngine } from "../../engines.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { openWorkshop, type Workshop } from "../workshop.ts";

const NTH = 41;

describe.each(featureEngines)("a person's details on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  beforeEach(async () => {
    shop = await openWorkshop(database());
  });
  afterEach(() => shop.close());

  const reveal = (candidateId: string, reason: string) =>
    shop.operations.revealCandidate({ params: { path: { candidateId } }, body: { reason } });
  const reveals = () => database().kysely.selectFrom("reveals").select(["candidate_id", "reason"]).execute();

  it("are shown masked", async () => {
    const candidateId = await shop.addPerson(NTH);
    const { data } = await shop.operations.getCandidate({ params: { path: { candidateId } } });
    expect(data).toEqual({
      candidateId,
      personalNumber: `${published.personnummer[NTH]?.slice(0, 4)}****-****`,
      firstName: "Robin",
      lastName: "Ek",
      competenceIds: [shop.competenceId],
    });
  });

  it("are shown unmasked for a reason, which is recorded each time", async () => {
    const candidate_id = await shop.addPerson(NTH);
    expect((await reveal(candidate_id, "the provider asks")).data).toEqual({
      candidateId: candidate_id,
      personalNumber: published.personnummer[NTH],
      firstName: "Robin",
      lastName: "Ek",
      email: "robin@example.com",
      phone: "+46701740605",
    });
    await reveal(candidate_id, "the wrong mail");
    expect(await reveals()).toEqual([
      { candidate_id, reason: "the provider asks" },
      { candidate_id, reason: "the wrong mail" },
    ]);
  });

  it.each(["", "no", "x".repeat(201), "a\u0000bc"])("are not shown for the reason %j", async (reason) => {
    const candidateId = await shop.addPerson(NTH);
    expect((await reveal(candidateId, reason)).error?.code).toBe("validation_failed");
    expect(await reveals()).toEqual([]);
  });

  it("are not found under another id, and nothing is recorded", async () => {
    await shop.addPerson(NTH);
    expect((await reveal(randomUUID(), "who is this")).error?.code).toBe("candidate_not_found");
    expect(await reveals()).toEqual([]);
  });
});
