import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../generated/operations/client.ts";
import { newId } from "../../../src/platform/ids.ts";
import { startPlatform } from "../../../src/platform/main.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { notify } from "../../../src/platform/notifications/notify.ts";
import { transact } from "../../../src/platform/transaction.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { copyDatabase, featureEngines, silent, useEngine } from "../../harness/engines.ts";
import { type MailServer, startMailServer } from "../../harness/mail-server.ts";
import { configFor } from "../../harness/platform.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

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

const operationsToken = "operations-token-of-the-test";

async function start() {
  const { where, remove } = await copyDatabase();
  onTestFinished(remove);
  const server = await startMailServer();
  onTestFinished(server.close);
  const config = {
    ...configFor(where),
    operationsToken,
    mail: { url: server.url, from: "shifts@platform.example" },
  };
  const platform = await startPlatform(config, { log: silent });
  onTestFinished(() => platform.close());
  const provider = await startSandbox();
  onTestFinished(provider.close);
  const headers = { Authorization: `Bearer ${operationsToken}` };
  return {
    server,
    platform,
    provider,
    operations: createClient({ baseUrl: `${platform.url}/operations/v1`, headers }),
  };
}

it("a platform with SMTP_URL sends its notifications by email", async () => {
  const { server, platform, provider, operations } = await start();
  const { providerId, url: baseUrl, token: providerToken } = provider;
  const body = { providerId, kind: "sandbox", name: "Kvarteret", baseUrl, providerToken };
  const { data: registered } = await operations.createIntegration({ body });
  const { data: workplace } = await operations.createWorkplace({ body: { name: "Torget" } });
  const { data: competence } = await operations.createCompetence({ body: { name: "Diskare" } });
  const { platformToken = "" } = registered ?? {};
  const { workplaceId = "" } = workplace ?? {};
  const { competenceId = "" } = competence ?? {};
  const params = { path: { providerId } };
  await operations.discoverIntegration({ params });
  const outlets = provider.outlets.map(({ id }) => ({ outletId: id, workplaceId }));
  const roles = provider.roles.map(({ id }) => ({ roleId: id, competenceId }));
  await operations.updateMappings({ params, body: { outlets, roles } });
  await operations.activateIntegration({ params });
  const personalNumber = published.personnummer[70] ?? "";
  const identity = { firstName: "Robin", lastName: "Ek", email: "robin@example.com", phone: "+46701740605" };
  await operations.createCandidate({ body: { personalNumber, ...identity, competenceIds: [competenceId] } });
  provider.connectPlatform({ url: platform.url, token: platformToken });
  provider.createShift();
  const expected = [{ to: ["robin@example.com"], from: "shifts@platform.example" }];
  await expect.poll(() => server.mails).toMatchObject(expected);
  await platform.idle();
  expect(server.mails).toHaveLength(1);
});
