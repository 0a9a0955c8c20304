import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/platform/db/database.ts";
import { openSignals } from "../../../src/platform/db/signals.ts";
import { tellNews } from "../../../src/platform/stream/news.ts";
import { featureEngines, silent, useEngine, withEngine } from "../../engines.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { useRunning } from "../integrations/running.ts";

/** Reads the stream and answers the messages of a type as they come. */
async function follow(url: string) {
  const abort = new AbortController();
  const headers = { Authorization: "Bearer operations-token-of-the-tests" };
  const response = await fetch(`${url}/operations/v1/stream`, { headers, signal: abort.signal });
  const messages: { type: string; data: Record<string, unknown> }[] = [];
  let text = "";
  const ended = (async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const [, type, data] = /^event: (\w+)\ndata: (.+)$/.exec(part) ?? [];
        if (type && data) messages.push({ type, data: JSON.parse(data) });
      }
    }
  })().catch(() => undefined);
  const leave = () => {
    abort.abort();
    return ended;
  };
  return { response, messages, ended, leave };
}

describe.each(featureEngines)("the stream on %s", (engine) => {
  const running = useRunning(engine);

  it("tells of everything that is committed, with ids and states only", async () => {
    const { platform, operations } = running();
    const { provider, tell, job, addPerson } = await running().register();
    const candidateId = await addPerson(published.personnummer[0] ?? "");
    const { response, messages, leave } = await follow(platform.url);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const { providerId } = provider;
    const { shiftId } = provider.createShift();
    await tell(shiftId);
    await platform.idle();
    const { jobId = "" } = (await job(shiftId)) ?? {};
    await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
    provider.setFault("end-before-start", { times: 1 });
    await tell(shiftId, undefined, "shift.update");
    const has = (type: string, data: object) =>
      expect.poll(() => messages).toContainEqual({ type, data: expect.objectContaining(data) });
    await has("event", { providerId, shiftId, status: "queued" });
    await has("event", { providerId, shiftId, status: "processed" });
    await has("job", { jobId, providerId, shiftId, status: "open" });
    await has("notification", { jobId, candidateId, kind: "job_offered", deliveredAt: null });
    await has("booking", { jobId, candidateId, status: "pending" });
    await has("booking", { jobId, candidateId, status: "confirmed" });
    await has("job", { jobId, providerId, shiftId, status: "filled" });
    await has("issue", { providerId, code: "shift_unusable", resolvedAt: null });
    expect(JSON.stringify(messages)).not.toMatch(/Robin|robin|189001|\+467|detail|content/);
    await leave();
  });

  it("is for those with the token", async () => {
    const answer = await fetch(`${running().platform.url}/operations/v1/stream`);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: "unauthorized" });
  });
});

describe.each(featureEngines)("news on %s", (engine) => {
  const database = useEngine(engine);

  it("is heard when it is committed, and not when it is taken back", async () => {
    const signals = await openSignals(database());
    const heard: string[] = [];
    const stop = signals.subscribe({ onTopic: (topic) => heard.push(topic), onGap: () => undefined });
    const news = (entries: number) => ({ type: "import", entries }) as const;
    const { kysely } = database();
    await kysely
      .transaction()
      .execute(async (trx) => {
        await tellNews(trx, signals, news(1));
        throw new Error("taken back");
      })
      .catch(() => undefined);
    await kysely.transaction().execute((trx) => tellNews(trx, signals, news(2)));
    await expect.poll(() => heard).toEqual(['news {"type":"import","entries":2}']);
    stop();
    await kysely.transaction().execute((trx) => signals.emit(trx, "last"));
    await signals.close();
    expect(heard).toHaveLength(1);
  });

  it("does not come of storing an event: an acknowledgement waits for that", async () => {
    const { raw } = database();
    const { rows } = await raw.executeSql(
      `select tgname from pg_trigger where tgrelid = 'shiftpact.events'::regclass
         and not tgisinternal and tgtype & 4 <> 0`,
    );
    expect(rows).toEqual([]);
  });
});

it("is heard by another process on the database", async () => {
  await withEngine("postgres", async (database) => {
    const other = await openDatabase({ ...database.where, log: silent });
    const [here, there] = [await openSignals(database), await openSignals(other)];
    const heard: string[] = [];
    there.subscribe({ onTopic: (topic) => heard.push(topic), onGap: () => undefined });
    await database.kysely
      .transaction()
      .execute((trx) => tellNews(trx, here, { type: "job", jobId: "j1", status: "open" }));
    await expect.poll(() => heard).toHaveLength(1);
    await Promise.all([here.close(), there.close()]);
    await other.close();
  });
});
