import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import express, { type Router } from "express";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { RouterOptions } from "../../src/runtime/server.ts";
import { isNoSegment, pathTexts } from "../harness/path-texts.ts";
import { folderInProject, openapi, run } from "./workspace.ts";

/** By its operationId: what makes the paths of this document easy to confuse. */
const OPERATIONS = {
  listItems: "GET /items",
  addItem: "POST /items/",
  getItem: "GET /items/{itemId}",
  deleteItem: "DELETE /items/{itemId}",
  newestItem: "GET /items/newest",
  listParts: "GET /items/{itemId}/parts",
  getPart: "GET /items/{itemId}/parts/{partId}",
  firstPart: "GET /items/newest/parts/{partId}",
  cancelItem: "POST /items/{itemId}:cancel",
  itemFile: "GET /items/{itemId}.json",
  hiddenFile: "GET /files/.{name}",
  journey: "GET /from-{start}-to-{end}.json",
  meeting: "GET /möte/{id}",
  board: "GET /möte/å",
  folder: "GET /folders/{id}/",
  root: "GET /",
} as const;
type OperationId = keyof typeof OPERATIONS;

const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

const QUERY = { name: "word", in: "query", schema: { type: "string" } };
const WORDS = { name: "words", in: "query", schema: { type: "array", items: { type: "string" } } };
const HEADER = { name: "X-Word", in: "header", schema: { type: "string" } };

function documentOf(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, route] of Object.entries(OPERATIONS)) {
    const [method = "", path = ""] = route.split(" ");
    const parameters = namesIn(path).map((name) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    }));
    const responses = { 204: { description: "Read" } };
    const operation = { operationId, parameters: [...parameters, QUERY, WORDS, HEADER], responses };
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return openapi({ document: { paths } });
}

type Call = (init?: object) => Promise<{ status: number }>;
interface Generated {
  createClient(options: { baseUrl: string }): Readonly<Record<string, Call>>;
  createRouter(options: RouterOptions<object, unknown>): Router;
  ParameterError: new () => Error & { in: string; parameter: string };
}

/** What the handlers of the stub got. */
const handled: { operationId: string; path: object; query: object; headers: object }[] = [];
let requests = 0;
const generatedFolder = folderInProject();
const app = express();
const server = createServer((request, response) => {
  requests += 1;
  app(request, response);
});
let generated: Generated;
let client: Readonly<Record<string, Call>>;

beforeAll(async () => {
  const spec = join(generatedFolder.path, "spec");
  mkdirSync(spec);
  writeFileSync(join(spec, "small.openapi.yaml"), stringify(documentOf()));
  const { code, error } = await run("--spec", spec, "--out", join(spec, "out"));
  if (code !== 0) throw new Error(error);
  const folder = join(spec, "out/small");
  generated = { ...(await import(join(folder, "client.ts"))), ...(await import(join(folder, "server.ts"))) };
  const handlers = Object.fromEntries(
    Object.keys(OPERATIONS).map((operationId) => [
      operationId,
      ({ path, query, headers }: { path: object; query: object; headers: object }) => {
        handled.push({ operationId, path: { ...path }, query: { ...query }, headers: { ...headers } });
        return { status: 204 };
      },
    ]),
  );
  app.use("/api", generated.createRouter({ handlers, authenticate: () => undefined }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  client = generated.createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  generatedFolder.remove();
});

interface Params {
  path?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  header?: Readonly<Record<string, unknown>>;
}

/** Returns the error of the refused call, of which nothing was sent; undefined if the handler got what was asked for, and no other. */
async function refusal(operationId: OperationId, params: Params) {
  handled.length = requests = 0;
  const error = await client[operationId]?.({ params }).then(
    ({ status }) => {
      expect(status).toBe(204);
    },
    (thrown: unknown) => thrown,
  );
  if (error !== undefined) {
    expect(error).toBeInstanceOf(generated.ParameterError);
    expect(requests).toBe(0);
    return error as InstanceType<Generated["ParameterError"]>;
  }
  const { path = {}, query = {}, header = {} } = params;
  expect(handled).toEqual([{ operationId, path, query, headers: header }]);
  return undefined;
}

describe("a call of a client that a user has generated", () => {
  it("reaches its own operation with its own values, whatever they are, or is not made", async () => {
    const calls = fc.constantFrom(...(Object.keys(OPERATIONS) as OperationId[])).chain((operationId) =>
      fc.record({
        operationId: fc.constant(operationId),
        path: fc.record(
          Object.fromEntries(namesIn(OPERATIONS[operationId]).map((name) => [name, pathTexts])),
        ),
        query: fc.record({ word: pathTexts }, { requiredKeys: [] }),
        header: fc.record({ "X-Word": pathTexts }, { requiredKeys: [] }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(calls, async ({ operationId, ...params }) => {
        const error = await refusal(operationId, params);
        const names = [...namesIn(OPERATIONS[operationId]), "word", "X-Word"];
        if (error) expect(names.some((name) => error.message.includes(` ${name} `))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is made for every value but those that no path can carry", async () => {
    await fc.assert(
      fc.asyncProperty(pathTexts, pathTexts, async (itemId, partId) => {
        const error = await refusal("deleteItem", { path: { itemId } });
        expect(error !== undefined).toBe(isNoSegment(itemId) || /^newest$|.\.json$/s.test(itemId));
        const other = await refusal("getPart", { path: { itemId, partId } });
        expect(other !== undefined).toBe([itemId, partId].some(isNoSegment) || itemId === "newest");
      }),
      { numRuns: 300 },
    );
  });

  it.each<[OperationId, Params, string]>([
    [
      "deleteItem",
      { path: { itemId: ".." } },
      "the path parameter itemId is a dot segment, which a URL loses",
    ],
    ["getItem", { path: { itemId: "." } }, "the path parameter itemId is a dot segment, which a URL loses"],
    ["getItem", { path: { itemId: "" } }, "the path parameter itemId must not be empty"],
    ["getItem", {}, "the path parameter itemId is missing"],
    ["getItem", { path: { itemId: null } }, "the path parameter itemId is missing"],
    [
      "getItem",
      { path: { itemId: [".."] } },
      "the path parameter itemId must be a text, a number or a boolean",
    ],
    ["getItem", { path: { itemId: {} } }, "the path parameter itemId must be a text, a number or a boolean"],
    ["getItem", { path: { itemId: "\ud800" } }, "the path parameter itemId must not hold a lone surrogate"],
    ["getItem", { path: { itemId: "newest" } }, "the path parameter itemId leads to the path /items/newest"],
    [
      "getItem",
      { path: { itemId: "a.json" } },
      "the path parameter itemId leads to the path /items/{itemId}.json",
    ],
    ["meeting", { path: { id: "å" } }, "the path parameter id leads to the path /möte/å"],
    ["getPart", { path: { itemId: "1", partId: ".." } }, "the path parameter partId is a dot segment"],
    ["hiddenFile", { path: { name: "." } }, "the path parameter name is a dot segment"],
    [
      "journey",
      { path: { start: "a-to-b", end: "c" } },
      "the path parameter start or end holds the text between",
    ],
    ["listItems", { query: { word: "\udc00" } }, "the query parameter word must not hold a lone surrogate"],
    [
      "listItems",
      { query: { words: ["a", "\ud800"] } },
      "the query parameter words must not hold a lone surrogate",
    ],
    ["listItems", { header: { "X-Word": "a\r\nX-Other: b" } }, "the header parameter X-Word must hold only"],
    ["listItems", { header: { "X-Word": "漢" } }, "the header parameter X-Word must hold only"],
    [
      "listItems",
      { header: { "X-Word": " a" } },
      "the header parameter X-Word must not begin or end with a space",
    ],
  ])("to %s with %j is refused: %s", async (operationId, params, message) => {
    expect((await refusal(operationId, params))?.message).toContain(message);
  });

  it.each<[OperationId, Params]>([
    ["getItem", { path: { itemId: "%2e%2E" } }],
    ["getItem", { path: { itemId: "..\\..\t\n;?#/" } }],
    ["getItem", { path: { itemId: "a:cancel" } }],
    ["cancelItem", { path: { itemId: ".." } }],
    ["hiddenFile", { path: { name: "a" } }],
    ["journey", { path: { start: "1-2", end: "3.json" } }],
    ["folder", { path: { id: "a" } }],
    ["addItem", {}],
    ["root", {}],
    ["listItems", { query: { word: "\0\r\n&#" } }],
    ["listItems", { header: { "X-Word": "å\tb" } }],
  ])("to %s with %j arrives as it is", async (operationId, params) => {
    expect(await refusal(operationId, params)).toBeUndefined();
  });

  it("sends numbers and booleans as their text", async () => {
    handled.length = 0;
    await client.getPart?.({ params: { path: { itemId: 7, partId: false } } });
    expect(handled).toMatchObject([{ operationId: "getPart", path: { itemId: "7", partId: "false" } }]);
  });
});
