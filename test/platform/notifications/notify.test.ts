import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { notify } from "../../../src/platform/notifications/notify.ts";
import { transact } from "../../../src/platform/transaction.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

/** A statement carries 65,535 parameters at most, which would be less than one for each value of so many rows. */
const MANY = 10_000;

describe.each(featureEngines)("notifying candidates on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database());
  });
  afterEach(() => organisation.close());

  const crowd = async (): Promise<string[]> => {
    const { rows } = await database().raw.executeSql(`
      insert into shiftpact.candidates (candidate_id, personal_number, first_name, last_name, email, phone)
      select gen_random_uuid(), 'unknown ' || n, 'Robin', 'Ek', 'robin@example.com', ''
      from generate_series(1, ${MANY}) as n returning candidate_id`);
    return rows.map(({ candidate_id }) => candidate_id);
  };

  it("of one change reaches each of them once, however many they are", async () => {
    const { jobId } = await organisation.open();
    const candidateIds = await crowd();
    const { providerId } = organisation;
    const about = { providerId, jobId, changeKey: "k", content: { n: 1 }, traceId: "t" };
    const parts = { newId, wakeWorker: () => undefined };
    const notifyAll = () =>
      transact({ database: database() }, (trx) =>
        notify(trx, parts, candidateIds, { ...about, kind: "shift_changed" }),
      );
    expect(await notifyAll()).toBe(MANY);
    expect(await notifyAll()).toBe(0);
    const [notification] = (await organisation.operations.listNotifications()).data?.items ?? [];
    expect(notification).toMatchObject({ kind: "shift_changed", jobId, content: { n: 1 }, traceId: "t" });
  });

  it("offers a job to everyone available, however many they are", async () => {
    await crowd();
    await database().raw.executeSql(`insert into shiftpact.candidate_competences (candidate_id, competence_id)
      select candidate_id, '${organisation.competenceId}' from shiftpact.candidates`);
    const job = await organisation.open();
    const { rows } = await database().raw.executeSql(
      `select count(*) as notified from shiftpact.notifications where job_id = '${job.jobId}'`,
    );
    expect(rows).toEqual([{ notified: MANY }]);
  });
});
