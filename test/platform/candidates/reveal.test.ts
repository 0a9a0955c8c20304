import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { featureEngines, useEngine } from "../../harness/engines.ts";
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
