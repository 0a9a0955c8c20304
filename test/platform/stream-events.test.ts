import { describe, expect, it } from "vitest";
import { schemas } from "../../generated/operations/validators.js";
import { openDatabase } from "../../src/platform/db/database.ts";
import { openSignals } from "../../src/platform/db/signals.ts";
import { publish, type StreamEvent, streamEventOf } from "../../src/platform/stream.ts";
import { transact } from "../../src/platform/transaction.ts";
import { featureEngines, silent, useEngine, withEngine } from "../harness/engines.ts";
import { ok } from "../harness/operations.ts";
import { OPERATIONS_TOKEN, useHarness } from "../harness/platform.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };

const job = (shiftId: string): StreamEvent => ({
  type: "job",
  jobId: "j",
  providerId: "p",
  shiftId,
  status: "open",
});

/** Reads the stream, collects its messages, and fails unless each matches its schema in the operations document. */
async function follow(url: string, token = OPERATIONS_TOKEN) {
  const abort = new AbortController();
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/operations/v1/stream`, { headers, signal: abort.signal });
  const messages: { type: string; data: Record<string, unknown> }[] = [];
  const violations: string[] = [];
  let text = "";
  const ended = (async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const [, type, data] = /^event: (\w+)\ndata: (.+)$/.exec(part) ?? [];
        if (!type || !data) continue;
        messages.push({ type, data: JSON.parse(data) });
        if (!schemas.StreamEvent({ event: type, data: JSON.parse(data) })) violations.push(part);
      }
    }
  })().catch(() => undefined);
  const leave = async () => {
    abort.abort();
    await ended;
    expect(violations).toEqual([]);
  };
  return { response, messages, ended, leave };
}

/** A message of a type, with at least these members. */
const message = (type: string, data: object) => ({ type, data: expect.objectContaining(data) });

describe.each(featureEngines)("the stream on %s", (engine) => {
  const harness = useHarness(engine);

  /** A job that is open, a candidate who holds its offer, and the stream from then on. */
  async function open() {
    const { platform } = harness();
    const registered = await harness().onboard({ connect: false });
    const { provider, trySend, findJob, addPerson } = registered;
    const { candidateId } = await addPerson();
    const stream = await follow(platform.url);
    const has = (type: string, data: object) =>
      expect.poll(() => stream.messages).toContainEqual(message(type, data));
    const { shiftId } = provider.createShift();
    await trySend(shiftId);
    await platform.idle();
    const { jobId = "" } = (await findJob(shiftId)) ?? {};
    // A signal may arrive later than what it reports is committed.
    await has("notification", { jobId, kind: "job_offered" });
    stream.messages.splice(0);
    /** What was sent of a type, in its order; what came before is forgotten. */
    const sent = (type: string) => {
      const of = stream.messages.filter((each) => each.type === type);
      stream.messages.splice(0);
      return of.map(({ data }) => data);
    };
    const seat = { params: { path: { jobId, candidateId } } };
    return { ...registered, ...stream, shiftId, jobId, candidateId, seat, has, sent };
  }

  it("reports everything that is committed, with ids and states only", async () => {
    const { platform, operations } = harness();
    const { provider, trySend, findJob, addPerson } = await harness().onboard({ connect: false });
    const { candidateId, personalNumber } = await addPerson();
    const { response, messages, leave } = await follow(platform.url);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const { providerId } = provider;
    const { shiftId } = provider.createShift();
    await trySend(shiftId);
    await platform.idle();
    const { jobId = "" } = (await findJob(shiftId)) ?? {};
    await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
    provider.setFault("end-before-start", { times: 1 });
    await trySend(shiftId, undefined, "shift.update");
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
    expect(JSON.stringify(messages)).not.toMatch(/Robin|robin|\+467|detail|content|params|subject/);
    expect(JSON.stringify(messages)).not.toContain(personalNumber);
    await leave();
  });

  it("reports a withdrawal when it is requested and when it is carried out, and the offer that it makes", async () => {
    const { operations } = harness();
    const { provider, jobId, candidateId, seat, has, sent, leave } = await open();
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

  it("reports each offer that is withdrawn, once", async () => {
    const { platform, operations } = harness();
    const { jobId, candidateId, has, sent, leave } = await open();
    const offer = { jobId, candidateId, kind: "job_offered", deliveredAt: null };
    const { data } = await operations.listNotifications({ params: { query: { jobId } } });
    await operations.cancelJob({ params: { path: { jobId } } });
    await has("job", { jobId, status: "cancelled" });
    await platform.idle();
    const notificationId = data?.items[0]?.notificationId;
    expect(sent("notification")).toEqual([{ notificationId, ...offer }]);
    await leave();
  });

  it("reports a job whose people the provider assigned itself, and who cancelled it", async () => {
    const { platform, operations } = harness();
    const { provider, shiftId, jobId, trySend, has, sent, leave, findJob } = await open();
    const { id } = provider.addCandidate({ personalNumber: published.personnummer[4] ?? "" });
    provider.assign(shiftId, id);
    await trySend(shiftId, undefined, "shift.update");
    await has("job", { jobId, status: "filled" });
    expect(await findJob(shiftId)).toMatchObject({ ownPeopleCount: 1 });
    await platform.idle();
    sent("job");
    provider.deleteShift(shiftId);
    await trySend(shiftId, undefined, "shift.delete");
    await has("job", { jobId, status: "cancelled" });
    expect(ok(await operations.getJob({ params: { path: { jobId } } })).cancelledBy).toBe("absence");
    await leave();
  });

  it("reports an event that was mistaken for an echo", async () => {
    const { operations } = harness();
    const { provider, shiftId, jobId, trySend, has, sent, leave } = await open();
    provider.setFault("error-500", { operations: ["cancelShift"] });
    await operations.cancelJob({ params: { path: { jobId } } });
    await trySend(shiftId, undefined, "shift.delete");
    await has("event", { shiftId, status: "skipped_echo" });
    sent("event");
    provider.clearFaults();
    provider.setFault("cancel-refused");
    await has("event", { shiftId, status: "queued" });
    // The shift is still there, after every recheck.
    await has("event", { shiftId, status: "ignored" });
    await leave();
  });

  it("reports issues that a mapping settles", async () => {
    const { platform, operations } = harness();
    const { provider, params, competenceId, trySend, has, leave } = await open();
    const { providerId } = provider;
    const { shiftId } = provider.createShift({ roleId: "a-new-role" });
    await trySend(shiftId);
    await has("issue", { providerId, code: "role_not_mapped", resolvedAt: null });
    const body = { outlets: [], roles: [{ roleId: "a-new-role", competenceId }] };
    await operations.updateMappings({ params, body });
    await has("issue", { providerId, code: "role_not_mapped", resolvedAt: expect.any(String) });
    await has("job", { providerId, shiftId, status: "open" });
    await platform.idle();
    await leave();
  });

  it("reports the state and health of an integration", async () => {
    const { operations, platform } = harness();
    const { provider, params, shiftId, trySend, has, leave } = await open();
    const { providerId, token: providerToken } = provider;
    ok(await operations.suspendIntegration({ params }));
    await has("integration", { providerId, state: "suspended", health: "reachable" });
    ok(await operations.activateIntegration({ params }));
    await has("integration", { providerId, state: "active", health: "reachable" });
    provider.setFault("token-rejected");
    await trySend(shiftId, undefined, "shift.update");
    await has("integration", { providerId, state: "active", health: "token_rejected" });
    provider.clearFaults();
    ok(await operations.rotateToken({ params, body: { direction: "provider", providerToken } }));
    await has("integration", { providerId, state: "active", health: "reachable" });
    await platform.idle();
    const { provider: another } = await harness().onboard({ connect: false, activate: false });
    await has("integration", { providerId: another.providerId, state: "draft", health: "reachable" });
    await leave();
  });

  it("requires the token", async () => {
    const answer = await fetch(`${harness().platform.url}/operations/v1/stream`);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: "unauthorized" });
  });

  it("answers 503 to the 21st reader of an operator", async () => {
    const { operations, platform, send } = harness();
    const { token } = ok(await operations.createOperator({ body: { name: "Ada", role: "viewer" } }));
    const readers = await Promise.all(Array.from({ length: 20 }, () => follow(platform.url, token)));
    expect(readers.map(({ response }) => response.status)).toEqual(Array(20).fill(200));
    const refused = await send("/operations/v1/stream", { authorization: `Bearer ${token}` });
    expect(refused).toMatchObject({ status: 503, body: { code: "overloaded" } });
    await Promise.all(readers.map(({ leave }) => leave()));
  });
});

describe.each(featureEngines)("published events on %s", (engine) => {
  const database = useEngine(engine);

  it("are received when the transaction commits, and not when it rolls back", async () => {
    const signals = await openSignals(database());
    const heard: string[] = [];
    const stop = signals.subscribe({ onTopics: (topics) => heard.push(...topics), onGap: () => undefined });
    const rolledBack = transact({ database: database() }, async (trx) => {
      publish(trx, job("a"));
      throw new Error("rolled back");
    });
    await rolledBack.catch(() => undefined);
    await transact({ database: database() }, async (trx) => publish(trx, job("b")));
    await expect.poll(() => heard.map(streamEventOf)).toEqual([job("b")]);
    stop();
    await transact({ database: database() }, async (trx) => publish(trx, job("c")));
    await signals.close();
    expect(heard).toHaveLength(1);
  });

  it("are received complete and in order, however many one transaction publishes", async () => {
    const signals = await openSignals(database());
    const heard: string[] = [];
    signals.subscribe({ onTopics: (topics) => heard.push(...topics), onGap: () => undefined });
    const all = Array.from({ length: 500 }, (_, nth) => job(`${nth} ${"å".repeat(100)}`));
    await transact({ database: database() }, async (trx) => {
      for (const one of all) publish(trx, one);
    });
    await expect.poll(() => heard.length).toBe(all.length);
    expect(heard.map(streamEventOf)).toEqual(all);
    await signals.close();
  });
});

it("publishes events to every process on the database", async () => {
  await withEngine("postgres", async (database) => {
    const other = await openDatabase({ ...database.where, log: silent });
    const [here, there] = [await openSignals(database), await openSignals(other)];
    const heard: string[] = [];
    there.subscribe({ onTopics: (topics) => heard.push(...topics), onGap: () => undefined });
    await transact({ database }, async (trx) => publish(trx, job("a")));
    await expect.poll(() => heard).toHaveLength(1);
    await Promise.all([here.close(), there.close()]);
    await other.close();
  });
});
