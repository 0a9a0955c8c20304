import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import express, { type Router } from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { folderInProject, openapi, run } from "./workspace.ts";

const page = { description: "A page", content: { "text/html": { schema: { type: "string" } } } };
const form = {
  type: "object",
  required: ["answer"],
  properties: { answer: { type: "string", enum: ["yes", "no"] }, note: { type: "string" } },
};
const DOCUMENT = openapi({
  operation: {
    operationId: "read",
    responses: { 200: page, 404: page },
  },
  document: {
    paths: {
      "/page": {
        get: { operationId: "read", responses: { 200: page, 404: page } },
        post: {
          operationId: "answer",
          requestBody: {
            required: true,
            content: { "application/x-www-form-urlencoded": { schema: form } },
          },
          responses: { 200: page, 303: { description: "Answered" } },
        },
      },
    },
  },
});

interface Client {
  read(): Promise<{ status: number; data?: string; error?: { text: string } }>;
  answer(init: { body: object; redirect?: string }): Promise<{ status: number; data?: string }>;
}

const folder = folderInProject();
const server = createServer();
let client: Client;
let url: string;
let shown: unknown = "<p>Räksmörgås</p>";
let status = 200;
const answers: unknown[] = [];

beforeAll(async () => {
  const spec = join(folder.path, "pages");
  mkdirSync(spec);
  writeFileSync(join(spec, "small.openapi.yaml"), stringify(DOCUMENT));
  const { code, error } = await run("--spec", spec, "--out", join(spec, "out"));
  if (code !== 0) throw new Error(error);
  const { createRouter } = (await import(join(spec, "out/small/server.ts"))) as {
    createRouter(options: object): Router;
  };
  const handlers = {
    read: () => ({ status, body: shown }),
    answer: ({ body }: { body: unknown }) => {
      answers.push(body);
      return { status: 200, body: "<p>thanks</p>" };
    },
  };
  server.on("request", express().use(createRouter({ handlers })));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = (await import(join(spec, "out/small/client.ts"))).createClient({ baseUrl: url });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  folder.remove();
});

const post = (body: string, type = "application/x-www-form-urlencoded") =>
  fetch(`${url}/page`, { method: "POST", body, headers: { "Content-Type": type } });

describe("a page", () => {
  it("is sent as it is, in UTF-8, and read as a text by the client", async () => {
    const response = await fetch(`${url}/page`);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toBe(shown);
    expect(await client.read()).toMatchObject({ status: 200, data: shown });
    status = 404;
    expect(await client.read()).toMatchObject({ status: 404, error: { text: shown } });
    status = 200;
  });

  it("must be a text", async () => {
    shown = { title: "no text" };
    expect((await fetch(`${url}/page`)).status).toBe(500);
    shown = "";
  });
});

describe("a form", () => {
  it("reaches the handler as texts", async () => {
    expect((await post("answer=yes&note=r%C3%A4ka+1&__proto__=x")).status).toBe(200);
    expect((await client.answer({ body: { answer: "no" } })).data).toBe("<p>thanks</p>");
    expect(answers.splice(0)).toEqual([
      Object.fromEntries([
        ["answer", "yes"],
        ["note", "räka 1"],
        ["__proto__", "x"],
      ]),
      { answer: "no" },
    ]);
  });

  it.each([
    ["a field twice", "answer=yes&answer=no", 400],
    ["another value", "answer=maybe", 400],
    ["no field", "=", 400],
    ["an empty body", "", 400],
    ["more than 64 kB", `answer=yes&note=${"a".repeat(65_536)}`, 413],
  ])("is refused with %s", async (_name, body, expected) => {
    expect((await post(body)).status).toBe(expected);
    expect(answers).toEqual([]);
  });

  it("is refused as JSON", async () => {
    expect((await post('{"answer":"yes"}', "application/json")).status).toBe(415);
  });
});
