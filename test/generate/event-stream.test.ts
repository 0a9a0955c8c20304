import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import express, { type Router } from "express";
import ts from "typescript";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { emit } from "../../scripts/emit/emit.ts";
import { folderInProject, folderWith, openapi, PROJECT, run } from "./workspace.ts";

const member = (event: string, data: object) => ({
  type: "object",
  required: ["event", "data"],
  properties: { event: { const: event }, data },
});
const Lent = { type: "object", required: ["bookId"], properties: { bookId: { type: "string" } } };
const Event = {
  oneOf: [member("lent", { $ref: "#/components/schemas/Lent" }), member("count", { type: "integer" })],
};
const streamOf = (schema: object) => ({
  operationId: "follow",
  responses: {
    200: { description: "Events", content: { "text/event-stream": { schema } } },
    503: { description: "Too many readers", content: { "application/json": { schema: { type: "string" } } } },
  },
});
const DOCUMENT = openapi({
  operation: streamOf({ $ref: "#/components/schemas/Event" }),
  schemas: { Lent, Event },
});

interface Answer {
  status: number;
  data?: AsyncIterable<{ event: string; data: unknown; id?: string }>;
  error?: unknown;
}
interface Generated {
  createRouter(options: object): Router;
  createClient(options: { baseUrl: string }): { follow(init?: RequestInit): Promise<Answer> };
  responses: { follow: { 200: (value: unknown) => boolean } };
}

const folder = folderInProject();
const spec = join(folder.path, "stream");
const out = join(spec, "out");
let generated: Generated;
const servers: Server[] = [];
beforeAll(async () => {
  mkdirSync(spec);
  writeFileSync(join(spec, "small.openapi.yaml"), stringify(DOCUMENT));
  const { code, error } = await run("--spec", spec, "--out", out);
  if (code !== 0) throw new Error(error);
  const files = ["server.ts", "client.ts", "validators.js"];
  generated = Object.assign(
    {},
    ...(await Promise.all(files.map((file) => import(join(out, "small", file))))),
  );
});
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});
afterAll(() => folder.remove());

async function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves the stub with a handler. */
const serve = (follow: () => unknown, more: object = {}) =>
  listen(express().use(generated.createRouter({ handlers: { follow }, ...more })));

async function read(baseUrl: string): Promise<unknown[]> {
  const { data } = await generated.createClient({ baseUrl }).follow();
  const all: unknown[] = [];
  for await (const event of data ?? []) all.push(event);
  return all;
}

describe("server-sent events", () => {
  it("travel from the handler to the reader, typed by their schema", async () => {
    const events = [
      { event: "lent", data: { bookId: "line\nbreak" } },
      { event: "count", data: 3, id: "7\nevent: x" },
    ];
    const baseUrl = await serve(() => ({ status: 200, body: Readable.from(events) }));
    const { headers } = await fetch(`${baseUrl}/things`);
    expect([headers.get("content-type"), headers.get("cache-control")]).toEqual([
      "text/event-stream",
      "no-store",
    ]);
    expect(await read(baseUrl)).toEqual([events[0], { ...events[1], id: "7 event: x" }]);
    expect(generated.responses.follow[200](events[0])).toBe(true);
  });

  it("arrive as they are sent", async () => {
    const source = new PassThrough({ objectMode: true });
    const baseUrl = await serve(() => ({ status: 200, body: source }));
    const { data } = await generated.createClient({ baseUrl }).follow();
    const events = data?.[Symbol.asyncIterator]();
    for (const count of [1, 2]) {
      source.write({ event: "count", data: count });
      expect(await events?.next()).toEqual({ done: false, value: { event: "count", data: count } });
    }
    source.end();
    expect(await events?.next()).toEqual({ done: true, value: undefined });
  });

  it("are read one by one between the comments that keep the connection open", async () => {
    const responses: ServerResponse[] = [];
    const baseUrl = await listen((_request, response) => {
      responses.push(response.writeHead(200, { "Content-Type": "text/event-stream" }));
      response.write(": heartbeat\n\n");
    });
    const { data } = await generated.createClient({ baseUrl }).follow();
    const events = data?.[Symbol.asyncIterator]();
    for (const count of [1, 2]) {
      responses[0]?.write(`:\n\n: heartbeat\n\nevent: count\ndata: ${count}\n\n: heartbeat\n\n`);
      expect(await events?.next()).toEqual({ done: false, value: { event: "count", data: count } });
    }
    responses[0]?.end();
    expect(await events?.next()).toEqual({ done: true, value: undefined });
  });

  it("stop when the reader leaves", async () => {
    const source = new PassThrough({ objectMode: true });
    const baseUrl = await serve(() => ({ status: 200, body: source }));
    const { data } = await generated.createClient({ baseUrl }).follow();
    source.write({ event: "count", data: 1 });
    const closed = once(source, "close").catch(() => undefined);
    for await (const { event } of data ?? []) {
      expect(event).toBe("count");
      break;
    }
    await closed;
    expect(source.destroyed).toBe(true);
  });

  it("that the document does not allow end the connection, and are reported", async () => {
    const reported: unknown[] = [];
    const onInvalidResponse = (_operation: unknown, errors: unknown) => reported.push(errors);
    const events = [
      { event: "count", data: 1 },
      { event: "count", data: "many" },
    ];
    const baseUrl = await serve(() => ({ status: 200, body: Readable.from(events) }), { onInvalidResponse });
    await expect(read(baseUrl)).rejects.toThrow();
    expect(reported).toEqual([[{ pointer: "/body/data", message: "must be of type integer" }]]);
  });

  it("give way to another response", async () => {
    const baseUrl = await serve(() => ({ status: 503, body: "later" }));
    expect(await generated.createClient({ baseUrl }).follow()).toMatchObject({
      status: 503,
      error: { text: "later" },
    });
  });

  it("are not sent in response to HEAD", async () => {
    const source = new PassThrough({ objectMode: true });
    const baseUrl = await serve(() => ({ status: 200, body: source }));
    const { status, headers } = await fetch(`${baseUrl}/things`, { method: "HEAD" });
    expect([status, headers.get("content-type"), source.destroyed]).toEqual([200, "text/event-stream", true]);
  });

  it("are read in every form that servers write them in", async () => {
    const text =
      '\uFEFF: comment\r\nevent: count\r\ndata: [1,\r\ndata: 2]\r\n\r\nretry: 5\n\ndata: "ö"\rid: 9\n\n';
    const baseUrl = await listen(async (_request, response: ServerResponse) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await read(baseUrl)).toEqual([
      { event: "count", data: [1, 2] },
      { event: "message", data: "ö", id: "9" },
    ]);
  });

  it("have types on both sides", () => {
    const uses = `
import { createClient } from "./small/client.ts";
import type { Handlers } from "./small/server.ts";
export async function read(): Promise<string> {
  const { status, data, error } = await createClient().follow();
  if (status !== 200) return error.text;
  for await (const message of data) if (message.event === "lent") return message.data.bookId;
  return "";
}
async function* events() { yield { event: "count" as const, data: 1 }; }
export const right: Handlers<never> = { follow: () => ({ status: 200, body: events() }) };
async function* wrong() { yield { event: "lent" as const, data: 1 }; }
// @ts-expect-error the data of another event
export const handlers: Handlers<never> = { follow: () => ({ status: 200, body: wrong() }) };
`;
    writeFileSync(join(out, "uses.ts"), uses);
    const { config } = ts.readConfigFile(join(PROJECT, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, PROJECT);
    const program = ts.createProgram([join(out, "uses.ts")], {
      ...options,
      incremental: false,
      noEmit: true,
    });
    const texts = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
    expect(texts).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      "an event with other members",
      streamOf({
        oneOf: [member("a", {}), { type: "object", properties: { event: { const: "b" }, retry: {} } }],
      }),
      'a server-sent event has no member "retry"',
    ],
    [
      "another status",
      {
        operationId: "follow",
        responses: { 201: { description: "", content: { "text/event-stream": { schema: {} } } } },
      },
      "the media type text/event-stream is not supported",
    ],
    [
      "a request",
      {
        operationId: "follow",
        requestBody: { content: { "text/event-stream": { schema: {} } } },
        responses: { 204: { description: "" } },
      },
      "the media type text/event-stream is not supported",
    ],
  ])("are refused, by file and line, for %s", async (_name, operation, problem) => {
    await expect(emit(folderWith({ "small.openapi.yaml": openapi({ operation }) }))).rejects.toMatchObject({
      message: expect.stringContaining(problem),
      place: { position: { line: expect.any(Number) } },
    });
  });
});
