import { randomBytes, randomUUID } from "node:crypto";
import { cpSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { backup } from "../../../src/cli/backup.ts";
import { restore } from "../../../src/cli/restore.ts";
import { openPersonalNumbers } from "../../../src/platform/candidates/personal-numbers.ts";
import { type Database, type Engine, openDatabase } from "../../../src/platform/db/database.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { actionsOf } from "../../harness/actions.ts";
import { textOf, writeAsBackup } from "../../harness/backup-rows.ts";
import { copyDatabase, engines, silent } from "../../harness/engines.ts";
import { mappingsOf, ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { type Harness, SECRET_KEY, startHarness } from "../../harness/platform.ts";
import { terminal } from "../../harness/terminal.ts";

type Env = Record<string, string>;

/** A database with a platform, which a test starts and stops. */
interface Home {
  env: Env;
  start(): Promise<Harness>;
  stop(): Promise<void>;
  /** Runs while no platform has an embedded database open. */
  use<T>(work: (database: Database) => Promise<T>): Promise<T>;
}

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(dirname(inject("pgliteTemplate")), "move-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function makePlace(engine: Engine) {
  if (engine === "postgres") {
    const { where, remove } = await copyDatabase();
    undo.push(remove);
    return { where, env: { DATABASE_URL: where.url } };
  }
  const dataDir = await mkdtemp(join(folder, "data-"));
  const where = { dataDir: join(dataDir, "database") };
  cpSync(inject("pgliteTemplate"), where.dataDir, { recursive: true });
  return { where, env: { SHIFTPACT_DATA: dataDir } };
}

async function makeHome(engine: Engine): Promise<Home> {
  const { where, env } = await makePlace(engine);
  const open = () => openDatabase({ ...where, log: silent });
  let stop = async () => undefined as unknown;
  undo.push(() => stop());
  return {
    env: { ...env, SECRET_KEY: SECRET_KEY.toString("base64"), LOG_LEVEL: "silent" },
    start: async () => {
      const database = await open();
      const harness = await startHarness(database, { upkeep: { everyMs: 100 } });
      stop = async () => {
        stop = async () => undefined;
        await harness.platform.close();
        await database.close();
      };
      return harness;
    },
    stop: async () => void (await stop()),
    use: async (work) => {
      const database = await open();
      return work(database).finally(database.close);
    },
  };
}

async function run(command: typeof backup, argv: string[], env: Env) {
  const { io, out, err } = terminal(env);
  return { code: await command(argv, io), out, err, text: [...out, ...err].join("\n") };
}

const write = ({ env }: Pick<Home, "env">, file: string, providerId: string) =>
  run(backup, [file, "--organisation", providerId, "--force"], env);
const add = ({ env }: Pick<Home, "env">, file: string) => run(restore, [file, "--organisation"], env);

/** An organisation whose provider sends no webhooks. It outlives the platform that it was onboarded on. */
async function onboardOn(harness: Harness): Promise<Organisation> {
  const organisation = await harness.onboard({ connect: false });
  undo.push(organisation.close);
  return organisation;
}

/** The number of rows of each table that has any. */
async function counts({ raw }: Database): Promise<Record<string, number>> {
  const { rows: tables } = await raw.executeSql(
    "select tablename as name from pg_tables where schemaname = 'shiftpact' and tablename not in ('processes', 'figures', 'hourly_figures')",
  );
  const counted: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await raw.executeSql(`select count(*)::int as count from shiftpact."${name}"`);
    if (rows[0].count > 0) counted[name] = rows[0].count;
  }
  return counted;
}

const assigned = ({ provider }: Organisation, shiftId: string) => provider.shift(shiftId)?.assigned.size;

/** An organisation with one booking, suspended, as its file needs it. */
async function suspendedOn(home: Home) {
  const organisation = await onboardOn(await home.start());
  const job = await organisation.open();
  const person = await organisation.addPerson();
  await organisation.accept(job, person);
  await organisation.idle();
  await organisation.suspend();
  await home.stop();
  return { organisation, job, person };
}

describe.each(engines)("an organisation moves to the database of another platform (%s)", (engine) => {
  it("with its jobs, bookings, mappings, notifications, events and people, and works there", async () => {
    const [one, two] = [await makeHome(engine), await makeHome(engine)];
    const source = await one.start();
    const organisation = await onboardOn(source);
    const { providerId, provider } = organisation;
    const left = await onboardOn(source);
    const [booked, open] = [await organisation.open(), await organisation.open()];
    const [known, free] = [await organisation.addPerson(), await organisation.addPerson()];
    await left.addPerson();
    expect(await organisation.accept(booked, known)).toMatchObject({ status: 201 });
    await organisation.idle();
    const before = {
      jobs: await organisation.jobs(),
      notifications: (await organisation.notifications(booked)).length,
      mappings: await mappingsOf(source.operations, organisation),
    };
    await organisation.suspend();
    // They wait: at the source until the move, and then at the target.
    const { shiftId: waiting } = provider.createShift();
    await organisation.send("shift.create", waiting);
    await one.stop();
    const file = join(folder, `${engine}-works`);
    expect(await write(one, file, providerId.toUpperCase())).toMatchObject({ code: 0, err: [] });

    let target = await two.start();
    const others = await onboardOn(target);
    const { candidateId } = await others.addPerson({
      personalNumber: known.personalNumber,
      firstName: "Known",
      email: "known@example.com",
    });
    const onOthers = await others.open();
    // The platform at a PostgreSQL database keeps running.
    if (engine === "pglite") await two.stop();
    const added = await add(two, file);
    expect(added).toMatchObject({ code: 0, err: [] });
    expect(added.text).toContain("1 of its people were known here already");
    expect(await add(two, file)).toMatchObject({
      code: 0,
      out: [`the organisation ${providerId} is in this database already: nothing was changed`],
    });
    for (const text of [known.personalNumber, "Robin", "robin@example.com"])
      expect(added.text).not.toContain(text);
    if (engine === "pglite") target = await two.start();

    const moved = actionsOf(target.operations, providerId);
    expect(await moved.integration()).toMatchObject({ state: "suspended" });
    expect(await mappingsOf(target.operations, organisation)).toEqual(before.mappings);
    const { platformToken } = organisation;
    const webhook = { event: "shift.update", providerId, content: { shiftId: open.shiftId } };
    const { status } = await target.send("/webhooks/scheduling-provider", {
      method: "POST",
      authorization: `Bearer ${platformToken}`,
      body: { ...webhook, traceId: randomUUID() },
    });
    expect(status).toBe(200);
    await moved.activate();
    await target.platform.idle();
    await expect.poll(async () => (await moved.jobs()).length).toBe(before.jobs.length + 1);
    const ids = (jobs: readonly { jobId: string }[]) => jobs.map(({ jobId }) => jobId);
    expect(ids(await moved.jobs())).toEqual(expect.arrayContaining(ids(before.jobs)));
    expect(await moved.findJob(waiting)).toMatchObject({ status: "open" });
    // The person is one: with the id, the name and the address of the target.
    expect(await moved.booking(booked, { candidateId })).toMatchObject({ status: "confirmed" });
    expect(ok(await target.operations.getCandidate({ params: { path: { candidateId } } }))).toMatchObject({
      firstName: "Known",
      competenceIds: expect.arrayContaining([others.competenceId, organisation.competenceId]),
    });
    expect((await moved.notifications(booked)).length).toBe(before.notifications);
    const calls = organisation.callCount("PUT", `/shifts/${booked.shiftId}/assign/`);
    expect(await moved.accept(open, free)).toMatchObject({ status: 201 });
    await target.platform.idle();
    expect([assigned(organisation, booked.shiftId), assigned(organisation, open.shiftId)]).toEqual([1, 1]);
    expect(organisation.callCount("PUT", `/shifts/${booked.shiftId}/assign/`)).toBe(calls);
    const issue = async () => (await moved.issues()).find(({ code }) => code === "restored");
    await expect
      .poll(async () => (await issue())?.params)
      .toMatchObject({ shifts: 2, read: 2, cancelled: 0 });
    // What was there is as it was, and what was not named did not come.
    const there = actionsOf(target.operations, others.providerId);
    expect(await there.job(onOthers.shiftId)).toMatchObject({ status: "open" });
    const { response } = await target.operations.getIntegration({ params: left.params });
    expect(response.status).toBe(404);
    await two.stop();
    const { rows } = await two.use(({ raw }) =>
      raw.executeSql("select email from shiftpact.candidates where candidate_id = $1", [candidateId]),
    );
    expect(rows).toEqual([{ email: "known@example.com" }]);
  });

  it("and back, once it was deleted where it came from", async () => {
    const [one, two] = [await makeHome(engine), await makeHome(engine)];
    const { organisation, job, person } = await suspendedOn(one);
    const { providerId } = organisation;
    const [there, back] = [join(folder, `${engine}-there`), join(folder, `${engine}-back`)];
    expect(await write(one, there, providerId)).toMatchObject({ code: 0 });
    expect(await add(two, there)).toMatchObject({ code: 0 });
    const again = await one.start();
    const { operations } = again;
    const { params } = organisation;
    ok(await operations.offboardIntegration({ params, body: { bookings: "keep" } }));
    await operations.deleteIntegration({ params });
    await expect.poll(async () => (await operations.getIntegration({ params })).response.status).toBe(404);
    await one.stop();
    expect(await write(two, back, providerId)).toMatchObject({ code: 0 });
    expect(await add(one, back)).toMatchObject({ code: 0, err: [] });
    const last = await one.start();
    const moved = actionsOf(last.operations, providerId);
    await moved.activate();
    await last.platform.idle();
    expect(await moved.booking(job, person)).toMatchObject({ status: "confirmed" });
    expect(assigned(organisation, job.shiftId)).toBe(1);
  });
});

describe.each(engines)("the file of an organisation (%s)", (engine) => {
  it("is not written while the organisation may work", async () => {
    const home = await makeHome(engine);
    const harness = await home.start();
    const organisation = await onboardOn(harness);
    const { providerId, params } = organisation;
    const file = join(folder, `${engine}-refused`);
    const refused = async (id = providerId) => {
      await home.stop();
      const { code, text } = await write(home, file, id);
      return { code, text };
    };
    const code = 1;
    const text = (part: string) => expect.stringContaining(part);
    expect(await refused()).toEqual({
      code,
      text: text(`POST /operations/v1/integrations/${providerId}/suspend`),
    });
    const other = randomUUID();
    expect(await refused(other)).toEqual({ code, text: text(`there is no organisation ${other}`) });
    const again = await home.start();
    ok(await again.operations.offboardIntegration({ params, body: { bookings: "keep" } }));
    expect(await refused()).toEqual({ code, text: text("is being offboarded") });
    const claimed = await home.start();
    await actionsOf(claimed.operations, providerId).activate();
    await claimed.platform.idle();
    await actionsOf(claimed.operations, providerId).suspend();
    await home.stop();
    await home.use(({ raw }) =>
      raw.executeSql(
        `insert into shiftpact.work (provider_id, kind, key, priority, claim, due_at)
         values ('${providerId}', 'shift', 'one', 1, '${randomUUID()}', now() + interval '1 hour')`,
      ),
    );
    expect(await refused()).toEqual({ code, text: text("still under way (1)") });
    await expect(readFile(file)).rejects.toThrow("ENOENT");
  });

  it("is refused where it cannot be added, and nothing is changed", async () => {
    const [one, two] = [await makeHome(engine), await makeHome(engine)];
    const { providerId } = (await suspendedOn(one)).organisation;
    const [file, whole] = [join(folder, `${engine}-file`), join(folder, `${engine}-whole`)];
    expect(await write(one, file, providerId)).toMatchObject({ code: 0 });
    expect(await run(backup, [whole, "--force"], one.env)).toMatchObject({ code: 0 });
    const vault = createVault(SECRET_KEY);
    const text = await textOf(file, vault);
    const changed = async (name: string, next: string) => {
      const path = join(folder, `${engine}-${name}`);
      await writeAsBackup(path, vault, next);
      return path;
    };
    // As the first start of its platform does.
    await two.use((database) => openPersonalNumbers(database, vault));
    const before = await two.use(counts);
    const other = { env: { ...two.env, SECRET_KEY: randomBytes(32).toString("base64") } };
    const cases: [RegExp, string, { env: Env }?][] = [
      [/was encrypted with key .*: give the SECRET_KEY of the platform that it comes from/, file, other],
      [/holds a whole database: restore it into an empty one, without --organisation/, whole],
      [/the backup is incomplete: its last line is cut off/, await changed("cut", text.slice(0, -10))],
      [
        /where a backup of its schema has table "[a-z_]+", it has "operators"/,
        await changed("table", text.replaceAll('"competences"', '"operators"')),
      ],
      [
        /table [a-z_]+ has a row of another organisation/,
        await changed("owner", text.replace(`\n(${providerId},`, `\n(${randomUUID()},`)),
      ],
      [
        /the schema of the file is not that of this database: run the same version/,
        await changed("schema", text.replace('"checksum":"', '"checksum":"0')),
      ],
    ];
    for (const [message, path, home = two] of cases) {
      const refused = await add(home, path);
      expect(refused).toMatchObject({ code: 1, out: [], text: expect.stringMatching(message) });
      expect(refused.text).not.toContain("Robin");
    }
    expect(await two.use(counts)).toEqual(before);
    const empty = engine === "postgres" ? await copyDatabase({ empty: true }) : undefined;
    if (empty) onTestFinished(empty.remove);
    const nowhere = {
      ...two.env,
      ...(empty ? { DATABASE_URL: empty.where.url } : { SHIFTPACT_DATA: join(folder, randomUUID()) }),
    };
    expect(await run(restore, [file], nowhere)).toMatchObject({
      code: 1,
      text: expect.stringContaining("add it to the database of a platform with --organisation"),
    });
    expect(await add({ env: nowhere }, file)).toMatchObject({
      code: 1,
      text: expect.stringMatching(
        /there is no database in|the database has no tables: run `shiftpact migrate`/,
      ),
    });
  });

  it("is refused for a person who was erased there, and for another registration of the organisation", async () => {
    const [one, two] = [await makeHome(engine), await makeHome(engine)];
    const source = await one.start();
    const organisation = await onboardOn(source);
    const { providerId, provider } = organisation;
    const person = await organisation.addPerson();
    await organisation.accept(await organisation.open(), person);
    await organisation.idle();
    await organisation.suspend();
    await one.stop();
    const file = join(folder, `${engine}-erased`);
    expect(await write(one, file, providerId)).toMatchObject({ code: 0 });
    const target = await two.start();
    const others = await onboardOn(target);
    const erased = await others.addPerson({ personalNumber: person.personalNumber });
    ok(await target.operations.eraseCandidate({ params: { path: { candidateId: erased.candidateId } } }));
    await two.stop();
    const before = await two.use(counts);
    const refused = await add(two, file);
    expect(refused).toMatchObject({ code: 1, out: [] });
    expect(refused.text).toContain(`were erased in this database (${person.candidateId} there)`);
    expect(await two.use(counts)).toEqual(before);
    const again = await two.start();
    ok(
      await again.operations.createIntegration({
        body: {
          providerId,
          kind: "sandbox",
          name: "Another",
          baseUrl: provider.url,
          providerToken: provider.token,
        },
      }),
    );
    await two.stop();
    expect(await add(two, file)).toMatchObject({
      code: 1,
      text: expect.stringContaining(`another registration of the organisation ${providerId}`),
    });
  });
});

describe("--organisation", () => {
  it.each([
    [["FILE", "--organisation", "seven"], "--organisation must be a UUID"],
    [["FILE", "--organisation", randomUUID(), "--url", "http://127.0.0.1:1"], "reads the database itself"],
  ])("of a backup is refused with exit code 2: %j", async (argv, message) => {
    const { code, text } = await run(backup, argv, {});
    expect({ code, text }).toEqual({ code: 2, text: expect.stringContaining(message) });
  });
});
