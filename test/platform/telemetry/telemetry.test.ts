import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../generated/operations/client.ts";
import { createLog } from "../../../src/platform/log.ts";
import { readTelemetry, telemetryFaults } from "../../../src/platform/telemetry-config.ts";
import { startMailServer } from "../../harness/mail-server.ts";
import { ok } from "../../harness/operations.ts";
import { onboard } from "../../harness/organisation.ts";
import { OPERATIONS_TOKEN } from "../../harness/platform.ts";
import { endProcesses, makeDataFolder, startProcess } from "../../harness/process.ts";
import { startWithTenants } from "../../harness/tenants.ts";
import { type SentSpan, startCollector } from "./collector.ts";

const SERVER = 2;
const CLIENT = 3;

async function start(env: NodeJS.ProcessEnv, metricsEveryMs = 60_000) {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const mail = await startMailServer();
  onTestFinished(mail.close);
  const telemetry = readTelemetry(env);
  const harness = await startWithTenants("postgres", {
    log,
    metricsEveryMs,
    about: { version: "1.2.3" },
    config: {
      mail: { url: mail.url, from: "shifts@platform.example" },
      ...(telemetry && { telemetry }),
    },
  });
  onTestFinished(harness.close);
  const headers = { Authorization: `Bearer ${OPERATIONS_TOKEN}` };
  const operations = createClient({ baseUrl: `${harness.platform.url}/operations/v1`, headers });
  const received: (string | undefined)[] = [];
  const organisation = await onboard(
    { platform: harness.platform, operations },
    {
      connect: false,
      onTheWay: async ({ traceparent }, pass) => {
        received.push(traceparent);
        await pass();
      },
    },
  );
  onTestFinished(organisation.close);
  const send = async (shiftId: string, traceId: string, traceparent?: string) => {
    const { providerId, platformToken } = organisation;
    const response = await fetch(`${harness.platform.url}/webhooks/scheduling-provider`, {
      method: "POST",
      headers: {
        ...{ Authorization: `Bearer ${platformToken}`, "Content-Type": "application/json" },
        ...(traceparent !== undefined && { traceparent }),
      },
      body: JSON.stringify({ event: "shift.create", providerId, content: { shiftId }, traceId }),
    });
    expect(response.status).toBe(200);
    await harness.platform.idle();
  };
  return { ...harness, lines, mail, organisation, operations, received, send };
}

const digits = (traceId: string) => traceId.replaceAll("-", "");
const childrenOf = (spans: readonly SentSpan[], { spanId }: SentSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === spanId);

function only(spans: readonly SentSpan[], name: string): SentSpan {
  const found = spans.filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0] as SentSpan;
}

describe("with OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  it("a hire is one trace, from the webhook to the mail, under the digits of its traceId", async () => {
    const collector = await startCollector();
    const running = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    });
    const { organisation, platform, mail, operations } = running;
    const { candidateId, personalNumber } = await organisation.addPerson();
    const { shiftId } = organisation.provider.createShift();
    const traceId = randomUUID();
    await running.send(shiftId, traceId);
    const job = await organisation.job(shiftId);
    ok(
      await operations.acceptJob({
        params: { path: { jobId: job.jobId } },
        body: { candidateId },
      }),
    );
    await expect.poll(() => mail.mails.length).toBeGreaterThan(0);
    await platform.idle();
    await running.platform.close();

    const spans = collector.spans.filter((span) => span.traceId === digits(traceId));
    const webhook = only(spans, "webhook");
    expect(webhook).toMatchObject({ kind: SERVER, attributes: { "shiftpact.trace_id": traceId } });
    expect(webhook.parentSpanId ?? "").toBe("");
    const runs = childrenOf(spans, webhook).filter(({ name }) => name === "run shift");
    expect(runs.length).toBeGreaterThan(0);
    // None is a part of what has woken the worker.
    const allRuns = spans.filter(({ name }) => name.startsWith("run "));
    expect(allRuns.filter(({ parentSpanId }) => parentSpanId !== webhook.spanId)).toEqual([]);
    const ofRuns = runs.flatMap((run) => childrenOf(spans, run));
    for (const name of ["provider getShift", "provider assignCandidate"])
      expect(ofRuns.find((span) => span.name === name)).toMatchObject({
        kind: CLIENT,
        attributes: { "http.response.status_code": 200, "server.address": "127.0.0.1" },
      });
    expect(ofRuns.some(({ name }) => /^database (select|with|update|insert)/.test(name))).toBe(true);
    const mailRun = spans.find(({ name }) => name === "run mail") as SentSpan;
    expect(childrenOf(spans, mailRun).find(({ name }) => name === "mail")).toMatchObject({
      attributes: { "shiftpact.delivery": "delivered" },
    });
    expect(spans.some(({ name }) => name === "run person")).toBe(true);

    expect(collector.headers[0]).toMatchObject({ "x-tenant": "a b" });
    expect(collector.resources[0]).toMatchObject({
      ...{ "service.name": "shiftpact", "service.version": "1.2.3", "deployment.environment.name": "test" },
    });
    const sent = JSON.stringify(collector.spans);
    for (const secret of [personalNumber, personalNumber.slice(2), "@", organisation.provider.token])
      expect(sent).not.toContain(secret);
  });

  it("continues the trace of a provider, and passes it on with each call", async () => {
    const collector = await startCollector();
    const running = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/` });
    const [foreign, parent, traceId] = [digits(randomUUID()), "00f067aa0ba902b7", randomUUID()];
    const { shiftId } = running.organisation.provider.createShift();
    running.received.length = 0;
    await running.send(shiftId, traceId, `00-${foreign}-${parent}-01`);
    await running.platform.close();
    const webhook = only(collector.spans, "webhook");
    expect(webhook).toMatchObject({ traceId: foreign, parentSpanId: parent });
    const call = collector.spans.find(({ name }) => name === "provider getShift");
    expect(call).toMatchObject({ traceId: foreign });
    expect(running.received).toContain(`00-${foreign}-${call?.spanId}-01`);
  });

  it("does not trace what the caller does not sample", async () => {
    const collector = await startCollector();
    const running = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    const { shiftId } = running.organisation.provider.createShift();
    await running.send(shiftId, randomUUID(), `00-${digits(randomUUID())}-00f067aa0ba902b7-00`);
    await running.platform.close();
    expect(collector.spans.map(({ name }) => name)).not.toContain("webhook");
  });

  it("sends what /metrics answers with", async () => {
    const collector = await startCollector();
    const running = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }, 100);
    const { shiftId } = running.organisation.provider.createShift();
    await running.send(shiftId, randomUUID());
    const value = (name: string) => collector.metrics.get(name);
    await expect
      .poll(() => value("shiftpact_webhooks_total")?.sum)
      .toMatchObject({
        isMonotonic: true,
        dataPoints: [{ asDouble: 1 }],
      });
    await expect
      .poll(() => value("shiftpact_acknowledgement_seconds")?.histogram?.dataPoints[0])
      .toMatchObject({ count: 1 });
    const [point] = value("shiftpact_acknowledgement_seconds")?.histogram?.dataPoints ?? [];
    expect(point?.bucketCounts.length).toBe((point?.explicitBounds.length ?? 0) + 1);
    expect(point?.bucketCounts.reduce((sum, count) => sum + Number(count), 0)).toBe(1);
    expect(value("shiftpact_database_up")?.gauge?.dataPoints).toMatchObject([{ asDouble: 1 }]);
  });

  it("takes webhooks and stops in time while the collector does not answer, and says so", async () => {
    const running = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }, 100);
    const { shiftId } = running.organisation.provider.createShift();
    await running.send(shiftId, randomUUID());
    await expect.poll(() => running.lines.join("")).toContain("could not export telemetry");
    await running.platform.close();
    expect(await running.organisation.provider.shift(shiftId)).toBeDefined();
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "127.0.0.1:4318" }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /^OTEL_EXPORTER_OTLP_PROTOCOL must be/],
    [{ OTEL_TRACES_SAMPLER: "sometimes" }, /^OTEL_TRACES_SAMPLER must be/],
    [{ OTEL_TRACES_SAMPLER_ARG: "2" }, /^OTEL_TRACES_SAMPLER_ARG must be/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "secret" }, /^OTEL_EXPORTER_OTLP_HEADERS must be/],
  ])("refuses %o", (env, fault) => {
    const faults = telemetryFaults({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", ...env });
    expect(faults).toEqual([expect.stringMatching(fault)]);
    expect(faults.join()).not.toContain("secret");
  });
});

/** Writes a line for each file of OpenTelemetry that is loaded, its API apart, which others may load. */
const WATCH = `
  import { registerHooks } from "node:module";
  registerHooks({ load: (url, context, next) => {
    if (/@opentelemetry\\/(?!api\\/)/.test(url)) process.stderr.write("loaded " + url + "\\n");
    return next(url, context);
  } });`;

/** What a platform process has loaded of OpenTelemetry's SDK once it is ready. */
async function loadedWith(env: NodeJS.ProcessEnv): Promise<string[]> {
  const folder = await makeDataFolder();
  onTestFinished(folder.remove);
  onTestFinished(endProcesses);
  const { child, port, ended } = startProcess({ env: { ...folder.env, ...env } }, 0, WATCH);
  expect((await fetch(`http://127.0.0.1:${await port}/health/ready`)).status).toBe(200);
  child.kill("SIGTERM");
  const { errors } = await ended;
  return errors.filter((line) => line.startsWith("loaded "));
}

describe("a platform process", () => {
  it("loads nothing of OpenTelemetry's SDK without OTEL_EXPORTER_OTLP_ENDPOINT", async () => {
    expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: undefined })).toEqual([]);
  });

  it("loads OpenTelemetry's SDK with OTEL_EXPORTER_OTLP_ENDPOINT", async () => {
    const loaded = await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
    expect(loaded.length).toBeGreaterThan(0);
  });
});
