import type { operationsTable } from "../../generated/provider/server.ts";

export type OperationId = (typeof operationsTable)[number]["operationId"];

/** One request to the provider, as a change of the request that is right. */
export interface Probe {
  operation: OperationId;
  /** Path parameters; encoded here, unless `rawPath` is given. */
  path?: Readonly<Record<string, string>>;
  /** Takes the place of the path below the routing prefix, as it is. */
  rawPath?: string;
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Takes the place of `json`: sent as it is. */
  raw?: { text: string; contentType: string };
  /** The whole Authorization header; null: none. The provider's own token unless given. */
  authorization?: string | null;
  /** Takes the place of the providerId, in the path or in the headers; null: left out. */
  providerId?: string | null;
  /** Added to the others, or in their place. */
  headers?: Readonly<Record<string, string>>;
  /** Takes the place of what was found out. */
  routing?: "path" | "header";
}

/** What was sent, without secrets. */
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
  text: string;
  /** Undefined when the body is empty or no JSON. */
  json: unknown;
}

/** `hung`: not complete within the time limit. `broken`: the connection failed, or the answer was no HTTP or too long. */
export interface Unanswered {
  kind: "hung" | "broken";
  reason: string;
  /** What to look at; undefined when the reason says no more than that no answer came. */
  fix?: string;
}

/** One request and what came of it. */
export interface Exchange {
  probe: Probe;
  sent: Sent;
  answer: Answered | Unanswered;
}

/** An exchange that was answered. */
export type Reply = Exchange & { answer: Answered };

export function isReply(exchange: Exchange): exchange is Reply {
  return exchange.answer.kind === "answer";
}

/** Answered with a 2xx or a 4xx, so that a check can say something; what else came, the judge has reported. */
export function isPlain(exchange: Exchange): exchange is Reply {
  if (!isReply(exchange)) return false;
  const { status } = exchange.answer;
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 429);
}

/** The status, or what came instead of one. */
export function statusOf({ answer }: Exchange): number | "hung" | "broken" {
  return answer.kind === "answer" ? answer.status : answer.kind;
}

/** A success whose body says that it was refused: the judge has reported it, and the checks expect nothing of it. */
export function isDenied({ answer }: Reply): boolean {
  return (answer.json as { success?: unknown } | null | undefined)?.success === false;
}
