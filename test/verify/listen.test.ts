import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { createWebhookClient } from "../../src/clients/webhook-client.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { codes } from "../../src/verify/codes/codes.ts";
import { webhookCodes } from "../../src/verify/codes/run.ts";
import { HOLD_MS, LIMIT_MS } from "../../src/verify/listen/webhook-receiver.ts";
import { CREATE, codesIn, DELETE, post, startListening, TOKEN, UPDATE } from "../harness/webhook-listener.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

type Listening = Awaited<ReturnType<typeof startListening>>;

async function start(options?: Parameters<typeof startListening>[0]): Promise<Listening> {
  const listening = await startListening(options);
  open.push(async () => {
    listening.stop();
    await listening.finished;
  });
  return listening;
}

/** Gives up as soon as its response is delayed, and retries immediately, so that no test depends on time limits. */
const impatient = ({ untilSeen, pass }: Listening) => ({
  schedule: [0, 0, 0],
  wait: async (ms: number) => {
    if (ms >= LIMIT_MS) pass(LIMIT_MS);
  },
  fetch: (request: Request) => {
    const timeout = new AbortController();
    void untilSeen("held").then(() => timeout.abort());
    return fetch(request, { signal: timeout.signal });
  },
});

/** Sends an event that gets a 429, and again once the time of Retry-After is over. */
async function postLimited({ url, untilSeen, pass }: Listening): Promise<void> {
  const limited = untilSeen(429);
  expect((await post(url, { body: DELETE })).status).toBe(429);
  await limited;
  pass(LIMIT_MS);
  await post(url, { body: DELETE });
}

describe("a correct sender", () => {
  it.each([undefined, "tempo"])(
    "of kind %s gets no finding, and the listener ends automatically",
    async (kind) => {
      const listening = await start();
      const { url, finished, seen } = listening;
      const client = createWebhookClient({
        platformUrl: url,
        token: TOKEN,
        ...impatient(listening),
        ...(kind !== undefined && { kind }),
      });
      const deliveries = [];
      for (const event of [CREATE, UPDATE, DELETE]) deliveries.push(await client.send(event));
      expect(deliveries).toEqual([
        { delivered: true, tries: 2 },
        { delivered: true, tries: 2 },
        { delivered: true, tries: 2 },
      ]);
      const { summary, findings } = await finished;
      expect(findings).toEqual([]);
      expect(summary).toEqual({ verdict: "conforms", errors: 0, warnings: 0, skipped: 0, checks: 12 });
      expect(seen.map(({ answer }) => answer)).toEqual([500, 200, "held", "given up", 200, 429, 200]);
      await expect(fetch(url)).rejects.toThrow("fetch failed");
    },
  );

  it("may wait for a late response", async () => {
    const listening = await start();
    const { url, finished, untilSeen, pass } = listening;
    await post(url);
    await post(url);
    const held = untilSeen("held");
    const late = post(url, { body: UPDATE });
    await held;
    pass(HOLD_MS);
    expect(await late).toEqual({ status: 200, body: { received: true } });
    await postLimited(listening);
    expect((await finished).summary).toMatchObject({
      verdict: "conforms",
      errors: 0,
      warnings: 0,
      skipped: 0,
    });
  });

  it("may send further events between two attempts", async () => {
    const listening = await start();
    const { url, finished, pass, untilSeen } = listening;
    await post(url, { body: UPDATE });
    const held = untilSeen("held");
    const late = post(url, { body: CREATE });
    await held;
    await post(url, { body: { ...UPDATE, traceId: "0b54d5cb-3ed1-4c6c-8a52-0a86b7f0a1de" } });
    await postLimited(listening);
    pass(HOLD_MS);
    await late;
    await post(url, { body: UPDATE });
    expect(codesIn(await finished)).toEqual([]);
  });

  it("may be the sandbox", async () => {
    const listening = await start();
    const { url, finished } = listening;
    const provider = await startSandbox({
      platform: { url, token: TOKEN },
      webhooks: impatient(listening),
    });
    open.push(() => provider.close());
    const { shiftId, traceId } = provider.createShift();
    await provider.delivered(traceId);
    await provider.delivered(provider.updateShift(shiftId, { positions: 2 }).traceId);
    await provider.delivered(provider.deleteShift(shiftId).traceId);
    expect((await finished).findings).toEqual([]);
  });

  it("of one event gets no delayed response, and a report of what was not checked", async () => {
    const { url, finished } = await start({ expect: ["shift.delete"] });
    await post(url, { body: DELETE });
    await post(url, { body: DELETE });
    const { summary, findings } = await finished;
    expect(summary).toMatchObject({ verdict: "conforms", skipped: 1 });
    expect(findings).toEqual([expect.objectContaining({ code: "skipped_not_sent", operation: "provider" })]);
  });
});

const BAD_ID = { ...CREATE, traceId: "4711" };

describe("a request that the platform refuses is reported", () => {
  it.each([
    ["for a missing token", { authorization: null }, 401, "unauthorized", "webhook_token_missing"],
    ["for a wrong token", { authorization: "Bearer other" }, 401, "unauthorized", "webhook_token_wrong"],
    ["for another scheme", { authorization: `Basic ${TOKEN}` }, 401, "unauthorized", "webhook_scheme_wrong"],
    [
      "for another Content-Type",
      { contentType: "text/plain" },
      415,
      "unsupported_media_type",
      "webhook_content_type_wrong",
    ],
    ["for a body that is not JSON", { body: "{" }, 400, "malformed_json", "webhook_body_not_json"],
    [
      "for a body that is too large",
      { body: `"${"x".repeat(70_000)}"` },
      413,
      "payload_too_large",
      "webhook_body_too_large",
    ],
    ["for an id that is not a UUID", { body: BAD_ID }, 400, "validation_failed", "webhook_payload_wrong"],
    ["for a body that is not an object", { body: "[]" }, 400, "validation_failed", "webhook_payload_wrong"],
    ["for a wrong path", { path: "/webhook" }, 404, "not_found", "webhook_path_wrong"],
    [
      "for a malformed kind",
      { path: "/api/v3/integrations/No_Kind/webhook" },
      404,
      "provider_kind_unknown",
      "webhook_kind_wrong",
    ],
    ["for another method", { method: "PUT" }, 405, "method_not_allowed", "webhook_method_wrong"],
  ])("%s", async (_, posted, status, code, finding) => {
    const { url, end } = await start();
    const answer = await post(url, posted);
    expect(answer).toEqual({ status, body: expect.objectContaining({ status, code }) });
    const verdict = await end();
    expect(verdict.summary.verdict).toBe("fails");
    expect(codesIn(verdict)).toEqual([finding]);
  });

  it("with the wrong field, but without its value", async () => {
    const { url, end } = await start();
    await post(url, { body: { ...CREATE, content: { shiftId: ["secret"] }, traceId: "secret" } });
    const { findings } = await end();
    const wrong = findings.filter(({ code }) => code === "webhook_payload_wrong");
    expect(wrong.map(({ expected, actual }) => `${expected}: ${actual}`)).toEqual([
      expect.stringMatching(/^content\.shiftId: .*: an array$/),
      expect.stringMatching(/^traceId: .*UUID.*: a string of 6 characters$/i),
    ]);
    expect(JSON.stringify(findings)).not.toContain("secret");
  });

  it("but not for a shift id that is not a UUID, which is a warning", async () => {
    const { url, end } = await start();
    for (const traceId of [CREATE.traceId, randomUUID()]) {
      await post(url, { body: { ...CREATE, content: { shiftId: "SH-2027/11 a" }, traceId } });
    }
    const { findings } = await end();
    expect(findings.filter(({ code }) => code === "webhook_payload_wrong")).toEqual([]);
    expect(findings.filter(({ code }) => code === "shift_id_not_uuid")).toMatchObject([
      { severity: "warning", section: "6", count: 2 },
    ]);
  });

  it("for another organisation with the same token", async () => {
    const { url, end } = await start();
    await post(url);
    const body = { ...UPDATE, providerId: "9d2f7a6b-1c3e-4a5d-8f7b-2e4d6c8a0b31" };
    expect(await post(url, { body })).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(codesIn(await end())).toEqual(["webhook_provider_changed", "webhook_not_retried"]);
  });

  it("once with a count, without the token and unusual parts of the path", async () => {
    const { url, end } = await start();
    for (const _ of [1, 2]) await post(url, { path: `/hooks/${TOKEN}/a%20b` });
    const { findings } = await end();
    expect(findings[0]).toMatchObject({ code: "webhook_path_wrong", count: 2, operation: "provider" });
    expect(findings[0]?.actual).toBe("POST /hooks/$PLATFORM_TOKEN/*");
  });
});

it("an unknown event name is acknowledged, as by the platform, and reported", async () => {
  const { url, end } = await start();
  const answer = await post(url, { body: { ...CREATE, event: "shift.publish" } });
  expect(answer).toEqual({ status: 200, body: { received: true } });
  expect(codesIn(await end())).toEqual(["webhook_event_unknown"]);
});

it("health checks are served, and not judged", async () => {
  const { url, end } = await start();
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  expect(codesIn(await end())).toEqual([]);
});

describe("the listener", () => {
  const NEW_TRACE = { ...CREATE, traceId: "0b54d5cb-3ed1-4c6c-8a52-0a86b7f0a1de" };
  const EDIT = { ...UPDATE, traceId: "0b54d5cb-3ed1-4c6c-8a52-0a86b7f0a1de" };
  const LATER = { ...UPDATE, traceId: "5d0c5d6e-4a37-4f6d-9a0e-6a1d1c9b8e11" };
  const NEW_DELETE = { ...DELETE, traceId: "0b54d5cb-3ed1-4c6c-8a52-0a86b7f0a1de" };
  const OTHER_SHIFT = { ...CREATE, content: { shiftId: "4a9d3e5f-2f7d-4f39-bb5a-6f5c4b7b8d21" } };

  it.each([
    ["warns of a missing retry after a 500", [CREATE], ["webhook_not_retried"]],
    ["reports a new traceId after a 500", [CREATE, NEW_TRACE], ["webhook_retry_trace_changed"]],
    ["reports a new traceId in each attempt", [UPDATE, EDIT, LATER], ["webhook_retry_trace_changed"]],
    ["takes a later update for an edit", [UPDATE, EDIT], ["webhook_not_retried"]],
    ["takes an update that keeps its own traceId for an edit", [UPDATE, EDIT, EDIT], ["webhook_not_retried"]],
    ["accepts an edit between two attempts", [UPDATE, EDIT, UPDATE, EDIT], []],
    [
      "reports another event with the same traceId",
      [CREATE, { ...UPDATE, traceId: CREATE.traceId }],
      ["webhook_retry_payload_changed"],
    ],
    ["reports another shift with the same traceId", [CREATE, OTHER_SHIFT], ["webhook_retry_payload_changed"]],
    [
      "warns of another additional field",
      [CREATE, { ...CREATE, attempt: 2 }],
      ["webhook_retry_extras_changed"],
    ],
    ["warns of a further attempt after a 200", [CREATE, CREATE, CREATE], ["webhook_sent_again"]],
    [
      "warns of one traceId for two events",
      [CREATE, CREATE, { ...UPDATE, traceId: CREATE.traceId }],
      ["webhook_trace_reused"],
    ],
  ])("%s", async (_, bodies, expected) => {
    const { url, end, untilSeen, pass } = await start();
    void untilSeen("held").then(() => pass(HOLD_MS));
    for (const body of bodies) await post(url, { body });
    const verdict = await end();
    expect(codesIn(verdict)).toEqual(expected);
  });

  it.each([
    ["warns of a missing retry after a timeout", [], "webhook_slow_not_retried"],
    ["reports a new traceId after a timeout", [EDIT, LATER], "webhook_retry_trace_changed"],
    ["takes an update that keeps its own traceId for an edit", [EDIT, EDIT], "webhook_slow_not_retried"],
  ])("%s", async (_, bodies, expected) => {
    const { url, end, untilSeen } = await start();
    for (const body of [CREATE, CREATE]) await post(url, { body });
    const timeout = new AbortController();
    const [held, gone] = [untilSeen("held"), untilSeen("given up")];
    const late = post(url, { body: UPDATE, signal: timeout.signal });
    await held;
    timeout.abort();
    await expect(late).rejects.toThrow("aborted");
    await gone;
    for (const body of bodies) await post(url, { body });
    expect(codesIn(await end())).toEqual([expected]);
  });

  it("acknowledges further attempts during a delayed response", async () => {
    const listening = await start();
    const { url, finished, untilSeen, pass } = listening;
    for (const body of [CREATE, CREATE]) await post(url, { body });
    const held = untilSeen("held");
    const late = post(url, { body: UPDATE });
    await held;
    expect((await post(url, { body: UPDATE })).status).toBe(200);
    pass(HOLD_MS);
    expect((await late).status).toBe(200);
    await postLimited(listening);
    expect((await finished).findings).toEqual([]);
  });

  it.each([
    ["warns of a missing retry after a 429", [], "webhook_limited_not_retried"],
    ["reports a new traceId after a 429", [NEW_DELETE], "webhook_retry_trace_changed"],
    ["warns of a retry before the time of Retry-After", [DELETE], "webhook_retry_too_early"],
  ])("%s", async (_, bodies, expected) => {
    const { url, end, finished, untilSeen, pass } = await start();
    void untilSeen("held").then(() => pass(HOLD_MS));
    for (const body of [CREATE, CREATE, UPDATE, DELETE, ...bodies]) await post(url, { body });
    const verdict = await Promise.race([finished, end()]);
    expect(codesIn(verdict)).toEqual([expected]);
  });
});

it("a further attempt after a late response is allowed: the sender may have timed out", async () => {
  const { url, end, untilSeen, pass } = await start();
  for (const body of [CREATE, CREATE]) await post(url, { body });
  const held = untilSeen("held");
  const late = post(url, { body: UPDATE });
  await held;
  pass(HOLD_MS);
  await late;
  await post(url, { body: UPDATE });
  expect(codesIn(await end())).toEqual([]);
});

describe("the end of listening", () => {
  it("after the time limit reports the missing events", async () => {
    const { url, end } = await start({ expect: ["shift.create", "shift.update"] });
    for (const body of [CREATE, CREATE]) await post(url, { body });
    const { findings, summary } = await end();
    expect(summary).toMatchObject({ verdict: "fails", errors: 1, skipped: 1 });
    expect(findings[0]).toMatchObject({
      code: "webhook_event_missing",
      expected: "a valid shift.update, sent until it is acknowledged",
      actual: "none within 120 s",
      section: "6",
      reproduce: "",
    });
  });

  it("completes delayed responses", async () => {
    const { url, stop, finished, untilSeen } = await start();
    for (const body of [CREATE, CREATE]) await post(url, { body });
    const held = untilSeen("held");
    const late = post(url, { body: UPDATE });
    await held;
    stop();
    expect((await late).status).toBe(200);
    expect(codesIn(await finished)).toEqual([]);
  });
});

it("every code of webhooks is in the list of codes", () => {
  expect(codes).toMatchObject(webhookCodes);
});
