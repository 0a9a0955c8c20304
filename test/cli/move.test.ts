import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { move } from "../../src/cli/move.ts";
import { openDatabase } from "../../src/platform/db/database.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import { copyDatabase, silent } from "../engines.ts";
import { addRows } from "../platform/backup/rows.ts";
import { terminal } from "./terminal.ts";

const secretKey = Buffer.alloc(32, 7);
const TOKEN = "operations-token-of-the-tests";

describe("shiftpact move", () => {
  let dataDir: string;
  let target: Awaited<ReturnType<typeof copyDatabase>>;
  let url: string;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(dirname(inject("pgliteTemplate")), "move-"));
    cpSync(inject("pgliteTemplate"), folder(), { recursive: true });
    const source = await openDatabase({ dataDir: folder(), log: silent });
    await addRows(source, createVault(secretKey), 20).finally(source.close);
    target = await copyDatabase({ empty: true });
    const { host } = new URL(target.where.url);
    // Nothing listens at the first one.
    url = target.where.url.replace(host, `127.0.0.1:9,${host}`);
  });
  afterAll(async () => {
    await target.remove();
    rmSync(dataDir, { recursive: true });
  });

  const folder = () => join(dataDir, "database");
  const mark = () => join(folder(), "moved");

  async function run() {
    const env = { LOG_LEVEL: "silent", SECRET_KEY: secretKey.toString("base64"), OPERATIONS_TOKEN: TOKEN };
    const { io, out, err } = terminal(env);
    const code = await move(["--to", url, "--data", dataDir, "--port", "0"], io);
    return { code, out: out.join("\n"), err };
  }

  it("moves to the server that responds, of several, and marks the folder without the password", async () => {
    expect(await run()).toMatchObject({
      code: 0,
      err: [],
      out: expect.stringMatching(/rows of \d+ tables are moved/),
    });
    const refusal = await openDatabase({ dataDir: folder(), log: silent }).catch((error: Error) => error);
    const { hostname, port, pathname, password } = new URL(target.where.url);
    const { message } = refusal as Error;
    expect(message).toContain(`was moved to PostgreSQL at 127.0.0.1:9,${hostname}:${port}${pathname}:`);
    expect(message).not.toContain(password);
  });

  it("marks the folder when an earlier move had copied everything and was ended before it could", async () => {
    rmSync(mark());
    expect(await run()).toMatchObject({
      code: 0,
      err: [],
      out: expect.stringContaining("were moved before"),
    });
    await expect(openDatabase({ dataDir: folder(), log: silent })).rejects.toThrow("was moved to PostgreSQL");
  });

  it("refuses a database that differs, names the tables, and leaves the folder unchanged", async () => {
    rmSync(mark());
    const client = new pg.Client({ connectionString: target.where.url });
    await client.connect();
    // The same number of rows: only the checksum differs. In the other table, only the number of rows.
    await client.query("update shiftpact.workplaces set name = 'Ward 2' where name = 'Ward 1'");
    await client.query(
      "insert into shiftpact.competences (competence_id, name) values (gen_random_uuid(), 'Cook')",
    );
    await client.end();
    const { code, out, err } = await run();
    expect([code, err]).toEqual([
      1,
      [expect.stringMatching(/is not empty, and differs in competences, workplaces: name an empty one$/)],
    ]);
    expect(out).not.toContain("marked as moved");
    await (await openDatabase({ dataDir: folder(), log: silent })).close();
  });
});
