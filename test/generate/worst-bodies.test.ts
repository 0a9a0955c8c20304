import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import express, { type Request, type Router } from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { FORM_BODIES, faultOf, HEADS, JSON_BODIES } from "../harness/worst-requests.ts";
import { folderInProject, openapi, run } from "./workspace.ts";

const LIMIT = 64 * 1024;
const HEAD = 15_000;
const FORM = "application/x-www-form-urlencoded";

const string = { type: "string" };
const post = (operationId: string, type: string, schema: object) => ({
  post: {
    operationId,
    parameters: [{ name: "secret", in: "path", required: true, schema: string }],
    requestBody: { required: true, content: { [type]: { schema } } },
    responses: { 200: { description: "Read" }, 404: { description: "Unknown" } },
  },
});
const closed = { type: "object", additionalProperties: false, properties: { answer: string } };
/** Of a stranger, whose operations need no token. */
const DOCUMENT = openapi({
  operation: { operationId: "none", responses: { 200: { description: "None" } } },
  document: {
    paths: {
      "/forms/{secret}": post("form", FORM, { type: "object", properties: { answer: string } }),
      "/closed-forms/{secret}": post("closedForm", FORM, closed),
      "/bounded-forms/{secret}": post("boundedForm", FORM, {
        type: "object",
        properties: { answer: { $ref: "#/components/schemas/Answer" }, note: { ...string, maxLength: 20 } },
      }),
      "/json/{secret}": post("json", "application/json", {}),
      "/closed-json/{secret}": post("closedJson", "application/json", closed),
    },
    components: { schemas: { Answer: { type: "string", enum: ["yes", "no"] } } },
  },
});
const PATHS = Object.keys((DOCUMENT as { paths: object }).paths).map((path) => path.replace("{secret}", "x"));

const folder = folderInProject();
const server = createServer();
let port: number;
let url: string;
let read: unknown;
let isAdmitted = true;
let readers = 0;
beforeAll(async () => {
  const spec = join(folder.path, "worst");
  mkdirSync(spec);
  writeFileSync(join(spec, "small.openapi.yaml"), stringify(DOCUMENT));
  const { code, error } = await run("--spec", spec, "--out", join(spec, "out"));
  if (code !== 0) throw new Error(error);
  const { createRouter } = (await import(join(spec, "out/small/server.ts"))) as {
    createRouter(options: object): Router;
  };
  const handle = ({ body }: { body: unknown }) => {
    read = body;
    return { status: 200 };
  };
  const names = ["form", "closedForm", "boundedForm", "json", "closedJson"];
  const handlers = Object.fromEntries(names.map((name) => [name, handle]));
  const admit = ({ params }: Request) =>
    isAdmitted || params.secret === "known" ? undefined : { status: 404 };
  server.on("request", (request) => {
    request.on("newListener", (name) => {
      if (name === "data") readers += 1;
    });
  });
  server.on("request", express().use(createRouter({ handlers, admit })));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  folder.remove();
});

const send = (path: string, body: string, type = FORM) =>
  fetch(url + path, { method: "POST", body, headers: { "content-type": type } });
const json = (body: string) => send("/json/x", body, "application/json");

describe("a generated stub whose operations need no token", () => {
  it.each(PATHS)("reads a request in at most 10 ms, in proportion to its size: POST %s", async (path) => {
    const route = { port, method: "POST", path };
    const faults: unknown[] = [];
    for (const worst of HEADS) faults.push(await faultOf(route, worst, HEAD));
    for (const worst of [...FORM_BODIES, ...JSON_BODIES]) faults.push(await faultOf(route, worst, LIMIT));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it("is cheaper than a stub that asks a form again for each name, which is found", async () => {
    const slow = createServer(async (request, response) => {
      const fields = new URLSearchParams(await text(request));
      for (const name of fields.keys()) fields.getAll(name);
      response.end();
    });
    slow.listen(0, "127.0.0.1");
    await once(slow, "listening");
    const route = { port: (slow.address() as AddressInfo).port, method: "POST", path: "/" };
    const [distinct] = FORM_BODIES;
    const fault = distinct && (await faultOf(route, distinct, LIMIT / 8));
    slow.close();
    expect(fault).toMatchObject({ kind: `${FORM}: distinct names`, whole: { status: 200 } });
  });

  it("reads each field of a form, in any order, and a repeated one as a list", async () => {
    await send("/forms/x", "a=1&b=2&a=3&__proto__=4&&c&a=5&%C3%A5=+");
    expect(JSON.stringify(read)).toBe('{"a":["1","3","5"],"b":"2","__proto__":"4","c":"","å":" "}');
  });

  it("refuses a form of more than 1,000 fields with 413", async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, nth) => `f${nth}`).join("&");
    expect((await send("/forms/x", fields(1_000))).status).toBe(200);
    expect((await send("/forms/x", fields(1_001))).status).toBe(413);
  });

  it("refuses a form that is 1,000 bytes longer than its bounded fields can be with 413", async () => {
    const form = `answer=yes&note=${"%F0%9F%98%80".repeat(20)}&other=`;
    expect((await send("/bounded-forms/x", form + "x".repeat(900))).status).toBe(200);
    expect((await send("/bounded-forms/x", form + "x".repeat(1_100))).status).toBe(413);
    expect((await send("/forms/x", form + "x".repeat(60_000))).status).toBe(200);
  });

  it("reads JSON that is nested 64 deep, and refuses more with 400", async () => {
    const nested = (depth: number, inner = "") => "[".repeat(depth) + inner + "]".repeat(depth);
    expect((await json(nested(64))).status).toBe(200);
    expect((await json(JSON.stringify({ text: nested(100, '\\\\"') }))).status).toBe(200);
    expect((await json(`[${`${nested(63)},`.repeat(300)}1]`)).status).toBe(200);
    for (const body of [nested(65), `{"a":${nested(64)}}`, `["\\\\",${nested(64)}]`, "[".repeat(60_000)]) {
      const response = await json(body);
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({
          code: "validation_failed",
          errors: [{ pointer: "", message: "must be nested at most 64 deep" }],
        }),
      ]);
    }
  });

  it("does not read the body of a request that is not admitted", async () => {
    isAdmitted = false;
    readers = 0;
    expect((await send("/forms/x", "answer=1")).status).toBe(404);
    expect((await send("/forms/x", "answer=1", "text/plain")).status).toBe(404);
    expect(readers).toBe(0);
    expect((await send("/forms/known", "answer=1")).status).toBe(200);
    expect(readers).toBeGreaterThan(0);
    isAdmitted = true;
  });
});
