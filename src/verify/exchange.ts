import type { operations } from "../../generated/provider/types.ts";

export type OperationId = keyof operations;

/** One request to the provider, as a change of the valid request. */
export interface Probe {
  operation: OperationId;
  /** Path parameters, not encoded; ignored if `rawPath` is given. */
  path?: Readonly<Record<string, string>>;
  /** Replaces the path below the routing prefix; sent unchanged. */
  rawPath?: string;
  query?: Readonly<Record<string, string>>;
  json?: unknown;
  /** Replaces `json`; sent unchanged. */
  raw?: { text: string; contentType: string };
  /** The whole Authorization header; null: none. By default with the provider's own token. */
  authorization?: string | null;
  /** Replaces the providerId in the path or the headers; null: omitted. */
  providerId?: string | null;
  /** Added to the other headers, or replaces them. */
  headers?: Readonly<Record<string, string>>;
  /** Replaces the detected routing. */
  routing?: "path" | "header";
}

export interface Sent {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}

export interface Answered {
  kind: "answer";
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** Without a byte order mark. */
  text: string;
  /** Whether a byte order mark came before the text. */
  hasMark?: true;
  /** Undefined if the body is empty or not JSON. */
  json: unknown;
}

/** `hung`: not complete within the time limit. `broken`: the connection failed, or the response was not HTTP or too long. */
export interface Unanswered {
  kind: "hung" | "broken";
  reason: string;
  /** Whether the response is longer than the kit reads. */
  isTooLong?: boolean;
  /** Whether the connection closed before the first byte. */
  isUnbegun?: boolean;
  /** What to check; undefined if the reason is only that there was no response. */
  fix?: string;
}

export interface Exchange {
  probe: Probe;
  sent: Sent;
  answer: Answered | Unanswered;
}

export type Reply = Exchange & { answer: Answered };

export function isReply(exchange: Exchange): exchange is Reply {
  return exchange.answer.kind === "answer";
}

/** Whether the response is a 2xx or 4xx that a check can judge. The judge reports all others. */
export function isPlain(exchange: Exchange): exchange is Reply {
  if (!isReply(exchange)) return false;
  const { status } = exchange.answer;
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 429);
}

/** Returns the status, or the kind of failure. */
export function statusOf({ answer }: Exchange): number | "hung" | "broken" {
  return answer.kind === "answer" ? answer.status : answer.kind;
}

/** Whether a 2xx has `success: false`. The judge reports it, and the checks expect no effect. */
export function isDenied({ answer }: Reply): boolean {
  return (answer.json as { success?: unknown } | null | undefined)?.success === false;
}
