import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../generated/operations/client.ts";
import { answerOn, linksIn, ownLinkIn, PUBLIC_URL } from "../harness/candidate-links.ts";
import { copyDatabase } from "../harness/engines.ts";
import { send } from "../harness/http.ts";
import { startMailServer } from "../harness/mail-server.ts";
import { ok } from "../harness/operations.ts";
import { onboard } from "../harness/organisation.ts";
import type { ProxiedCall } from "../harness/provider-proxy.ts";
import { type SentSpan, startCollector } from "./collector.ts";
import { type Installed, type Packed, packAll } from "./installed.ts";

const GUIDE = readFileSync(new URL("../../spec/guides/telemetry.md", import.meta.url), "utf8");
const [, PACKAGE = ""] = /^npm install (\S+)$/m.exec(GUIDE) ?? [];
/** The settings of the guide. */
const SETTINGS = Object.fromEntries(
  [...GUIDE.matchAll(/^([A-Z_]+)='?(.*?)'?$/gm)].map(([, name, value]) => [name, value]),
);

const TOKEN = "an-operations-token-of-a-test";
const CLIENT = 3;

let packed: Packed;
let installed: Installed;
beforeAll(async () => {
  packed = await packAll();
  installed = await packed.install(packed.shiftpact, packed.platform, PACKAGE);
});
afterAll(() => packed?.remove());

/** Starts the packed platform on a new database, registered as the guide has it. */
async function startPlatform(settings: NodeJS.ProcessEnv) {
  const { where, remove } = await copyDatabase();
  onTestFinished(remove);
  const command = join(installed.folder, "node_modules/@shiftpact/platform/command.js");
  const child = spawn(process.execPath, [command, "--port", "0"], {
    cwd: installed.folder,
    env: {
      ...installed.env,
      ...SETTINGS,
      DATABASE_URL: where.url,
      OPERATIONS_TOKEN: TOKEN,
      SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
      ALLOW_INSECURE_PROVIDERS: "1",
      LOG_LEVEL: "warn",
      DRAIN_SECONDS: "0",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100",
      ...settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const exited = ended.then(([code]) => {
    throw new Error(`the platform ended with exit code ${code}`);
  });
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), exited]);
  const url = `http://127.0.0.1:${JSON.parse(line).port}`;
  const headers = { Authorization: `Bearer ${TOKEN}` };
  return { url, operations: createClient({ baseUrl: `${url}/operations/v1`, headers }) };
}

/** A hire through the packed platform, as its collector and its provider saw it. */
async function hire(settings: NodeJS.ProcessEnv = {}) {
  const collector = await startCollector();
  onTestFinished(collector.close);
  const mail = await startMailServer();
  onTestFinished(mail.close);
  const { url, operations } = await startPlatform({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    PUBLIC_URL,
    SMTP_URL: mail.url,
    SMTP_FROM: "staffing@example.com",
    ...settings,
  });
  const calls: ProxiedCall[] = [];
  const organisation = await onboard(
    { platform: { url, idle: async () => undefined }, operations },
    {
      connect: false,
      onTheWay: async (call, pass) => {
        calls.push(call);
        await pass();
      },
    },
  );
  onTestFinished(organisation.close);
  ok(await operations.importRegistry({ params: organisation.params }));
  const person = await organisation.addPerson();
  const { shiftId } = organisation.provider.createShift();
  const traceId = await organisation.send("shift.create", shiftId);
  await organisation.processed();
  const { jobId } = await organisation.job(shiftId);
  const { candidateId } = person;
  ok(await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } }));
  const names = () => collector.spans.map(({ name }) => name);
  await expect.poll(names).toContain("provider assignCandidate");
  const { spans } = collector;
  await expect.poll(() => mail.mails.length).toBeGreaterThan(0);
  await expect.poll(() => only(spans, "provider assignCandidate").parentSpanId).toBeTypeOf("string");
  await expect.poll(() => parentOf(spans, only(spans, "provider assignCandidate"))?.name).toBe("run shift");
  const [offer = { body: "" }] = mail.mails;
  return { url, spans, calls, person, traceId, organisation, offer: { text: offer.body } };
}

function only(spans: readonly SentSpan[], name: string): SentSpan {
  const found = spans.filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0] as SentSpan;
}

const parentOf = (spans: readonly SentSpan[], { parentSpanId }: SentSpan) =>
  spans.find(({ spanId }) => spanId === parentSpanId);

describe("the packed platform with OpenTelemetry's auto-instrumentation", () => {
  it("sends a hire as one trace, which continues the webhook's, with the statements of each run", async () => {
    const { spans, calls, traceId } = await hire();
    const digits = traceId.replaceAll("-", "");
    const webhook = only(spans, "webhook");
    expect(webhook).toMatchObject({ traceId: digits, attributes: { "shiftpact.trace_id": traceId } });
    const reading = only(spans, "provider getShift");
    expect(reading).toMatchObject({
      traceId: digits,
      kind: CLIENT,
      attributes: { "http.response.status_code": 200, "server.address": "127.0.0.1" },
    });
    const run = parentOf(spans, reading) as SentSpan;
    expect(run).toMatchObject({ name: "run shift", parentSpanId: webhook.spanId });
    const statements = spans.filter(
      ({ name, parentSpanId }) => /^pg\./.test(name) && parentSpanId === run.spanId,
    );
    expect(statements.length).toBeGreaterThan(0);
    expect(calls.map(({ traceparent }) => traceparent)).toContain(`00-${digits}-${reading.spanId}-01`);
  });

  it("keeps personal data and tokens out of the spans of every instrumentation, and sends one traceparent", async () => {
    const { spans, calls, person, organisation } = await hire({
      OTEL_NODE_ENABLED_INSTRUMENTATIONS: undefined,
    });
    expect(parentOf(spans, only(spans, "webhook"))?.traceId).toBe(only(spans, "webhook").traceId);
    const sent = JSON.stringify(spans);
    const { personalNumber } = person;
    for (const secret of [personalNumber, personalNumber.slice(2), "@", organisation.provider.token, TOKEN])
      expect(sent).not.toContain(secret);
    expect(calls.length).toBeGreaterThan(0);
    for (const { traceparent } of calls) expect(traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-0[01]$/);
  });

  it("keeps the links of candidates out of the spans of every instrumentation", async () => {
    const { url, spans, offer } = await hire({ OTEL_NODE_ENABLED_INSTRUMENTATIONS: undefined });
    const [answer = "", unsubscribe = ""] = [linksIn(offer)[0], linksIn(offer).at(-1)];
    const shifts = ownLinkIn(offer);
    const { text } = await send(url, shifts);
    const calendar = /<code>https:\/\/work\.example([^<]*)/.exec(text)?.[1] ?? "";
    const links = [answer, shifts, unsubscribe, calendar];
    for (const link of links) expect((await send(url, link)).status).toBe(200);
    await answerOn(url, answer, "decline");
    expect((await send(url, `${answer}x`)).status).toBe(404);
    // Spans are sent in the order in which they end.
    await send(url, "/the-last-request");
    await expect.poll(() => JSON.stringify(spans)).toContain("/the-last-request");
    const paths = spans.flatMap(
      ({ attributes }) => attributes["url.path"] ?? attributes["http.target"] ?? [],
    );
    expect(paths.filter((path) => path === "/c/{token}")).toHaveLength(8);
    const secrets = links.map((link) => /[\w-]{70}/.exec(link)?.[0].slice(-22) ?? link);
    const revealing = spans.filter((span) => secrets.some((secret) => JSON.stringify(span).includes(secret)));
    expect(revealing).toEqual([]);
  });
});
