import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, it, onTestFinished } from "vitest";
import { startPair } from "../../scripts/chaos/pair.ts";
import { openDatabase } from "../../src/platform/db/database.ts";
import { readPlace, requireSamePlace } from "../../src/platform/db/postgres/server.ts";
import { copyDatabase, silent } from "../harness/engines.ts";
import { onServer } from "../harness/on-server.ts";

it("the place of a database is the same on a standby that is promoted", async () => {
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-pair-"));
  // PostgreSQL refuses to run as root, and runs as a user who must reach it.
  await chmod(folder, 0o755);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const pair = await startPair(folder);
  onTestFinished(pair.stop);
  await pair.createDatabase("place");
  const placeThere = async () => {
    const database = await openDatabase({ url: `${pair.url}/place`, log: silent });
    const { executeSql } = database.raw;
    return requireSamePlace(executeSql)
      .then(() => readPlace(executeSql))
      .finally(database.close);
  };
  const before = await placeThere();
  await pair.failOver("killed");
  // The proxy finds the new primary at its next check.
  await expect.poll(placeThere, { timeout: 30_000, interval: 500 }).toBe(before);
});

it("the place of a database can be read by a role without the right to read that of the cluster", async () => {
  const { where, remove } = await copyDatabase();
  const role = `plain_${randomUUID().replaceAll("-", "")}`;
  onTestFinished(() => onServer(inject("postgresServer"), `drop role ${role}`));
  onTestFinished(remove);
  const database = await openDatabase({ ...where, log: silent });
  const whole = await readPlace(database.raw.executeSql);
  await database.raw.alone(async (run) => {
    await run(`create role ${role}; grant usage on schema shiftpact to ${role}; set role ${role}`);
    expect(await readPlace(run)).toBe(whole);
    await run("reset role; revoke execute on function pg_control_system() from public");
    await run(`set role ${role}`);
    expect(whole.endsWith(`/${await readPlace(run)}`)).toBe(true);
  });
  await database.close();
});
