import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { createUpkeep } from "../../../src/platform/upkeep/upkeep.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { depsFor } from "../../harness/deps.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { onServer } from "../../harness/on-server.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { startHarness } from "../../harness/platform.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

describe.each(featureEngines)("an event that ended days ago, on %s", (engine) => {
  const database = useEngine(engine);
  const traceId = randomUUID();
  let organisation: StartedOrganisation;
  let shiftId: string;
  let eventId: string;
  let reads: number;

  beforeEach(async () => {
    organisation = await startOrganisation(database());
    ({ shiftId } = organisation.provider.createShift());
    await organisation.process("shift.create", shiftId, traceId);
    const later = new Date(Date.now() + 5 * DAY_MS);
    const deps = depsFor(database(), { now: () => later });
    expect(await createUpkeep(deps).run()).toMatchObject({ eventsLogged: 1 });
    [{ eventId } = { eventId: "" }] = await events();
    reads = 0;
    organisation.onTheWay = async ({ method, path }, pass) => {
      await pass();
      if (method === "GET" && path.startsWith("/shifts/")) reads += 1;
    };
  });
  afterEach(() => organisation.close());

  const events = async () =>
    ok(await organisation.operations.listEvents({ params: { query: { shiftId } } })).items;
  const path = () => ({ params: { path: { eventId } } });

  it("is still listed and found by id, with its trace", async () => {
    expect(await events()).toMatchObject([
      { traceId, status: "processed", verdict: { code: "job_created" } },
    ]);
    expect(ok(await organisation.operations.getEvent(path()))).toMatchObject({ eventId, traceId });
    const { steps } = ok(await organisation.operations.getTrace({ params: { path: { traceId } } }));
    expect(steps[0]).toMatchObject({ step: "webhook", verdict: { code: "stored" } });
    expect(steps.length).toBeGreaterThan(2);
  });

  it("is not processed again when the provider repeats it", async () => {
    await organisation.process("shift.create", shiftId, traceId);
    expect(await events()).toMatchObject([{ eventId, status: "processed" }]);
    expect(reads).toBe(0);
    // Another event of the same shift is.
    await organisation.process("shift.update", shiftId, traceId);
    expect(await events()).toHaveLength(2);
    expect(reads).toBeGreaterThan(0);
  });

  it("can be replayed", async () => {
    expect(ok(await organisation.operations.replayEvent(path()))).toEqual({ queued: 1 });
    await organisation.idle();
    expect(reads).toBe(1);
    expect(await events()).toMatchObject([{ eventId, status: "processed" }]);
    expect(await organisation.verdicts(traceId)).toContain("event: requeued");
  });
});

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
