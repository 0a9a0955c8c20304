import { operationsTable } from "../../generated/provider/server.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";

export const TRACE_ID = "3f1f6f5c-0f4e-4a3a-8d0f-2c9f6f1f7a55";

export interface CallOptions {
  providerId?: string;
  /** null: no Authorization header. */
  token?: string | null;
  headers?: Record<string, string>;
  /** A string is sent unchanged. */
  body?: unknown;
  /** Without the path prefix: the headers name the organisation. */
  bare?: boolean;
}

export interface Answered {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Makes one call with plain fetch, like a caller in any language. */
export async function call(
  sandbox: Sandbox,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answered> {
  const {
    providerId = sandbox.providerId,
    token = sandbox.token,
    headers = {},
    body,
    bare = false,
  } = options;
  const answer = await fetch(`${sandbox.url}${bare ? "" : `/providers/${providerId}`}${path}`, {
    method,
    redirect: "manual",
    headers: {
      "X-Trace-Id": TRACE_ID,
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === "" ? undefined : text;
  }
}

/** Every operation of the contract, with unknown ids in its path. */
export const everyOperation = operationsTable.map(({ operationId, method, path }) => ({
  operationId,
  method,
  path: path.replaceAll(/\{\w+\}/g, "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3"),
}));

export const NEW_CANDIDATE = {
  personalNumber: "197606252380",
  firstName: "Ada",
  lastName: "Strand",
  email: "ada.strand@example.com",
  phone: "+46701740605",
};
