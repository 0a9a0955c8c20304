import { sql } from "kysely";
import { describe, expect, inject, it } from "vitest";
import { MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { useEngine } from "../../harness/engines.ts";
import { onServer } from "../../harness/on-server.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { startHarness } from "../../harness/platform.ts";

const MANY = Array.from({ length: 20 }, (_, nth) => nth);

/** Left out unless CITUS_URL names a database with the extension (the guide for contributors). */
describe.runIf(isOnCitus)("while a worker is away, on postgres", () => {
  const database = useEngine("postgres");

  const workerOf = async ({ providerId }: Organisation): Promise<string> => {
    const { rows } = await sql<{ host: string }>`
      select nodename || ':' || nodeport as host from pg_dist_placement join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('shiftpact.events', ${providerId}::uuid)`.execute(
      database().kysely,
    );
    const server = inject("citus")?.servers.find((each) => each.endsWith(`@${rows[0]?.host}`));
    if (!server) throw new Error("the organisation is on no worker");
    return server;
  };

  it("webhooks of the organisations on the others are stored, whether their tokens are known or looked up", async () => {
    let at: number | undefined;
    const harness = await startHarness(database(), { now: () => new Date(at ?? Date.now()) });
    const there = await harness.onboard();
    const lost = await workerOf(there);
    let here = await harness.onboard();
    while ((await workerOf(here)) === lost) here = await harness.onboard();
    const send = () => Promise.all(MANY.map(async (nth) => [here, there][nth % 2]?.trySend(`shift ${nth}`)));
    // Known tokens stay known.
    at = Date.now();
    expect(await send()).toEqual(MANY.map(() => 200));
    const name = new URL(database().where.url ?? "").pathname.slice(1);
    await onServer(lost, `alter database ${name} allow_connections false`);
    await onServer(
      lost,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
    );
    const sendTwice = async () => {
      const known = await send();
      at = Date.now() + MINUTE_MS;
      return [known, await send()];
    };
    const replies = await sendTwice().finally(() =>
      onServer(lost, `alter database ${name} allow_connections true`),
    );
    const expected = MANY.map((nth) => [200, 503][nth % 2]);
    expect(replies).toEqual([expected, expected]);
    await expect.poll(send, { timeout: 20_000 }).toEqual(MANY.map(() => 200));
    await harness.close();
  });
});
