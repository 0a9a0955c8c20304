import { randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import type { PersonalNumber } from "../../../src/contract/personal-number.ts";
import { openPersonalNumbers } from "../../../src/platform/candidates/personal-numbers.ts";
import { createNumberSealing } from "../../../src/platform/candidates/seal-numbers.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { engines, silent, useEngine } from "../../engines.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { openWorkshop, type Workshop } from "../workshop.ts";

const number = (nth: number) => (published.personnummer[nth] ?? "") as PersonalNumber;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe.each(engines)("a personal number on %s", (engine) => {
  const database = useEngine(engine);
  const secretKey = randomBytes(32);
  const open = async (options = {}): Promise<Workshop> => {
    const shop = await openWorkshop(database(), { secretKey, ...options });
    closing.push(shop.close);
    return shop;
  };
  const stored = () =>
    database().kysely.selectFrom("candidates").selectAll().orderBy("candidate_id").execute();
  const sealing = async (keepClear = false) => {
    const vault = createVault(secretKey);
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

  it("is not stored in clear, but can be found, shown masked, revealed, and sent to the provider", async () => {
    const shop = await open();
    const candidateId = await shop.addPerson(61);
    const job = await shop.open();
    expect(await shop.accept({ jobId: job.jobId, candidateId })).toMatchObject({ status: 201 });
    expect(await shop.dump()).not.toContain(number(61));
    const path = { candidateId };
    const { data: shown } = await shop.operations.getCandidate({ params: { path } });
    expect(shown?.personalNumber).toBe(`${number(61).slice(0, 4)}****-****`);
    const { data } = await shop.operations.revealCandidate({
      params: { path },
      body: { reason: "the test" },
    });
    expect(data?.personalNumber).toBe(number(61));
    await expect(shop.addPerson(61)).rejects.toThrow("candidate_exists");
  });

  it("is sealed at the start if an older version stored it in clear", async () => {
    const candidate_id = await addAsBefore(62);
    const shop = await open();
    expect(await shop.dump()).not.toContain(number(62));
    expect(await stored()).toMatchObject([{ candidate_id, personal_number: `sealed:${candidate_id}` }]);
    const { data } = await shop.operations.getCandidate({ params: { path: { candidateId: candidate_id } } });
    expect(data?.personalNumber).toBe(`${number(62).slice(0, 4)}****-****`);
    await expect(shop.addPerson(62)).rejects.toThrow("candidate_exists");
  });

  it("is restored in clear for a return to an older version, and found in the meantime", async () => {
    const candidate_id = await addAsBefore(63);
    await (await sealing()).run();
    expect(await stored()).toMatchObject([{ personal_number: `sealed:${candidate_id}` }]);
    const back = await sealing(true);
    await back.run();
    expect(await stored()).toMatchObject([{ personal_number: number(63) }]);
    expect(back.numbers.columns(number(64), candidate_id).personal_number).toBe(number(64));
  });

  it("of two candidates is sealed for the first, and left in clear for the other", async () => {
    const first = await addAsBefore(65);
    await (await sealing()).run();
    const second = await addAsBefore(65);
    await (await sealing()).run();
    const rows = await stored();
    expect(rows.find((row) => row.candidate_id === first)?.personal_number_hash).toMatch(/^[\da-f]{64}$/);
    expect(rows.find((row) => row.candidate_id === second)?.personal_number_hash).toBeNull();
  });

  it("is found by another process with the same keys, and after a change of SECRET_KEY", async () => {
    const vault = createVault(secretKey);
    const { hash } = await openPersonalNumbers(database(), vault);
    const other = await openPersonalNumbers(database(), createVault(randomBytes(32), [secretKey]));
    expect(other.hash(number(66))).toBe(hash(number(66)));
    const { rows } = await sql<{ sealed: string }>`select sealed from sealed_keys`.execute(database().kysely);
    expect(rows).toHaveLength(1);
  });
});

describe("beside a process of version 0.1.0", () => {
  const database = useEngine("postgres");

  it("is also kept in clear until that process has ended", async () => {
    const { kysely } = database();
    const process_id = randomUUID();
    await kysely.insertInto("processes").values({ process_id, seen_at: new Date() }).execute();
    const shop = await openWorkshop(database());
    closing.push(shop.close);
    const candidateId = await shop.addPerson(67);
    const read = () =>
      kysely.selectFrom("candidates").selectAll().where("candidate_id", "=", candidateId).executeTakeFirst();
    expect(await read()).toMatchObject({
      personal_number: number(67),
      personal_number_hash: expect.stringMatching(/^[\da-f]{64}$/),
    });
    await kysely.deleteFrom("processes").where("process_id", "=", process_id).execute();
    await shop.close();
    closing.length = 0;
    // As the next round does.
    const vault = { open: (sealed: string) => sealed };
    const numbers = { keepsClear: true } as never;
    await createNumberSealing({ database: database(), numbers, vault, log: silent, keepClear: false }).run();
    expect(await read()).toMatchObject({ personal_number: `sealed:${candidateId}` });
  });
});
