import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CandidateCreate } from "../../../generated/operations/types.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

describe.each(featureEngines)("an erased person, on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database());
  });
  afterEach(() => organisation.close());

  const importRegistry = async () => {
    const path = { providerId: organisation.providerId };
    return ok(await organisation.operations.importRegistry({ params: { path } }));
  };
  const candidates = async () =>
    ok(await organisation.operations.listCandidates({ params: { query: { limit: 200 } } })).items;

  it("does not return with the next registry import, unless an operator adds the person again", async () => {
    const { imported } = await importRegistry();
    const [{ candidateId } = { candidateId: "" }] = await candidates();
    const path = { candidateId };
    const { data } = await organisation.operations.revealCandidate({
      params: { path },
      body: { reason: "the test" },
    });
    await organisation.operations.eraseCandidate({ params: { path } });
    expect(await importRegistry()).toMatchObject({ imported: 0, updated: 0, skipped: imported });
    expect(await candidates()).toHaveLength(imported - 1);

    const { candidateId: _erased, ...person } = data ?? { candidateId };
    const body = {
      ...person,
      email: "robin@example.com",
      phone: "+46701740605",
      competenceIds: [],
    } as CandidateCreate;
    const again = ok(await organisation.operations.createCandidate({ body }));
    expect(again.candidateId).not.toBe(candidateId);
    await importRegistry();
    expect(await candidates()).toHaveLength(imported);
    const { rows } = await database().raw.executeSql("select * from shiftpact.erased_people");
    expect(rows).toEqual([]);
  });
});
