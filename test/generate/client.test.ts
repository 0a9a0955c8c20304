import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { emit } from "../../scripts/emit/emit.ts";
import type { Middleware, Token } from "../../src/runtime/client.ts";
import { folderInProject, folderWith, openapi, run } from "./workspace.ts";

interface Client extends Readonly<Record<string, (init?: object) => Promise<{ status: number }>>> {}
interface Use {
  use(...middleware: Middleware[]): void;
  eject(...middleware: Middleware[]): void;
}
interface Options {
  baseUrl?: string;
  tokens?: Readonly<Record<string, Token | undefined>>;
  headers?: Record<string, string>;
  fetch?: (request: Request) => Promise<Response>;
}
type CreateClient = (options?: Options) => Client & Use;

const operation = (operationId: string, security?: object[]) => ({
  operationId,
  ...(security && { security }),
  responses: { 200: { description: "Any" } },
});

/** A document whose operations need one scheme, both of two, either of two, or none. */
const DOCUMENT = {
  security: [{ bearer: [] }],
  paths: {
    "/one": { get: operation("one"), post: operation("both", [{ bearer: [], key: [] }]) },
    "/either/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: operation("either", [{ single: [] }, { key: [] }]),
    },
    "/open": { get: operation("open", []) },
  },
  components: {
    securitySchemes: {
      bearer: { type: "http", scheme: "Bearer" },
      key: { type: "apiKey", in: "header", name: "X-Key" },
      single: { type: "apiKey", in: "query", name: "api key" },
      signOn: { type: "openIdConnect", openIdConnectUrl: "https://sign-on.example" },
    },
  },
};

const folder = folderInProject();
const received: IncomingMessage[] = [];
const server = createServer((request, response) => {
  received.push(request);
  response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
});
let createClient: CreateClient;
let baseUrl: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  createClient = await clientOf("secured", { document: DOCUMENT });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  folder.remove();
});
afterEach(() => void received.splice(0));

/** Generates a client. */
async function clientOf(name: string, parts: Parameters<typeof openapi>[0]): Promise<CreateClient> {
  const spec = join(folder.path, name);
  mkdirSync(spec);
  writeFileSync(join(spec, "small.openapi.yaml"), stringify(openapi(parts)));
  const { code, error } = await run("--spec", spec, "--out", join(spec, "out"));
  if (code !== 0) throw new Error(error);
  return (await import(join(spec, "out/small/client.ts"))).createClient;
}

const sent = () =>
  received.map(({ method, url, headers }) => ({
    call: `${method} ${url}`,
    authorization: headers.authorization,
    key: headers["x-key"],
  }));

describe("a token of the generated client", () => {
  it("is sent to the operations that need it, and to no others", async () => {
    const client = createClient({ baseUrl, tokens: { bearer: "b", key: "k" } });
    await client.one?.();
    await client.both?.();
    await client.open?.();
    expect(sent()).toEqual([
      { call: "GET /v1/one", authorization: "Bearer b", key: undefined },
      { call: "POST /v1/one", authorization: "Bearer b", key: "k" },
      { call: "GET /v1/open", authorization: undefined, key: undefined },
    ]);
  });

  it("may be a function, which is called for each call", async () => {
    const tokens = ["first", "second"];
    const client = createClient({ baseUrl, tokens: { bearer: () => tokens.shift(), key: async () => "k" } });
    await client.one?.();
    await client.both?.();
    await client.one?.();
    expect(sent().map(({ authorization, key }) => [authorization, key])).toEqual([
      ["Bearer first", undefined],
      ["Bearer second", "k"],
      [undefined, undefined],
    ]);
  });

  it("belongs to the first alternative for which every token is given", async () => {
    const init = { params: { path: { id: "1" } } };
    await createClient({ baseUrl, tokens: { single: "s s", key: "k" } }).either?.(init);
    await createClient({ baseUrl, tokens: { single: () => undefined, key: "k" } }).either?.(init);
    await createClient({ baseUrl, tokens: { bearer: "b" } }).both?.();
    expect(sent()).toEqual([
      { call: "GET /v1/either/1?api+key=s+s", authorization: undefined, key: undefined },
      { call: "GET /v1/either/1", authorization: undefined, key: "k" },
      { call: "POST /v1/one", authorization: undefined, key: undefined },
    ]);
  });

  it("gives way to a header of the caller's own", async () => {
    const client = createClient({ baseUrl, tokens: { bearer: "b" } });
    await client.one?.({ headers: { Authorization: "Bearer own" } });
    expect(sent()).toMatchObject([{ authorization: "Bearer own" }]);
  });

  it("that cannot be read rejects the call, which is not made", async () => {
    const client = createClient({ baseUrl, tokens: { bearer: () => Promise.reject(new Error("expired")) } });
    await expect(client.one?.()).rejects.toThrow("expired");
    expect(received).toEqual([]);
  });

  it.each([
    ["http with basic", { type: "http", scheme: "basic" }],
    ["a cookie", { type: "apiKey", in: "cookie", name: "session" }],
    ["mutual TLS", { type: "mutualTLS" }],
  ])("is refused for %s, by file and line", async (_name, odd) => {
    const components = { schemas: {}, securitySchemes: { odd } };
    const spec = folderWith({ "small.openapi.yaml": openapi({ document: { components } }) });
    await expect(emit(spec)).rejects.toMatchObject({
      message: expect.stringContaining("a security scheme of this kind is not supported"),
      place: { pointer: "/components/securitySchemes/odd", position: { line: expect.any(Number) } },
    });
  });
});

describe("an interceptor of the generated client", () => {
  it("changes requests and responses, in the order of a stack, until it is ejected", async () => {
    const order: string[] = [];
    const named = (name: string): Middleware => ({
      onRequest: ({ request }) => {
        order.push(`${name} asks with ${request.headers.get("authorization")}`);
        request.headers.set("X-Key", name);
      },
      onResponse: ({ response }) => {
        order.push(`${name} gets ${response.status}`);
        return new Response(null, { status: response.status + 1 });
      },
    });
    const [one, two] = [named("one"), named("two")];
    const client = createClient({ baseUrl, tokens: { bearer: "b" } });
    client.use(one, two);
    expect(await client.one?.()).toMatchObject({ status: 202 });
    expect(order).toEqual([
      "one asks with Bearer b",
      "two asks with Bearer b",
      "two gets 200",
      "one gets 201",
    ]);
    client.eject(one, two);
    expect(await client.one?.()).toMatchObject({ status: 200 });
    expect(sent().map(({ key }) => key)).toEqual(["two", undefined]);
  });

  it("may answer a call that failed", async () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:1" });
    client.use({ onError: () => new Response("{}", { status: 503 }) });
    expect(await client.one?.()).toMatchObject({ status: 503 });
  });

  it.each(["use", "eject"])("leaves no operation the name %s", async (operationId) => {
    const spec = folderWith({ "small.openapi.yaml": openapi({ operation: { operationId } }) });
    await expect(emit(spec)).rejects.toThrow(`"${operationId}" is not a method name`);
  });
});

describe("the base URL of the generated client", () => {
  const asked = async (create: CreateClient, options: Options = {}) => {
    const urls: string[] = [];
    const fetch = async (request: Request) => {
      urls.push(request.url);
      return new Response(null, { status: 204 });
    };
    await create({ fetch, ...options }).look?.();
    return urls[0];
  };

  it.each<[string, object[], string]>([
    [
      "first",
      [{ url: "https://one.example/v1/" }, { url: "https://two.example" }],
      "https://one.example/v1/things",
    ],
    [
      "templated",
      [
        {
          url: "https://{host}:{port}/v1",
          variables: { host: { default: "h.example" }, port: { default: "8443", enum: ["8443"] } },
        },
      ],
      "https://h.example:8443/v1/things",
    ],
  ])("is the document's %s server, unless one is given", async (name, servers, url) => {
    const create = await clientOf(`servers-${name}`, { document: { servers } });
    expect(await asked(create)).toBe(url);
    expect(await asked(create, { baseUrl: "https://mine.example" })).toBe("https://mine.example/things");
  });

  it("is a path where the server is one, which Node cannot call and a browser resolves", async () => {
    const create = await clientOf("servers-path", { document: { servers: [{ url: "/v1" }] } });
    await expect(asked(create)).rejects.toThrow("/v1/things");
    expect(await asked(create, { baseUrl: "https://mine.example" })).toBe("https://mine.example/things");
  });

  it.each([
    ["relative to the document", { url: "../v1" }, 'the server "../v1" depends on where the document is'],
    ["without a scheme", { url: "//h.example" }, "depends on where the document is"],
    ["no web address", { url: "ftp://h.example" }, "depends on where the document is"],
    ["templated without a default", { url: "https://{host}" }, "the variable {host} has no default"],
  ])("is refused if the server is %s", async (_name, server, problem) => {
    const spec = folderWith({ "small.openapi.yaml": openapi({ document: { servers: [server] } }) });
    await expect(emit(spec)).rejects.toMatchObject({
      message: expect.stringContaining(problem),
      place: { pointer: "/servers/0/url", position: { line: expect.any(Number) } },
    });
  });
});

describe("the comment of a generated operation", () => {
  const operation = {
    operationId: "look",
    summary: "Look around",
    description: `See what is there. ${"It goes on for a while. ".repeat(6)}\n\nDecision: not shown */ here.`,
    parameters: [
      { name: "limit", in: "query", description: "At most so many.", schema: { type: "integer" } },
    ],
  };
  const texts = async () => emit(folderWith({ "small.openapi.yaml": openapi({ operation }) }));

  it.each(["small/client.ts", "small/server.ts"])("in %s is its title and first paragraph", async (file) => {
    const text = (await texts()).get(file) ?? "";
    const end = text.search(/^ *look: /m);
    const comment = text.slice(text.lastIndexOf("/**", end), end);
    const lines = comment.split("\n").map((line) => line.replace(/^ *\* ?/, ""));
    expect(lines.slice(1, 4)).toEqual([
      "Look around: `GET /things`.",
      "",
      expect.stringMatching(/^See what is there\. It/),
    ]);
    expect(lines.every((line) => line.length <= 110)).toBe(true);
    expect(comment).not.toContain("Decision");
  });

  it("has each parameter's description at the parameter, in the types", async () => {
    expect((await texts()).get("small/types.ts")).toMatch(
      /@description At most so many\. \*\/\s*limit\?: number/,
    );
  });
});
