import { randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import type { PersonalNumber } from "../../../src/contract/personal-number.ts";
import { openPersonalNumbers } from "../../../src/platform/candidates/personal-numbers.ts";
import { createNumberSealing } from "../../../src/platform/candidates/seal-numbers.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { engines, silent, useEngine } from "../../engines.ts";
import { SECRET_KEY } from "../../harness/platform.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

const number = (nth: number) => (published.personnummer[nth] ?? "") as PersonalNumber;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe.each(engines)("a personal number on %s", (engine) => {
  const database = useEngine(engine);
  const open = async (options = {}): Promise<StartedOrganisation> => {
    const organisation = await startOrganisation(database(), options);
    closing.push(organisation.close);
    return organisation;
  };
  const stored = () =>
    database().kysely.selectFrom("candidates").selectAll().orderBy("candidate_id").execute();
  const sealing = async (keepClear = false) => {
    const vault = createVault(SECRET_KEY);
    const numbers = await openPersonalNumbers(database(), vault);
    return {
      numbers,
      ...createNumberSealing({ database: database(), numbers, vault, log: silent, keepClear }),
    };
  };
  /** As a process of version 0.1.0 adds a candidate. */
  const addAsBefore = async (nth: number): Promise<string> => {
    const candidate_id = randomUUID();
    const rest = { first_name: "Robin", last_name: "Ek", email: "robin@example.com", phone: "+46701740605" };
    const row = { candidate_id, personal_number: number(nth), ...rest };
    await database().kysely.insertInto("candidates").values(row).execute();
    return candidate_id;
  };

  it("is nowhere in the database, and is still found, shown masked, revealed and sent to the provider", async () => {
    const organisation = await open();
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

  it("of an older version is sealed at the start", async () => {
    const candidate_id = await addAsBefore(62);
    const organisation = await open();
    expect(await organisation.dump()).not.toContain(number(62));
    expect(await stored()).toMatchObject([{ candidate_id, personal_number: `sealed:${candidate_id}` }]);
    const { data } = await organisation.operations.getCandidate({
      params: { path: { candidateId: candidate_id } },
    });
    expect(data?.personalNumber).toBe(`${number(62).slice(0, 4)}****-****`);
    await expect(organisation.addPerson({ personalNumber: number(62) })).rejects.toThrow("candidate_exists");
  });

  it("comes back in clear for the return to an older version, and is found meanwhile", async () => {
    const candidate_id = await addAsBefore(63);
    await (await sealing()).run();
    expect(await stored()).toMatchObject([{ personal_number: `sealed:${candidate_id}` }]);
    const back = await sealing(true);
    await back.run();
    expect(await stored()).toMatchObject([{ personal_number: number(63) }]);
    expect(back.numbers.columns(number(64), candidate_id).personal_number).toBe(number(64));
  });

  it("of two candidates stays with the first, and the other one is left for an operator", async () => {
    const first = await addAsBefore(65);
    await (await sealing()).run();
    const second = await addAsBefore(65);
    await (await sealing()).run();
    const rows = await stored();
    expect(rows.find((row) => row.candidate_id === first)?.personal_number_hash).toMatch(/^[\da-f]{64}$/);
    expect(rows.find((row) => row.candidate_id === second)?.personal_number_hash).toBeNull();
  });

  it("is found by another process with the same keys, and after a change of SECRET_KEY", async () => {
    const vault = createVault(SECRET_KEY);
    const { hash } = await openPersonalNumbers(database(), vault);
    const other = await openPersonalNumbers(database(), createVault(randomBytes(32), [SECRET_KEY]));
    expect(other.hash(number(66))).toBe(hash(number(66)));
    const { rows } = await sql<{ sealed: string }>`select sealed from sealed_keys`.execute(database().kysely);
    expect(rows).toHaveLength(1);
  });
});

describe("beside a process of version 0.1.0", () => {
  const database = useEngine("postgres");

  it("is kept in clear too, until that process is gone", async () => {
    const { kysely } = database();
    const process_id = randomUUID();
    await kysely.insertInto("processes").values({ process_id, seen_at: new Date() }).execute();
    const organisation = await startOrganisation(database());
    closing.push(organisation.close);
    const { candidateId } = await organisation.addPerson({ personalNumber: number(67) });
    const read = () =>
      kysely.selectFrom("candidates").selectAll().where("candidate_id", "=", candidateId).executeTakeFirst();
    expect(await read()).toMatchObject({
      personal_number: number(67),
      personal_number_hash: expect.stringMatching(/^[\da-f]{64}$/),
    });
    await kysely.deleteFrom("processes").where("process_id", "=", process_id).execute();
    await organisation.close();
    closing.length = 0;
    // As the next round does.
    const vault = { open: (sealed: string) => sealed };
    const numbers = { keepsClear: true } as never;
    await createNumberSealing({ database: database(), numbers, vault, log: silent, keepClear: false }).run();
    expect(await read()).toMatchObject({ personal_number: `sealed:${candidateId}` });
  });
});
