import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { CandidateCreate } from "../../../generated/operations/types.ts";
import type { PersonalNumber } from "../../../src/contract/personal-number.ts";
import { openPersonalNumbers } from "../../../src/platform/candidates/candidate.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { engines, featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { SECRET_KEY } from "../../harness/platform.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

const number = (nth: number) => (published.personnummer[nth] ?? "") as PersonalNumber;

describe.each(engines)("a personal number on %s", (engine) => {
  const database = useEngine(engine);

  it("is nowhere in the database, and is still found, shown masked, revealed and sent to the provider", async () => {
    const organisation = await startOrganisation(database());
    onTestFinished(organisation.close);
    const { candidateId } = await organisation.addPerson({ personalNumber: number(61) });
    const job = await organisation.open();
    expect(await organisation.accept(job, { candidateId })).toMatchObject({ status: 201 });
    expect(await organisation.dump()).not.toContain(number(61));
    const path = { candidateId };
    const { data: shown } = await organisation.operations.getCandidate({ params: { path } });
    expect(shown?.personalNumber).toBe(`${number(61).slice(0, 4)}****-****`);
    const { data } = await organisation.operations.revealCandidate({
      params: { path },
      body: { reason: "the test" },
    });
    expect(data?.personalNumber).toBe(number(61));
    await expect(organisation.addPerson({ personalNumber: number(61) })).rejects.toThrow("candidate_exists");
  });

  it("is found by another process with the same keys, and after a change of SECRET_KEY", async () => {
    const vault = createVault(SECRET_KEY);
    const { hash } = await openPersonalNumbers(database(), vault);
    const other = await openPersonalNumbers(database(), createVault(randomBytes(32), [SECRET_KEY]));
    expect(other.hash(number(66))).toBe(hash(number(66)));
    const { rows } = await sql<{ sealed: string }>`select sealed from sealed_keys`.execute(database().kysely);
    expect(rows).toHaveLength(1);
  });

  it("has a hash whose key is random, also under the same SECRET_KEY", async () => {
    const open = () => openPersonalNumbers(database(), createVault(SECRET_KEY));
    const { hash } = await open();
    await sql`delete from sealed_keys`.execute(database().kysely);
    const { hash: ofAnotherDatabase } = await open();
    expect(ofAnotherDatabase(number(66))).not.toBe(hash(number(66)));
  });
});

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
