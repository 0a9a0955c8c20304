import { randomUUID } from "node:crypto";
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../generated/operations/client.ts";
import { type Database, type Engine, openDatabase } from "../../../src/platform/db/database.ts";
import { migrate } from "../../../src/platform/db/migrate.ts";
import { openPglite } from "../../../src/platform/db/pglite.ts";
import { openPostgres } from "../../../src/platform/db/postgres.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { startPlatform } from "../../../src/platform/main.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { copyDatabase, engines, silent } from "../../engines.ts";
import { configFor, OPERATIONS_TOKEN, SECRET_KEY } from "../../harness/platform.ts";

const MIGRATIONS = new URL("../../../src/platform/db/migrations/", import.meta.url);

interface Row {
  providerId: string;
  baseUrl: string;
  token: string;
  routing: "path" | "header";
  state: "draft" | "active";
}

/** As the version before writes an integration. */
async function insertAsBefore({ raw }: Pick<Database, "raw">, row: Row): Promise<void> {
  const { providerId, baseUrl, token, routing, state } = row;
  const sealed = createVault(SECRET_KEY).seal(token);
  await raw.executeSql(`insert into shiftpact.integrations
    (provider_id, kind, name, base_url, routing, state, time_zone, provider_token, created_at, updated_at)
    values ('${providerId}', 'sandbox', 'Kajen', '${baseUrl}', '${routing}', '${state}', 'Europe/Stockholm', '${sealed}', now(), now())`);
}

/** A migrated database of the version before, open. */
async function openBefore(engine: Engine) {
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-before-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const names = (await readdir(MIGRATIONS)).filter((name) => name < "013");
  for (const name of names) await copyFile(new URL(name, MIGRATIONS), join(folder, name));
  const postgres = engine === "postgres" ? await copyDatabase({ empty: true }) : undefined;
  if (postgres) onTestFinished(postgres.remove);
  const dataDir = join(folder, "data", "database");
  const database = postgres ? openPostgres(postgres.where.url, silent) : await openPglite(dataDir, silent);
  const migrations = pathToFileURL(`${folder}/`);
  await migrate(database.raw, migrations);
  const where = postgres?.where ?? { dataDir };
  return { database, where, migrateAsBefore: (raw: Database["raw"]) => migrate(raw, migrations) };
}

describe.each(engines)("the upgrade to detected routings on %s", (engine) => {
  it("keeps the routing of every integration as given", async () => {
    const { database, where } = await openBefore(engine);
    const rows = (["path", "header"] as const).map((routing) => ({
      ...{ providerId: randomUUID(), baseUrl: "https://p.example", token: "provider-token" },
      ...{ routing, state: "active" as const },
    }));
    for (const row of rows) await insertAsBefore(database, row);
    await database.close();
    const { kysely, close } = await openDatabase({ ...where, log: silent });
    onTestFinished(close);
    const read = kysely.selectFrom("integrations").select(["routing", "routing_source", "routing_attempts"]);
    expect(await read.orderBy("routing", "desc").execute()).toEqual([
      { routing: "path", routing_source: "given", routing_attempts: [] },
      { routing: "header", routing_source: "given", routing_attempts: [] },
    ]);
  });

  it("leaves what the version before needs, which may run beside it and again after it", async () => {
    const { database, where, migrateAsBefore } = await openBefore(engine);
    await database.close();
    const { raw, kysely, close } = await openDatabase({ ...where, log: silent });
    onTestFinished(close);
    // A migration of later versions says so itself.
    await raw.executeSql("update shiftpact.migrations set works_with = '012' where name >= '013'");
    expect(await migrateAsBefore(raw)).toEqual([]);
    const providerId = randomUUID();
    const row = { providerId, baseUrl: "https://p.example", token: "provider-token" };
    await insertAsBefore({ raw }, { ...row, routing: "header", state: "draft" });
    const written = await kysely.selectFrom("integrations").selectAll().executeTakeFirstOrThrow();
    expect(written).toMatchObject({ routing: "header", routing_source: "given" });
    const pending = { routing_source: "pending" } as const;
    await kysely
      .insertInto("integrations")
      .values({
        ...written,
        ...pending,
        provider_id: randomUUID(),
        routing: undefined,
        dialect: "{}",
        routing_attempts: "[]",
        routes: "{}",
      })
      .execute();
    // It calls by what this column holds, and knows two values of it.
    const { rows } = await raw.executeSql(
      "select routing from shiftpact.integrations where routing_source = 'pending'",
    );
    expect(rows).toEqual([{ routing: "path" }]);
  });

  it("detects the routing of an integration that the version before activated without one", async () => {
    const { database, where } = await openBefore(engine);
    await database.close();
    const provider = await startSandbox({ dialect: { routing: "header" } });
    onTestFinished(() => provider.close());
    const { providerId, url: baseUrl, token } = provider;
    const opened = await openDatabase({ ...where, log: silent });
    onTestFinished(opened.close);
    await insertAsBefore(opened, { providerId, baseUrl, token, routing: "path", state: "active" });
    await opened.raw.executeSql("update shiftpact.integrations set routing_source = 'pending'");
    const { shiftId } = provider.createShift();
    await opened.kysely
      .insertInto("events")
      .values({
        ...{ event_id: randomUUID(), provider_id: providerId, event: "shift.create" },
        ...{ shift_id: shiftId, trace_id: randomUUID(), status: "queued" },
      })
      .execute();
    const platform = await startPlatform(configFor(where), {
      ...{ database: opened, log: silent, retries: { baseMs: 5, capMs: 20 } },
    });
    onTestFinished(() => platform.close());
    const headers = { Authorization: `Bearer ${OPERATIONS_TOKEN}` };
    const operations = createClient({ baseUrl: `${platform.url}/operations/v1`, headers });
    const read = async () => (await operations.getIntegration({ params: { path: { providerId } } })).data;
    await expect.poll(async () => (await read())?.routingSource).toBe("detected");
    expect(await read()).toMatchObject({ routing: "header", state: "active" });
    const jobs = async () =>
      (await operations.listJobs({ params: { query: { shiftId } } })).data?.items.length;
    await expect.poll(jobs).toBe(1);
  });
});
