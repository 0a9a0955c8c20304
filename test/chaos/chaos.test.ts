import { cpSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { chaos } from "../../scripts/chaos/run.ts";
import { startPostgres } from "../harness/embedded-postgres.ts";
import { engines } from "../harness/engines.ts";

const KILLS = 2;
const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "shiftpact-chaos-"));
  // PostgreSQL may run as a separate user.
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The short form of `npm run chaos`. */
describe.each(engines)(`a platform that is killed repeatedly, on %s (seed ${seed})`, (engine) => {
  it("loses nothing, doubles nothing, and agrees with the providers at the end", async () => {
    const dataDir = join(folder, "platform");
    await mkdir(dataDir);
    if (engine === "pglite") cpSync(inject("pgliteTemplate"), join(dataDir, "database"), { recursive: true });
    const server =
      engine === "postgres" ? await startPostgres({ databaseDir: join(folder, "pg") }) : undefined;
    try {
      await server?.createDatabase("chaos");
      const postgres = server && { postgres: { server, database: "chaos" } };
      const report = await chaos({
        engine,
        seed,
        dataDir,
        ...postgres,
        kills: KILLS,
        budgetMs: 60_000,
        fast: true,
        providers: 1,
      });
      expect(report.findings).toEqual([]);
      expect(report.kills).toBeGreaterThanOrEqual(KILLS);
    } finally {
      await server?.stop();
    }
  });
});

it(`the chaos run reports a platform that only acknowledges (seed ${seed})`, async () => {
  const dataDir = join(folder, "platform");
  cpSync(inject("pgliteTemplate"), join(dataDir, "database"), { recursive: true });
  const { findings } = await chaos({
    engine: "pglite",
    seed,
    dataDir,
    kills: 0,
    budgetMs: 3_000,
    fast: true,
    providers: 1,
    entry: fileURLToPath(new URL("./correct-reading.ts", import.meta.url)),
  });
  const kinds = findings.map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(["lost", "too few"]));
});
