import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { expect } from "vitest";
import { schemas } from "../../../generated/operations/validators.js";
import { catalogue, type ProblemCode } from "../../../src/contract/problem.ts";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Undefined when the text is not JSON. */
  body: unknown;
}

export interface Sending {
  method?: string;
  /** Sent as the Authorization header, whole. */
  authorization?: string;
  headers?: Record<string, string>;
  /** A string or bytes go as they are, anything else as JSON. */
  body?: unknown;
  /** Without content-length. */
  chunked?: boolean;
}

/** One request with nothing added and nothing fixed: fetch would normalise what these tests are about. */
export async function send(url: string, path: string, sending: Sending = {}): Promise<Answer> {
  const { authorization, chunked = false } = sending;
  const bytes = bytesOf(sending.body);
  const headers = {
    ...(sending.body !== undefined && { "content-type": "application/json" }),
    ...(bytes !== undefined && !chunked && { "content-length": String(bytes.byteLength) }),
    ...(authorization !== undefined && { authorization }),
    ...sending.headers,
  };
  const { hostname, port } = new URL(url);
  const outgoing = request({ hostname, port, path, method: sending.method ?? "GET", headers, agent: false });
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

export interface Fault {
  pointer: string;
  message: string;
}

/** An error of the catalogue, as a problem document, that tells nothing of our insides. Answers its `errors`. */
export function expectProblem(answer: Answer, code: ProblemCode): Fault[] {
  const { status, title } = catalogue[code];
  const problem = expectSomeProblem(answer);
  expect({ status: answer.status, code: problem.code }).toEqual({ status, code });
  if (title !== undefined && problem.type !== "about:blank") expect(problem.title).toBe(title);
  return problem.errors ?? [];
}

/** Whatever error it is, it is a valid problem document without a trace of our insides. */
export function expectSomeProblem(answer: Answer): {
  code: string;
  type: string;
  title: string;
  errors?: Fault[];
} {
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  const { body } = answer;
  if (!schemas.Problem(body)) throw new Error(`no problem document: ${answer.text}`);
  expect(body.status).toBe(answer.status);
  expect(Object.keys(catalogue)).toContain(body.code);
  expect(answer.text).not.toMatch(/node_modules|\.ts:\d|\bat \w+ \(|select |insert into/i);
  return body;
}

/** The pointers, in the order in which the problem lists them. */
export const pointersOf = (faults: readonly Fault[]): string[] => faults.map(({ pointer }) => pointer);
