import type { Request } from "express";
import type { Message } from "../../../generated/events/types.ts";
import type { Handlers } from "../../../generated/provider/server.ts";
import { type ProblemCode, problem } from "../../contract/problem.ts";
import type { Organisation, Organisations } from "../organisation.ts";

export type OperationId = keyof Handlers<Organisation>;

/** A response as sent. `body`: a value is sent as JSON, a string unchanged, undefined as no body. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

/** `hang`: no response until the caller gives up. `reset`: the connection is closed. */
export type Outcome = Answer | "hang" | "reset";

/** A call that a fault may change, before authentication. */
export interface Call {
  operationId: OperationId;
  /** Percent-decoded values of the path template's parameters. */
  path: Readonly<Record<string, string>>;
  /** Its `url` and `headers` may be changed: the router reads them afterwards. */
  request: Request;
  /** The organisation that the call names, in lower case; undefined if it names none. */
  providerId: string | undefined;
  organisations: Organisations;
  settings: FaultSettings;
}

export interface FaultSettings {
  /** Number of affected calls or events; the fault's own number by default. */
  times?: number;
  /** Affects only every nth call of an operation; the fault's own number by default. */
  every?: number;
  /** Only these of the fault's operations. */
  operations?: readonly OperationId[];
  /** Duration of the fault. Milliseconds; unlimited by default. */
  forMs?: number;
  /** Delay of a late effect. Milliseconds; 2,000 by default. */
  lateMs?: number;
  /** The value of `Retry-After`, if the fault sends it: seconds or an HTTP date. */
  retryAfter?: string;
}

/** One violation by a provider. It requires at least one hook. */
export interface Fault {
  /** Shown in the list that the command line prints. */
  summary: string;
  /** The affected operations; all by default. */
  operations?: readonly OperationId[];
  /** Default number of affected calls; unlimited by default. */
  times?: number;
  /** Affects only every nth call by default. */
  every?: number;
  /** Replaces the handler; undefined lets the handler run. */
  instead?: (call: Call) => Outcome | undefined;
  /** Changes the response. The handler's effect stays. */
  rewrite?: (answer: Answer, call: Call) => Outcome;
  /** Called before the handler runs. Returns a function that replaces `rewrite`, and may undo the handler's effect. */
  around?: (call: Call) => (answer: Answer) => Outcome;
  /** Returns the webhooks to send for an event. */
  webhooks?: (event: Message, isEcho: boolean) => readonly Message[];
}

/** Faults of one topic, by name. */
export type Faults = Readonly<Record<string, Fault>>;

export function json(status: number, body: unknown, headers: Answer["headers"] = {}): Answer {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body };
}

export const empty = (status: number): Answer => ({ status, headers: {}, body: undefined });

export function problemAnswer(code: ProblemCode, headers: Answer["headers"] = {}): Answer {
  const error = problem(code);
  return json(error.status, error.problem, { "Content-Type": "application/problem+json", ...headers });
}

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

export const isRefusal = ({ status }: Answer): boolean => status >= 400 && status < 500;
