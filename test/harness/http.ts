import { once } from "node:events";
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { schemas } from "../../generated/operations/validators.js";
import { catalogue, type ProblemCode } from "../../src/contract/problem.ts";

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Undefined when the text is not JSON. */
  body: unknown;
}

export interface RequestOptions {
  method?: string;
  /** The whole Authorization header. */
  authorization?: string;
  headers?: Record<string, string>;
  /** A string or bytes are sent unchanged, other values as JSON. */
  body?: unknown;
  /** Without content-length. */
  chunked?: boolean;
}

/** Sends one request exactly as given; fetch would normalise it. */
export async function send(url: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
  const { authorization, chunked = false } = options;
  const bytes = bytesOf(options.body);
  const headers = {
    ...(options.body !== undefined && { "content-type": "application/json" }),
    ...(bytes !== undefined && !chunked && { "content-length": String(bytes.byteLength) }),
    ...(authorization !== undefined && { authorization }),
    ...options.headers,
  };
  const { hostname, port } = new URL(url);
  const outgoing = request({ hostname, port, path, method: options.method ?? "GET", headers, agent: false });
  outgoing.end(bytes);
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parsed(text) };
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface FieldError {
  pointer: string;
  message: string;
}

/** Expects a problem document with this code of the catalogue and no internals; returns its `errors`. */
export function expectProblem(response: HttpResponse, code: ProblemCode): FieldError[] {
  const { status, title } = catalogue[code];
  const problem = expectSomeProblem(response);
  expect({ status: response.status, code: problem.code }).toEqual({ status, code });
  if (title !== undefined && problem.type !== "about:blank") expect(problem.title).toBe(title);
  return problem.errors ?? [];
}

/** Expects a valid problem document with any code of the catalogue and no internals. */
export function expectSomeProblem(response: HttpResponse): {
  code: string;
  type: string;
  title: string;
  errors?: FieldError[];
} {
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.headers["content-type"]).toBe("application/problem+json");
  const { body } = response;
  if (!schemas.Problem(body)) throw new Error(`not a problem document: ${response.text}`);
  expect(body.status).toBe(response.status);
  expect(Object.keys(catalogue)).toContain(body.code);
  expect(response.text).not.toMatch(/node_modules|\.ts:\d|\bat \w+ \(|select |insert into/i);
  return body;
}

/** Returns the pointers, in the order of the problem. */
export const pointersOf = (errors: readonly FieldError[]): string[] => errors.map(({ pointer }) => pointer);

/** Listens on any free port of this machine; `close` closes every connection. */
export async function listening(server: Server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns a listener that ends with the connection of its caller: a request that breaks off fails no other test. */
export function untilReset(
  listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  return (request, response) => {
    listener(request, response).catch((error) => {
      response.destroy();
      if (error.code !== "ECONNRESET") throw error;
    });
  };
}
