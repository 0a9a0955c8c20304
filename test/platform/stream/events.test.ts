import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/platform/db/database.ts";
import { openSignals } from "../../../src/platform/db/signals.ts";
import { publish, streamEventOf } from "../../../src/platform/stream/stream.ts";
import { transact } from "../../../src/platform/transaction.ts";
import { featureEngines, silent, useEngine, withEngine } from "../../engines.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { ok, useRunning } from "../integrations/running.ts";

/** Reads the stream; collects its messages as they come. */
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

/** A message of a type, with at least these members. */
const message = (type: string, data: object) => ({ type, data: expect.objectContaining(data) });

describe.each(featureEngines)("the stream on %s", (engine) => {
  const running = useRunning(engine);

  /** A job that is open, a candidate who holds its offer, and the stream from then on. */
  async function open(nth: number) {
    const { platform } = running();
    const registered = await running().register();
    const { provider, tell, job, addPerson } = registered;
    const candidateId = await addPerson(published.personnummer[nth] ?? "");
    const { shiftId } = provider.createShift();
    await tell(shiftId);
    await platform.idle();
    const { jobId = "" } = (await job(shiftId)) ?? {};
    const stream = await follow(platform.url);
    const has = (type: string, data: object) =>
      expect.poll(() => stream.messages).toContainEqual(message(type, data));
    /** What was sent of a type, in its order; what came before is forgotten. */
    const sent = (type: string) => {
      const of = stream.messages.filter((each) => each.type === type);
      stream.messages.splice(0);
      return of.map(({ data }) => data);
    };
    const seat = { params: { path: { jobId, candidateId } } };
    return { ...registered, ...stream, shiftId, jobId, candidateId, seat, has, sent };
  }

  it("reports every commit with ids and states only", async () => {
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
      expect.poll(() => messages).toContainEqual(message(type, data));
    await has("event", { providerId, shiftId, status: "queued" });
    await has("event", { providerId, shiftId, status: "processed" });
    await has("job", { jobId, providerId, shiftId, status: "open" });
    await has("notification", { jobId, candidateId, kind: "job_offered", deliveredAt: null });
    await has("booking", { jobId, candidateId, status: "pending" });
    await has("booking", { jobId, candidateId, status: "confirmed" });
    await has("job", { jobId, providerId, shiftId, status: "filled" });
    await has("issue", { providerId, code: "shift_unusable", resolvedAt: null });
    expect(JSON.stringify(messages)).not.toMatch(/Robin|robin|189001|\+467|detail|content|params|subject/);
    await leave();
  });

  it("reports a withdrawal when it is requested and when it is carried out, and the resulting offer", async () => {
    const { operations } = running();
    const { provider, jobId, candidateId, seat, has, sent, leave } = await open(1);
    await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
    await has("job", { jobId, status: "filled" });
    expect(sent("booking").map(({ status }) => status)).toEqual(["pending", "pending", "confirmed"]);
    provider.setFault("error-500", { operations: ["unassignCandidate"], times: 1 });
    await operations.withdrawBooking(seat);
    await has("job", { jobId, status: "open" });
    // Requested; in doubt, as often as the call was made; known; carried out.
    const bookings = sent("booking").map(({ status }) => status);
    expect(bookings[0]).toBe("confirmed");
    expect(bookings.length).toBeGreaterThan(3);
    expect(bookings.at(-1)).toBe("released");
    await leave();
  });

  it("reports each withdrawn offer once", async () => {
    const { platform, operations } = running();
    const { jobId, candidateId, has, sent, leave } = await open(2);
    const offer = { jobId, candidateId, kind: "job_offered", deliveredAt: null };
    const { data } = await operations.listNotifications({ params: { query: { jobId } } });
    await operations.cancelJob({ params: { path: { jobId } } });
    await has("job", { jobId, status: "cancelled" });
    await platform.idle();
    const notificationId = data?.items[0]?.notificationId;
    expect(sent("notification")).toEqual([{ notificationId, ...offer }]);
    await leave();
  });

  it("reports a job with people assigned by the provider, and who cancelled it", async () => {
    const { platform, operations } = running();
    const { provider, shiftId, jobId, tell, has, sent, leave, job } = await open(3);
    const { id } = provider.addCandidate({ personalNumber: published.personnummer[4] ?? "" });
    provider.assign(shiftId, id);
    await tell(shiftId, undefined, "shift.update");
    await has("job", { jobId, status: "filled" });
    expect(await job(shiftId)).toMatchObject({ ownPeopleCount: 1 });
    await platform.idle();
    sent("job");
    provider.deleteShift(shiftId);
    await tell(shiftId, undefined, "shift.delete");
    await has("job", { jobId, status: "cancelled" });
    expect(ok(await operations.getJob({ params: { path: { jobId } } })).cancelledBy).toBe("absence");
    await leave();
  });

  it("reports an event that was skipped as an echo and then requeued", async () => {
    const { operations } = running();
    const { provider, shiftId, jobId, tell, has, sent, leave } = await open(5);
    provider.setFault("error-500", { operations: ["cancelShift"] });
    await operations.cancelJob({ params: { path: { jobId } } });
    await tell(shiftId, undefined, "shift.delete");
    await has("event", { shiftId, status: "skipped_echo" });
    sent("event");
    provider.clearFaults();
    provider.setFault("cancel-refused");
    await has("event", { shiftId, status: "queued" });
    // The shift is still there, after every recheck.
    await has("event", { shiftId, status: "ignored" });
    await leave();
  });

  it("reports issues that a mapping resolves", async () => {
    const { platform, operations } = running();
    const { provider, params, competenceId, tell, has, leave } = await open(6);
    const { providerId } = provider;
    const { shiftId } = provider.createShift({ roleId: "a-new-role" });
    await tell(shiftId);
    await has("issue", { providerId, code: "role_not_mapped", resolvedAt: null });
    const body = { outlets: [], roles: [{ roleId: "a-new-role", competenceId }] };
    await operations.updateMappings({ params, body });
    await has("issue", { providerId, code: "role_not_mapped", resolvedAt: expect.any(String) });
    await has("job", { providerId, shiftId, status: "open" });
    await platform.idle();
    await leave();
  });

  it("reports the state and health of an integration", async () => {
    const { operations, platform } = running();
    const { provider, params, shiftId, tell, has, leave } = await open(7);
    const { providerId, token: providerToken } = provider;
    ok(await operations.suspendIntegration({ params }));
    await has("integration", { providerId, state: "suspended", health: "reachable" });
    ok(await operations.activateIntegration({ params }));
    await has("integration", { providerId, state: "active", health: "reachable" });
    provider.setFault("token-rejected");
    await tell(shiftId, undefined, "shift.update");
    await has("integration", { providerId, state: "active", health: "token_rejected" });
    provider.clearFaults();
    ok(await operations.rotateToken({ params, body: { direction: "provider", providerToken } }));
    await has("integration", { providerId, state: "active", health: "reachable" });
    await platform.idle();
    const { provider: another } = await running().register({ activate: false });
    await has("integration", { providerId: another.providerId, state: "draft", health: "reachable" });
    await leave();
  });

  it("requires the token", async () => {
    const answer = await fetch(`${running().platform.url}/operations/v1/stream`);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: "unauthorized" });
  });
});

describe.each(featureEngines)("a stream event on %s", (engine) => {
  const database = useEngine(engine);

  it("is received when it is committed, and not when it is rolled back", async () => {
    const signals = await openSignals(database());
    const heard: string[] = [];
    const stop = signals.subscribe({ onTopics: (topics) => heard.push(...topics), onGap: () => undefined });
    const news = (entries: number) => ({ type: "import", entries }) as const;
    const takenBack = transact({ database: database() }, async (trx) => {
      publish(trx, news(1));
      throw new Error("taken back");
    });
    await takenBack.catch(() => undefined);
    await transact({ database: database() }, async (trx) => publish(trx, news(2)));
    await expect.poll(() => heard).toEqual(['news {"type":"import","entries":2}']);
    stop();
    await transact({ database: database() }, async (trx) => publish(trx, news(3)));
    await signals.close();
    expect(heard).toHaveLength(1);
  });

  it("is received in full and in order, however many a transaction publishes", async () => {
    const signals = await openSignals(database());
    const heard: string[] = [];
    signals.subscribe({ onTopics: (topics) => heard.push(...topics), onGap: () => undefined });
    const all = Array.from(
      { length: 500 },
      (_, entries) => ({ type: "import", entries, shiftId: "å".repeat(100) }) as const,
    );
    await transact({ database: database() }, async (trx) => {
      for (const one of all) publish(trx, one);
    });
    await expect.poll(() => heard.length).toBe(all.length);
    expect(heard.map(streamEventOf)).toEqual(all);
    await signals.close();
  });
});

it("is received by another process on the database", async () => {
  await withEngine("postgres", async (database) => {
    const other = await openDatabase({ ...database.where, log: silent });
    const [here, there] = [await openSignals(database), await openSignals(other)];
    const heard: string[] = [];
    there.subscribe({ onTopics: (topics) => heard.push(...topics), onGap: () => undefined });
    await transact({ database }, async (trx) => publish(trx, { type: "job", jobId: "j1", status: "open" }));
    await expect.poll(() => heard).toHaveLength(1);
    await Promise.all([here.close(), there.close()]);
    await other.close();
  });
});
