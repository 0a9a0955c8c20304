import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from "express";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { BOOK, generateLibrary, type Library } from "./library.ts";

/** The fixture's generated code for the tests of a file, and its routers on real ports. */
export interface Stub {
  library(): Library;
  /** Returns a router whose handlers succeed, except for `changed`; only the token "good" is accepted. */
  router(changed?: ChangedHandlers, options?: object): Router;
  /** Listens until the end of the test. */
  serve(...uses: Use[]): Promise<{ url: string; port: number; server: Server }>;
}
type ChangedHandlers = Readonly<Record<string, (request: never, context: never) => unknown>>;
type Use = RequestHandler | ErrorRequestHandler | readonly [path: string, router: Router];

export function useStub(): Stub {
  let library: Library | undefined;
  const servers: Server[] = [];
  const loaded = (): Library => {
    if (library === undefined) throw new Error("the fixture is generated before the first test");
    return library;
  };
  beforeAll(async () => {
    library = await generateLibrary();
  });
  afterAll(() => library?.remove());
  afterEach(async () => {
    await Promise.all(servers.splice(0).map(close));
  });
  return {
    library: loaded,
    router: (changed = {}, options = {}) =>
      loaded().createRouter({ handlers: handlers(changed), authenticate: onlyGood(loaded()), ...options }),
    async serve(...uses) {
      const listening = await listen(uses);
      servers.push(listening.server);
      return listening;
    },
  };
}

function onlyGood({ ProblemError }: Library) {
  return ({ headers }: Request): object => {
    if (headers.authorization === "Bearer good") return { reader: "Momo" };
    throw new ProblemError(401, "unauthorized", {}, { "WWW-Authenticate": "Bearer" });
  };
}

/** Returns handlers of the fixture that succeed; `changed` replaces some. */
export function handlers(changed: ChangedHandlers = {}): object {
  return {
    listBooks: () => ({ status: 200, body: { items: [BOOK] } }),
    addBook: ({ body }: { body: unknown }) => ({ status: 201, body }),
    newestBook: () => ({ status: 204 }),
    getBook: ({ path }: { path: { bookId: string } }) => ({
      status: 200,
      body: { ...BOOK, bookId: path.bookId },
    }),
    renameBook: () => ({ status: 204 }),
    returnBook: () => ({ status: 200, body: { success: true } }),
    ...changed,
  };
}

async function listen(uses: readonly Use[]) {
  const app = express();
  for (const use of uses) {
    if (typeof use === "function") app.use(use);
    else app.use(...use);
  }
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port }: AddressInfo = Object.assign({ port: 0, family: "", address: "" }, server.address());
  return { url: `http://127.0.0.1:${port}`, port, server };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

export interface Call {
  method?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

export async function call(url: string, { method = "GET", body, headers = {} }: Call = {}) {
  const json: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const init = { method, headers: { authorization: "Bearer good", ...json, ...headers } };
  const response = await fetch(
    url,
    body === undefined ? init : { ...init, body: new Uint8Array(Buffer.from(body)) },
  );
  const text = await response.text();
  const type = response.headers.get("content-type");
  return {
    status: response.status,
    type,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

export const BOOKS = "/books";
export const ONE = `/books/${BOOK.bookId}`;
export const isProblem = (status: number, code: string) => ({
  status,
  type: "application/problem+json",
  body: expect.objectContaining({ status, code, title: expect.any(String), type: "about:blank" }),
});
