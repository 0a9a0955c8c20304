import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type DataFolder,
  endProcesses,
  makeDataFolder,
  type Owner,
  startProcess,
} from "../harness/process.ts";

let hanging: Awaited<ReturnType<typeof hang>>;
/** Each test has a copy: to open the database of a home takes longer. */
let furnished: DataFolder;
let owner: Owner;
let ownerOfHanging: Owner;
beforeAll(async () => {
  hanging = await hang();
  furnished = await makeDataFolder();
  owner = await furnished.addIntegration("http://127.0.0.1:1");
  ownerOfHanging = await furnished.addIntegration(hanging.url);
});
afterAll(async () => {
  hanging.close();
  await furnished.remove();
});

let home: DataFolder;
beforeEach(async () => {
  home = await furnished.copy();
});
afterEach(async () => {
  await endProcesses();
  await home.remove();
});

const bodyOf = ({ providerId }: Owner) =>
  JSON.stringify({
    event: "shift.update",
    providerId,
    content: { shiftId: randomUUID() },
    traceId: randomUUID(),
  });

const headersOf = ({ platformToken }: Owner) => ({
  Authorization: `Bearer ${platformToken}`,
  "Content-Type": "application/json",
});

const sendEvent = (port: number, owner: Owner) =>
  fetch(`http://127.0.0.1:${port}/api/v3/integrations/${owner.kind}/webhook`, {
    method: "POST",
    headers: headersOf(owner),
    body: bodyOf(owner),
  });

/** A provider that takes every call and never answers. */
async function hang(): Promise<{ url: string; nextCall: () => Promise<unknown>; close: () => void }> {
  const server = createServer(() => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, nextCall: () => once(server, "request"), close };
}

/** Resolves when nothing listens on the port any more: the process has begun to stop. */
async function refused(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (!isOpen) return;
    await sleep(20);
  }
}

/** Headers sent, the body only announced; resolves when the server has asked for it. */
async function beginEvent(port: number, owner: Owner) {
  const socket = connect(port, "127.0.0.1");
  const body = bodyOf(owner);
  const path = `/api/v3/integrations/${owner.kind}/webhook`;
  const headers = Object.entries({
    ...headersOf(owner),
    "Content-Length": body.length,
    Expect: "100-continue",
  });
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join("\r\n");
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n\r\n`);
  await once(socket, "readable");
  expect(String(socket.read())).toContain("100 Continue");
  return { socket, finish: () => socket.write(body) };
}

/** An idle connection, kept after a first answer. */
async function keepConnection(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(socket, "data");
  return socket.resume();
}

const countEvents = () =>
  home.withDatabase(async ({ kysely }) => (await kysely.selectFrom("events").selectAll().execute()).length);

/** Resolves when the process reports that it is about to stop. */
async function draining(port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`);
    const { code } = (await answer.json()) as { code?: string };
    if (answer.status === 503 && code === "draining") return;
    await sleep(20);
  }
}

describe("SIGTERM with DRAIN_SECONDS", () => {
  it("serves what a load balancer still sends, closes each connection after its response, then ends with 0", async () => {
    const { child, port, ended } = startProcess({ env: { ...home.env, DRAIN_SECONDS: "2" } });
    await port;
    child.kill("SIGTERM");
    await draining(await port);
    expect((await fetch(`http://127.0.0.1:${await port}/health/live`)).status).toBe(200);
    const answer = await sendEvent(await port, owner);
    expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
    expect(await ended).toEqual({ code: 0, signal: null, errors: [] });
    expect(await countEvents()).toBe(1);
  });

  it("ends at once at a second signal", async () => {
    const { child, port, ended } = startProcess({ env: { ...home.env, DRAIN_SECONDS: "300" } });
    await port;
    child.kill("SIGTERM");
    await draining(await port);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: null, signal: "SIGTERM" });
  });

  it("does not delay the end at a terminal", async () => {
    const { child, port, ended } = startProcess({ env: { ...home.env, DRAIN_SECONDS: "300" } });
    await port;
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 0, signal: null });
  });
});

describe("SIGTERM", () => {
  it("answers what is under way, closes kept connections, and ends with 0", async () => {
    const { child, port, ended } = startProcess(home);
    const [event, kept] = await Promise.all([beginEvent(await port, owner), keepConnection(await port)]);
    const keptClosed = once(kept, "close");
    child.kill("SIGTERM");
    await refused(await port);
    await keptClosed;
    event.finish();
    const answer = await text(event.socket);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toMatch(/connection: close/i);
    expect(await ended).toEqual({ code: 0, signal: null, errors: [] });
    expect(await countEvents()).toBe(1);
  });

  it("ends with 0 when it arrives just as the platform reports that it listens", async () => {
    const { child, ended } = startProcess(home);
    child.stdout?.once("data", () => child.kill("SIGTERM"));
    expect(await ended).toMatchObject({ code: 0, signal: null });
  });

  it("waits neither for a provider that hangs nor for a client that does, and keeps their work", async () => {
    const called = hanging.nextCall();
    const { child, port, ended } = startProcess(home);
    expect((await sendEvent(await port, ownerOfHanging)).status).toBe(200);
    await called;
    const { socket } = await beginEvent(await port, ownerOfHanging);
    const cut = once(socket.on("error", () => undefined).resume(), "close");
    child.kill("SIGTERM");
    const inTime = await Promise.race([ended, sleep(120_000, "too late", { ref: false })]);
    expect(inTime).toMatchObject({ code: 0, signal: null });
    await cut;
    const work = await home.withDatabase(({ kysely }) =>
      kysely.selectFrom("work").select(["kind", "claim", "attempts"]).execute(),
    );
    expect(work).toEqual([{ kind: "shift", claim: null, attempts: 0 }]);
  });

  it("ends the process at once when it arrives a second time", async () => {
    const called = hanging.nextCall();
    const { child, port, ended } = startProcess(home);
    await sendEvent(await port, ownerOfHanging);
    await called;
    child.kill("SIGTERM");
    await refused(await port);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: null, signal: "SIGTERM" });
  });
});

describe("a start", () => {
  it("is logged in one line, with the version, the engine, the addresses and the schema", async () => {
    const { child, port, ended } = startProcess({
      env: { ...home.env, LOG_LEVEL: "info", PORT: "0.0.0.0:80" },
    });
    const url = `http://127.0.0.1:${await port}`;
    child.kill("SIGTERM");
    const { errors } = await ended;
    const line = errors.map((text) => JSON.parse(text)).find(({ msg }) => msg === "started");
    const schema = expect.stringMatching(/^\d{3}$/);
    const version = expect.stringMatching(/^\d+\.\d+\.\d+/);
    expect(line).toMatchObject({ url, host: "0.0.0.0", engine: "pglite", pid: child.pid, schema, version });
  });
});

describe("a start that cannot be", () => {
  it("is refused in one line while another process has the data folder", async () => {
    const first = startProcess(home);
    await first.port;
    const { code, errors } = await startProcess(home).ended;
    expect(code).toBe(1);
    expect(errors).toEqual([expect.stringContaining(`in use by another process (pid ${first.child.pid})`)]);
    first.child.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ code: 0 });
  });

  it("is refused in one line while the port is taken, and leaves the data folder free", async () => {
    const other = createNetServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const refusal = await startProcess(home, port).ended;
    expect(refusal).toEqual({
      code: 1,
      signal: null,
      errors: [`shiftpact platform: port ${port} is already in use`],
    });
    expect(await countEvents()).toBe(0);
    other.close();
  });
});

/** Runs in the process, on SIGUSR2. */
const onSignal = (code: string) => `process.on("SIGUSR2", () => { ${code} });`;

describe("a process whose database stopped", () => {
  it.each([
    ["an exception", 'throw new Error("out of luck");'],
    ["a rejection", 'Promise.reject(new Error("out of luck"));'],
  ])("ends with one line and code 1 after an uncaught %s", async (_kind, code) => {
    const { child, port, ended } = startProcess(home, 0, onSignal(code));
    expect((await sendEvent(await port, owner)).status).toBe(200);
    child.kill("SIGUSR2");
    const end = await ended;
    expect(end.code).toBe(1);
    const fatal = end.errors.map((line) => JSON.parse(line)).filter(({ level }) => level === "fatal");
    expect(fatal).toMatchObject([{ msg: "unexpected: the process ends", err: { message: "out of luck" } }]);
    expect(await countEvents()).toBe(1);
  });

  it("logs that its database stopped, refuses webhooks, and ends with code 1", async () => {
    const killed = `process.on("worker", (worker) => { ${onSignal("worker.terminate();")} });`;
    const { child, port, ended } = startProcess(home, 0, killed);
    expect((await sendEvent(await port, owner)).status).toBe(200);
    const late = await beginEvent(await port, owner);
    child.kill("SIGUSR2");
    await refused(await port);
    late.finish();
    // Or cut off.
    const answer = await text(late.socket).catch(() => "");
    expect(answer).not.toMatch(/^HTTP\/1.1 200 /);
    const { code, errors } = await ended;
    expect(code).toBe(1);
    const lines = errors.filter((line) => line.startsWith("shiftpact platform: "));
    expect(lines).toEqual([expect.stringContaining("the embedded database stopped: its thread ended")]);
    expect(await countEvents()).toBe(1);
  });
});
