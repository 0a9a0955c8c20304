import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FAILURES, type Pair, startPair } from "../../scripts/chaos/pair.ts";

let folder: string;
let pair: Pair;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shiftpact-pair-"));
  // PostgreSQL may run as a separate user.
  await chmod(folder, 0o755);
  pair = await startPair(folder);
  await pair.createDatabase("pair");
  await query("create table marks (mark text)");
});
afterAll(async () => {
  await pair.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Queries through the proxy, on a new connection. */
async function query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: `${pair.url}/pair` });
  client.on("error", () => undefined);
  await client.connect();
  return client.query(text, values).then(
    async ({ rows }) => {
      await client.end();
      return rows;
    },
    (error) => {
      client.end().catch(() => undefined);
      throw error;
    },
  );
}

/** Retries, as a pool does, until a connection reaches the new primary. */
async function untilWritten(mark: string): Promise<void> {
  for (;;) {
    try {
      await query("insert into marks values ($1)", [mark]);
      return;
    } catch {
      await sleep(20);
    }
  }
}

describe("a primary and its synchronous standby, behind haproxy", () => {
  it.each(FAILURES)(
    "keeps what was committed when the primary is %s, and accepts new rows",
    async (failure) => {
      await query("insert into marks values ($1)", [`before: ${failure}`]);
      await pair.failOver(failure);
      await untilWritten(`after: ${failure}`);
      const rows = await query("select mark from marks where mark like $1 order by 1", [`%: ${failure}`]);
      expect(new Set(rows.map(({ mark }) => mark))).toEqual(
        new Set([`before: ${failure}`, `after: ${failure}`]),
      );
    },
  );

  it("commits nothing that its standby does not have", async () => {
    const standby = await pair.standby();
    standby.signal("SIGSTOP");
    try {
      const committed = query("insert into marks values ('alone')").then(() => "committed");
      expect(await Promise.race([committed, sleep(200, "waits")])).toBe("waits");
      standby.signal("SIGCONT");
      expect(await committed).toBe("committed");
    } finally {
      standby.signal("SIGCONT");
    }
  });
});
