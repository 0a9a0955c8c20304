import type { AddressInfo } from "node:net";
import express, { type Request } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { emit } from "../../scripts/emit/emit.ts";
import type { OperationInfo } from "../../src/runtime/operation.ts";
import { queryValues } from "../../src/runtime/parameters.ts";
import { routerOf } from "../../src/runtime/server.ts";
import { folderWith, openapi } from "./workspace.ts";

/** Each path, a request to it, and the values of its parameters. */
const PATHS: [path: string, request: string, values: object][] = [
  ["/op:search", "/op:search", {}],
  ["/op:purge", "/op:purge", {}],
  ["/items/{id}:cancel", "/items/a-1:cancel", { id: "a-1" }],
  ["/items/{id}", "/items/a-1", { id: "a-1" }],
  ["/a+b", "/a+b", {}],
  ["/a(b)", "/a(b)", {}],
  ["/every*", "/every*", {}],
  ["/[x]!", "/[x]!", {}],
  ["/möte/{id}", "/m%C3%B6te/%C3%A5", { id: "å" }],
  ["/Case", "/Case", {}],
  ["/case", "/case", {}],
  ["/from-{a}-to-{b}.json", "/from-1-to-2.json", { a: "1", b: "2" }],
];

const operations = PATHS.map(([path], index): OperationInfo => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const parameters = names.map((name) => ({ in: "path", name, type: "string" }) as const);
  const rest = { security: [], scopes: [], responses: { 200: "application/json" } };
  return { operationId: `op${index}`, method: "GET", path, parameters, ...rest };
});

async function serve(): Promise<string> {
  const handlers = Object.fromEntries(
    operations.map(({ operationId, path }) => [
      operationId,
      ({ path: values }: { path?: object }) => ({ status: 200, body: { path, values: { ...values } } }),
    ]),
  );
  const validators = { requests: {}, responses: {} };
  const router = routerOf(operations, validators, {
    handlers,
    authenticate: () => undefined,
    validateResponses: false,
  });
  const server = express().use(router).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a path", () => {
  it.each(PATHS)("%s is the one that %s leads to", async (path, request, values) => {
    const response = await fetch((await serve()) + request);
    expect([response.status, await response.json()]).toEqual([200, { path, values }]);
  });

  it("has a case: a request in another one falls through", async () => {
    expect((await fetch(`${await serve()}/CASE`)).status).toBe(404);
  });
});

/** Schemas whose values are text, numbers or booleans on the wire, although no `type` stands beside. */
const TYPED: [schema: object, type: string][] = [
  [{ allOf: [{ type: "integer" }, { minimum: 1 }] }, "integer"],
  [{ $ref: "#/components/schemas/Count", description: "with a sibling" }, "integer"],
  [{ anyOf: [{ type: "number" }, { type: "null" }] }, "number"],
  [{ type: ["boolean", "null"] }, "boolean"],
  [{ enum: [1, 2] }, "integer"],
  [{ const: true }, "boolean"],
  [{ enum: ["a", null] }, "string"],
  [{}, "string"],
];

describe("the text of a parameter", () => {
  it.each([
    ["1e300", 1e300],
    ["-1.5", -1.5],
    ["1e400", "1e400"],
    ["-1e400", "-1e400"],
  ])("%s is the number %j, or stays text", (text, value) => {
    const parameters = [{ in: "query", name: "price", type: "number" }] as const;
    expect(queryValues({ url: `/?price=${text}` } as Request, parameters)).toEqual({ price: value });
  });

  it.each(TYPED)("with the schema %j is of type %s", async (schema, type) => {
    const parameters = [{ name: "p", in: "query", schema }];
    const files = {
      "small.openapi.yaml": openapi({ operation: { parameters }, schemas: { Count: { type: "integer" } } }),
    };
    const server = (await emit(folderWith(files))).get("small/server.ts");
    expect(server).toContain(`"parameters":[{"in":"query","name":"p","type":"${type}"}]`);
  });
});
