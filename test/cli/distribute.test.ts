import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { afterRestore } from "../../src/cli/after-restore.ts";
import { distribute } from "../../src/cli/distribute.ts";
import { openDatabase } from "../../src/platform/db/database.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import { type CitusTemplate, isOnCitus, makeEmptyCitus } from "../harness/citus.ts";
import { hasPgDump, pgDump, pgRestore } from "../harness/embedded-postgres.ts";
import { copyDatabase, silent } from "../harness/engines.ts";
import { TEMPLATE } from "../harness/global-setup.ts";
import { addRows, digestsOf } from "../harness/many-rows.ts";
import { terminal } from "../harness/terminal.ts";

const run = async (env: Record<string, string>) => {
  const { io, out, err } = terminal({ LOG_LEVEL: "silent", ...env });
  return { code: await distribute([], io), out, err };
};

describe("shiftpact distribute", () => {
  let url: string;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const copy = await copyDatabase({ options: `template ${TEMPLATE}` });
    [url, remove] = [copy.where.url, copy.remove];
  });
  afterEach(() => remove());

  it("refuses a database without the extension", async () => {
    expect(await run({ DATABASE_URL: url })).toEqual({
      code: 2,
      out: [],
      err: [expect.stringMatching(/^shiftpact distribute: the database has no extension citus: create it/)],
    });
  });

  it("refuses the embedded database", async () => {
    expect(await run({})).toEqual({
      code: 2,
      out: [],
      err: [expect.stringMatching(/^shiftpact distribute: DATABASE_URL is not set/)],
    });
  });

  it("refuses a database without tables", async () => {
    const copy = await copyDatabase({ empty: true });
    const refused = await run({ DATABASE_URL: copy.where.url });
    await copy.remove();
    expect(refused).toMatchObject({ code: 3, err: [expect.stringMatching(/run `shiftpact migrate`/)] });
  });
});

/** Left out unless CITUS_URL names a database with the extension (the guide for contributors). */
describe.skipIf(!isOnCitus)("a database on Citus", () => {
  it("is distributed once, and then reported as done", async () => {
    const { where, remove } = await copyDatabase();
    const done = { code: 0, out: ["done already: the tables are distributed"], err: [] };
    expect(await run({ DATABASE_URL: where.url })).toEqual(done);
    await remove();
  });

  it.runIf(hasPgDump)("is restored from a dump into an empty one, which is then distributed", async () => {
    const [source, target] = [
      await copyDatabase(),
      await makeEmptyCitus(inject("citus") as CitusTemplate, "test_restored"),
    ];
    const folder = await mkdtemp(join(tmpdir(), "shiftpact-distributed-"));
    const digests = async (url: string) => {
      const database = await openDatabase({ url, log: silent });
      return digestsOf(database).finally(database.close);
    };
    const database = await openDatabase({ ...source.where, log: silent });
    await addRows(database, createVault(randomBytes(32)));
    await database.close();
    await pgDump(source.where.url, join(folder, "file"));
    await pgRestore(join(folder, "file"), target.where.url);
    const env = { LOG_LEVEL: "silent", DATABASE_URL: target.where.url };
    const { io, err } = terminal(env);
    expect([await afterRestore([], io), err]).toEqual([0, []]);
    const restored = await digests(target.where.url);
    expect(await run(env)).toMatchObject({ code: 0, err: [] });
    expect(await digests(target.where.url)).toEqual(restored);
    expect(Object.keys(restored)).toEqual(Object.keys(await digests(source.where.url)));
    for (const each of [source, target]) await each.remove();
    await rm(folder, { recursive: true });
  });
});
