import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { notify } from "../../../src/platform/notifications/notify.ts";
import { transact } from "../../../src/platform/transaction.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { type MailServer, startMailServer } from "../../harness/mail-server.ts";
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
      insert into shiftpact.candidates (candidate_id, first_name, last_name, email, phone)
      select gen_random_uuid(), 'Robin', 'Ek', 'robin@example.com', ''
      from generate_series(1, ${MANY}) as n returning candidate_id`);
    return rows.map((row) => row.candidate_id);
  };

  it("of a change sends each of them one notification, however many they are", async () => {
    const { jobId } = await organisation.open();
    const candidateIds = await crowd();
    const { providerId } = organisation;
    const about = { providerId, jobId, changeKey: "k", content: { n: 1 }, traceId: "t" };
    const parts = { newId, now: () => new Date(), wakeWorker: () => undefined };
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

describe.each(featureEngines)("notifications about shifts without names on %s", (engine) => {
  const database = useEngine(engine);
  let server: MailServer;
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    server = await startMailServer();
    const channel = createEmailChannel({ url: server.url, from: "shifts@platform.example" });
    organisation = await startOrganisation(database(), { channel, dialect: { variant: "b" } });
  });
  afterEach(async () => {
    await organisation.close();
    await server.close();
  });

  const lists = () => {
    const [first, second] = organisation.provider.outlets;
    const [role] = organisation.provider.roles;
    if (!first || !second || !role) throw new Error("the sandbox has two outlets and a role");
    return { first, second, role };
  };

  it("name the place and the role as the provider lists them, also after a move", async () => {
    const { first, second, role } = lists();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    await organisation.accept(job, person);
    organisation.provider.updateShift(job.shiftId, { outletId: second.id });
    await organisation.process("shift.update", job.shiftId);
    const named = (await organisation.notifications(job)).map(({ kind, content }) => ({
      kind,
      role: content.roleName,
      place: content.outletName,
    }));
    expect(named).toEqual([
      { kind: "job_offered", role: role.name, place: first.name },
      { kind: "booking_confirmed", role: role.name, place: first.name },
      { kind: "shift_changed", role: role.name, place: second.name },
    ]);
    expect(server.mails.at(-1)?.body).toContain(`  Role: ${role.name}\n  Place: ${second.name}\n`);
  });

  it("that were stored before the names were known are sent with the names", async () => {
    const { first, role } = lists();
    await organisation.addPerson();
    server.refuse(550);
    const job = await organisation.open();
    await database().raw.executeSql(`update shiftpact.notifications
      set content = content || '{"outletName": null, "roleName": null}' where job_id = '${job.jobId}'`);
    const [{ notificationId } = { notificationId: "" }] = await organisation.notifications(job);
    await organisation.operations.resendNotification({ params: { path: { notificationId } } });
    await organisation.idle();
    expect(server.mails.map(({ body }) => body)).toEqual([
      expect.stringContaining(`  Role: ${role.name}\n  Place: ${first.name}\n`),
    ]);
  });
});
