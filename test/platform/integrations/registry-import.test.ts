import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RegistryImport, RegistryImportStatus } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";
import { type Asked, entryOf, type Reply, startRegistry } from "../../harness/responders.ts";

const PREFER = { Prefer: "respond-async" };
const PAGE = 2;
const PEOPLE = Array.from({ length: 5 }, (_, nth) => entryOf(nth));
const ALL = { imported: 5, updated: 0, skipped: 0, invalid: 0, unreleased: 5, faults: [] };
const NOTHING = { entries: 0, imported: 0, updated: 0, skipped: 0, invalid: 0, unreleased: 0, faults: [] };

describe.each(featureEngines)("an import of a registry, on %s", (engine) => {
  const database = useEngine(engine);
  let harness: Harness;
  let reply: (asked: Asked) => Reply;
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  let params: { path: { providerId: string } };
  const start = () => startHarness(database());
  beforeEach(async () => {
    harness = await start();
    reply = page;
    registry = await startRegistry((asked) => reply(asked));
    params = { path: { providerId: randomUUID() } };
    const body = {
      kind: "tempo",
      name: "Kvarteret",
      routing: "path",
      providerToken: "provider-token",
    } as const;
    ok(
      await harness.operations.createIntegration({
        body: { ...body, ...params.path, baseUrl: registry.url },
      }),
    );
  });
  afterEach(async () => {
    await registry.close();
    await harness.close();
  });

  const page = ({ cursor }: Asked) => {
    const start = Number(cursor ?? 0);
    const isLast = start + PAGE >= PEOPLE.length;
    return {
      candidates: PEOPLE.slice(start, start + PAGE),
      ...(!isLast && { nextCursor: `${start + PAGE}` }),
    };
  };
  /** The provider answers no later page before the returned function is called. */
  const holdSecondPage = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    reply = async (asked) => {
      if (asked.cursor !== null) await promise;
      return page(asked);
    };
    return resolve;
  };
  const run = async () => ok(await harness.operations.importRegistry({ params })) as RegistryImport;
  const request = (header = PREFER) => harness.operations.importRegistry({ params: { ...params, header } });
  const status = async () => ok(await harness.operations.getRegistryImport({ params }));
  const reaches = (wanted: Partial<RegistryImportStatus>) => expect.poll(status).toMatchObject(wanted);
  const cursors = () => registry.asked.map(({ cursor }) => cursor);

  it("shows `none` before the first import", async () => {
    expect(await status()).toEqual({ state: "none", ...NOTHING });
  });

  it("is answered at once where the caller prefers that, and shows how far it is", async () => {
    const release = holdSecondPage();
    const { data, response } = await request();
    expect(response.status).toBe(202);
    expect(data).toMatchObject({ state: "running", startedAt: expect.any(String) });
    await reaches({ state: "running", entries: 2, imported: 2, unreleased: 2 });
    expect(await status()).not.toHaveProperty("expected");
    release();
    await reaches({ state: "done", entries: 5, expected: 5, endedAt: expect.any(String), ...ALL });
  });

  it("expects as many entries as the last complete one has read", async () => {
    await run();
    reply = () => 503;
    await harness.operations.importRegistry({ params });
    expect(await status()).toMatchObject({ state: "failed", entries: 0, expected: 5 });
    const release = holdSecondPage();
    await request();
    await reaches({ state: "running", entries: 2, expected: 5, skipped: 2 });
    release();
    expect(await run()).toEqual({ ...ALL, imported: 0, skipped: 5 });
  });

  it.each([
    ["respond-async", 202],
    ["return=minimal, Respond-Async; wait=10", 202],
    ["wait=10", 200],
    ["not-respond-async", 200],
  ])("with `Prefer: %s` is answered with %d", async (prefer, expected) => {
    expect((await request({ Prefer: prefer })).response.status).toBe(expected);
    await harness.platform.idle();
  });

  it("is one for two requests at once", async () => {
    const release = holdSecondPage();
    const both = [run(), run()];
    await reaches({ entries: 2 });
    await request();
    release();
    expect(await Promise.all(both)).toEqual([ALL, ALL]);
    await harness.platform.idle();
    expect(cursors()).toEqual([null, "2", "4"]);
  });

  it("is one for two processes", async () => {
    const release = holdSecondPage();
    const second = await start();
    await request();
    const joined = await second.operations.importRegistry({ params: { ...params, header: PREFER } });
    expect(joined.data).toMatchObject({ state: "running" });
    release();
    expect(await run()).toEqual(ALL);
    await second.close();
    expect(cursors()).toEqual([null, "2", "4"]);
  });

  it("begins again after a restart, and counts no person twice", async () => {
    const release = holdSecondPage();
    await request();
    await reaches({ entries: 2, imported: 2 });
    const { traceId } = await status();
    await harness.platform.close();
    release();
    harness = await start();
    expect(await run()).toEqual(ALL);
    expect(cursors()).toEqual([null, "2", null, "2", "4"]);
    expect(await status()).toMatchObject({ state: "done", entries: 5, traceId });
  });

  it("is left to the process that has claimed it meanwhile", async () => {
    const release = holdSecondPage();
    await request();
    await reaches({ entries: 2 });
    const work = database().kysely.updateTable("work").where("kind", "=", "registry");
    await work.set({ claim: randomUUID(), dueAt: new Date(Date.now() + HOUR_MS) }).execute();
    release();
    await work.set({ claim: null, dueAt: new Date() }).execute();
    expect(await run()).toEqual(ALL);
    await harness.platform.idle();
    expect(cursors().filter((cursor) => cursor === "4")).toHaveLength(1);
  });

  it("fails once it was interrupted too often", async () => {
    holdSecondPage();
    await request();
    await reaches({ entries: 2 });
    await harness.platform.close();
    await database().kysely.updateTable("work").set({ attempts: 12 }).execute();
    harness = await start();
    await reaches({
      state: "failed",
      imported: 2,
      failure: expect.objectContaining({ code: "internal_error" }),
    });
    reply = page;
    expect(await run()).toEqual({ ...ALL, imported: 3, skipped: 2 });
  });

  it("is tried again after an unexpected error, and fails in the end", async () => {
    const integrations = database().kysely.updateTable("integrations");
    await integrations.set({ providerToken: "sealed by no key" }).execute();
    const { error } = await harness.operations.importRegistry({ params });
    expect(error).toMatchObject({ status: 500, code: "internal_error" });
    expect(await status()).toMatchObject({ state: "failed", entries: 0 });
    expect(cursors()).toEqual([]);
  });

  it("that fails shows the caller and the status the same reason", async () => {
    reply = (asked) => (asked.cursor === null ? page(asked) : 503);
    const { error } = await harness.operations.importRegistry({ params });
    const { code, title, detail } = error ?? {};
    expect(error).toMatchObject({ status: 502, code: "provider_unavailable" });
    const { failure, ...rest } = await status();
    expect(rest).toMatchObject({ state: "failed", entries: 2, imported: 2, unreleased: 2 });
    expect(failure).toEqual({ code, title, detail });
    reply = page;
    expect(await run()).toEqual({ ...ALL, imported: 3, skipped: 2 });
    expect(await status()).not.toHaveProperty("failure");
  });

  it("is tried at once also at a provider that rejects the token", async () => {
    reply = () => 401;
    for (const _ of [1, 2])
      expect((await harness.operations.importRegistry({ params })).error).toMatchObject({ status: 502 });
    expect(cursors()).toEqual([null, null]);
  });

  it("of an organisation that is deleted meanwhile ends with it", async () => {
    holdSecondPage();
    const importing = harness.operations.importRegistry({ params });
    await reaches({ entries: 2 });
    ok(await harness.operations.deleteIntegration({ params }));
    expect((await importing).error).toMatchObject({ code: "provider_not_found" });
    expect((await harness.operations.getRegistryImport({ params })).error).toMatchObject({ status: 404 });
    const { items } = ok(await harness.operations.listCandidates({ params: { query: {} } }));
    expect(items).toEqual([]);
  });
});
