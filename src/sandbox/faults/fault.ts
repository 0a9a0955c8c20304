import type { Request } from "express";
import type { Message } from "../../../generated/events/types.ts";
import type { Handlers } from "../../../generated/provider/server.ts";
import { type ProblemCode, problem } from "../../contract/problem.ts";
import type { Forms } from "../forms.ts";
import type { Organisation, Organisations } from "../organisation.ts";

export type OperationId = keyof Handlers<Organisation>;

/** What goes over the wire. `body`: a value is sent as JSON, a string as it stands, undefined as nothing. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

/** `hang`: no answer until the caller gives up. `reset`: the connection is torn down. */
export type Outcome = Answer | "hang" | "reset";

/** A call that a fault may spoil, before anybody has authenticated it. */
export interface SpoiltCall {
  operationId: OperationId;
  /** Percent-decoded values of the path template's parameters. */
  path: Readonly<Record<string, string>>;
  /** Its `url` and `headers` may be changed: the router reads them afterwards. */
  request: Request;
  /** How the call names its organisation, lower case; undefined when it names none. */
  providerId: string | undefined;
  organisations: Organisations;
  forms: Forms;
  settings: FaultSettings;
}

export interface FaultSettings {
  /** How many calls (or events) are spoilt before the fault is over. Unless given, the fault's own number. */
  times?: number;
  /** Only each so-manieth call of an operation, the first ones not. Unless given, the fault's own number. */
  every?: number;
  /** Only these operations, of those that the fault knows. */
  operations?: readonly OperationId[];
  /** How long the fault lasts. Milliseconds; without end unless given. */
  forMs?: number;
  /** After how long an effect comes that is late. Milliseconds; 2 s unless given. */
  lateMs?: number;
  /** The value of `Retry-After`, where the fault sends one: seconds or an HTTP date. */
  retryAfter?: string;
}

/** One way for a provider to be wrong. One hook is enough. */
export interface Fault {
  /** For the list that the command line prints. */
  summary: string;
  /** The operations that it spoils; every one unless given. */
  operations?: readonly OperationId[];
  /** How often, unless the settings say it; without end unless given. */
  times?: number;
  /** Which calls, unless the settings say it; each one unless given. */
  every?: number;
  /** In place of the handler; undefined lets the handler run. */
  instead?: (call: SpoiltCall) => Outcome | undefined;
  /** Makes of what would be sent what is sent. The handler's effect stays. */
  rewrite?: (answer: Answer, call: SpoiltCall) => Outcome;
  /** Called before the handler runs; what it returns is called in place of `rewrite`. So an effect can be taken back. */
  around?: (call: SpoiltCall) => (answer: Answer) => Outcome;
  /** Makes of an event what webhooks are sent. */
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
