import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { notify } from "../../../src/platform/notifications/notify.ts";
import { transact } from "../../../src/platform/transaction.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

/** A statement carries 65,535 parameters at most, which would be less than one for each value of so many rows. */
const MANY = 10_000;

describe.each(featureEngines)("notifying candidates on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  beforeEach(async () => {
    shop = await openWorkshop(database());
  });
  afterEach(() => shop.close());

  const crowd = async (): Promise<string[]> => {
    const { rows } = await database().raw.executeSql(`
      insert into shiftpact.candidates (candidate_id, personal_number, first_name, last_name, email, phone)
      select gen_random_uuid(), 'nobody ' || n, 'Robin', 'Ek', 'robin@example.com', ''
      from generate_series(1, ${MANY}) as n returning candidate_id`);
    return rows.map(({ candidate_id }) => candidate_id);
  };

  it("reaches each of any number of candidates once for a change", async () => {
    const { jobId } = await shop.open();
    const candidateIds = await crowd();
    const { providerId } = shop;
    const about = { providerId, jobId, changeKey: "k", content: { n: 1 }, traceId: "t" };
    const parts = { newId, wakeWorker: () => undefined };
    const tell = () =>
      transact({ database: database() }, (trx) =>
        notify(trx, parts, candidateIds, { ...about, kind: "shift_changed" }),
      );
    expect(await tell()).toBe(MANY);
    expect(await tell()).toBe(0);
    const [told] = (await shop.operations.listNotifications()).data?.items ?? [];
    expect(told).toMatchObject({ kind: "shift_changed", jobId, content: { n: 1 }, traceId: "t" });
  });

  it("offers a job to any number of available candidates", async () => {
    await crowd();
    await database().raw.executeSql(`insert into shiftpact.candidate_competences (candidate_id, competence_id)
      select candidate_id, '${shop.competenceId}' from shiftpact.candidates`);
    const job = await shop.open();
    const { rows } = await database().raw.executeSql(
      `select count(*) as told from shiftpact.notifications where job_id = '${job.jobId}'`,
    );
    expect(rows).toEqual([{ told: MANY }]);
  });
});
