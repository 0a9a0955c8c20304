import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../generated/operations/client.ts";
import { openDatabase } from "../../src/platform/db/database.ts";
import { freePort, type PostgresServer, startPostgres } from "../harness/embedded-postgres.ts";
import { silent } from "../harness/engines.ts";
import { ok } from "../harness/operations.ts";
import { PROXIES, startProxy } from "./proxies.ts";

/** Restarts behind each proxy. */
const RESTARTS = Number(process.env.ROLLING ?? 4);
const EVERY_MS = 10;
const COMMAND = fileURLToPath(new URL("../../src/cli/platform-command.ts", import.meta.url));

const providerId = randomUUID();
const env = {
  ...process.env,
  ALLOW_INSECURE_PROVIDERS: "1",
  DRAIN_SECONDS: process.env.ROLLING ? "5" : "2",
  LOG_LEVEL: "warn",
  OPERATIONS_TOKEN: randomBytes(24).toString("base64url"),
  SECRET_KEY: randomBytes(32).toString("base64"),
  TRUST_PROXY: "loopback",
};

let folder: string;
let server: PostgresServer;
let url: string;
let ports: [number, number];
let publics: [number, number];
let platforms: ChildProcess[];
let platformToken: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shiftpact-rolling-"));
  // PostgreSQL may run as a user of its own.
  await chmod(folder, 0o755);
  server = await startPostgres({ databaseDir: join(folder, "pg") });
  await server.createDatabase("platform");
  url = `${server.url}/platform`;
  ports = [await freePort(), await freePort()];
  publics = [await freePort(), await freePort()];
  platforms = [await startPlatform(0), await startPlatform(1)];
  const headers = { Authorization: `Bearer ${env.OPERATIONS_TOKEN}` };
  const operations = createClient({ baseUrl: `http://127.0.0.1:${ports[0]}/operations/v1`, headers });
  const draft = {
    providerId,
    kind: "tempo",
    name: "Kvarteret",
    baseUrl: "http://127.0.0.1:9",
    providerToken: "a-provider-token",
  };
  ({ platformToken } = ok(await operations.createIntegration({ body: draft })));
});
afterAll(async () => {
  await Promise.all(platforms.map(stopPlatform));
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Resolves when it listens. */
async function startPlatform(which: number): Promise<ChildProcess> {
  const given = { ...env, DATABASE_URL: url, PUBLIC_PORT: `${publics[which]}` };
  const child = spawn(process.execPath, [COMMAND, "--port", `${ports[which]}`], {
    env: given,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(createInterface({ input: child.stdout }), "line");
  return child;
}

/** Resolves when the proxy sends it webhooks: before that, the other one must not stop. */
async function untilServing(port: number): Promise<void> {
  const figures = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await expect.poll(figures, { interval: 200 }).toMatch(/^shiftpact_webhooks_total\{status="200"\} [1-9]/m);
}

/** As a supervisor does. */
async function stopPlatform(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
}

/** Sends a webhook every 10 ms, whatever becomes of those before, until the signal. */
async function offer(proxyUrl: string, signal: AbortSignal) {
  const pool = new Pool(proxyUrl, { connections: 32, connect: { rejectUnauthorized: false } });
  const acknowledged: string[] = [];
  const failures: string[] = [];
  const sending: Promise<void>[] = [];
  const send = async () => {
    const traceId = randomUUID();
    const event = { event: "shift.update", providerId, content: { shiftId: randomUUID() }, traceId };
    const headers = { authorization: `Bearer ${platformToken}`, "content-type": "application/json" };
    const body = JSON.stringify(event);
    try {
      const answer = await pool.request({
        path: "/webhooks/scheduling-provider",
        method: "POST",
        headers,
        body,
      });
      await answer.body.dump();
      if (answer.statusCode === 200) acknowledged.push(traceId);
      else failures.push(`status ${answer.statusCode}`);
    } catch (error) {
      failures.push(String(error));
    }
  };
  for (let next = performance.now(); !signal.aborted; next += EVERY_MS) {
    await sleep(Math.max(0, next - performance.now()));
    sending.push(send());
  }
  await Promise.all(sending);
  await pool.close();
  return { acknowledged, failures };
}

async function storedOf(acknowledged: readonly string[]): Promise<number> {
  const database = await openDatabase({ url, log: silent });
  const events = await database.kysely.selectFrom("events").select("traceId").execute();
  await database.close();
  const stored = new Set(events.map(({ traceId }) => traceId));
  return acknowledged.filter((traceId) => stored.has(traceId)).length;
}

describe.each(PROXIES)("two processes behind %s, restarted in turn at 100 webhooks a second", (name) => {
  it(`answer every webhook with 200 and store it (${RESTARTS} restarts)`, async () => {
    const proxy = await startProxy(name, { platforms: ports, publics });
    const over = new AbortController();
    const offering = offer(proxy.url, over.signal);
    for (let count = 0; count < RESTARTS; count += 1) {
      const which = count % 2;
      await stopPlatform(platforms[which] as ChildProcess);
      platforms[which] = await startPlatform(which);
      await untilServing(ports[which] as number);
    }
    over.abort();
    const { acknowledged, failures } = await offering;
    await proxy.stop();
    const stored = await storedOf(acknowledged);
    expect(failures).toEqual([]);
    expect(stored).toBe(acknowledged.length);
    expect(acknowledged.length).toBeGreaterThan(RESTARTS * 100);
  });
});

/** What a proxy waits for a health check before it sends everything to another process. */
const PATIENCE_MS = 5_000;
const AT_ONCE = 10;

async function attack(port: number): Promise<number[]> {
  const body = Array.from({ length: 20_000 }, (_, nth) => nth.toString(36))
    .join("&")
    .slice(0, 64 * 1024);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const form = { method: "POST", headers, body };
  const url = `http://127.0.0.1:${port}/c/x`;
  return Promise.all(Array.from({ length: AT_ONCE }, async () => (await fetch(url, form)).status));
}

/** Returns the failures of health checks until the signal. */
async function check(port: number, signal: AbortSignal): Promise<string[]> {
  const failures: string[] = [];
  while (!signal.aborted) {
    try {
      const init = { signal: AbortSignal.timeout(PATIENCE_MS) };
      const { status } = await fetch(`http://127.0.0.1:${port}/health/live`, init);
      if (status !== 200) failures.push(`status ${status}`);
    } catch (error) {
      failures.push(String(error));
    }
    await sleep(50);
  }
  return failures;
}

describe("two processes whose public listeners get forms of 64 kB of names, ten at once", () => {
  it("answer every health check, and every webhook with 200", async () => {
    const over = new AbortController();
    const offering = publics.map((port) => offer(`http://127.0.0.1:${port}`, over.signal));
    const checking = publics.map((port) => check(port, over.signal));
    const statuses = (await Promise.all(publics.map(attack))).flat();
    over.abort();
    const offered = await Promise.all(offering);
    expect((await Promise.all(checking)).flat()).toEqual([]);
    expect(offered.flatMap(({ failures }) => failures)).toEqual([]);
    expect(offered.flatMap(({ acknowledged }) => acknowledged).length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([404]));
  });
});
