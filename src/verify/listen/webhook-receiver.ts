import { once } from "node:events";
import type { Request, Response } from "express";
import { type Message, messages } from "../../../generated/events/types.ts";
import { schemas } from "../../../generated/events/validators.js";
import { requests } from "../../../generated/platform/validators.js";
import { type ProblemCode, problem } from "../../contract/problem.ts";
import { SECOND_MS } from "../../contract/timestamp.ts";
import { isUuid } from "../../contract/uuid.ts";
import { bearerToken, isSameToken } from "../../runtime/bearer-token.ts";
import { readContent } from "../../runtime/body.ts";
import { valueAt } from "../../runtime/pointer.ts";
import { ProblemError } from "../../runtime/problem.ts";
import { sendProblem } from "../../runtime/problem-response.ts";
import { BODY_LIMIT } from "../../runtime/server.ts";
import type { FieldError } from "../../runtime/validator.ts";
import type { Code } from "../codes/codes.ts";
import { type Found, found, type Outcome, type Place, passed } from "../finding.ts";
import { faultOf, kindOf } from "../judge/field-faults.ts";
import { type Attempt, type EventName, RETRY_AFTER_S, type RetryScenario } from "./retry-scenario.ts";
import type { WebhookOperation, WebhookOperationId } from "./webhook-operations.ts";

/** Longer than the recommended timeout of 5 s (decisions, "provider's webhook retries"). */
export const HOLD_MS = 6_000;
/** When a retry of a limited webhook is not too early. One second less than Retry-After: clocks and networks differ. */
export const LIMIT_MS = (RETRY_AFTER_S - 1) * SECOND_MS;

export interface Seen {
  /** 1: the first request. */
  number: number;
  /** Undefined if the request could not be read. */
  event: Message | undefined;
  /** Status of the response; `held`: deliberately delayed; `given up`: the sender closed the connection. */
  answer: number | "held" | "given up";
  /** A note for the person at the terminal. */
  note: string | undefined;
  found: readonly Found[];
}

export type Receiver = ReturnType<typeof createReceiver>;

export interface ReceiverOptions {
  token: string;
  scenario: RetryScenario;
  hold: (ms: number) => Promise<void>;
  onOutcome: (outcome: Outcome) => void;
  onSeen: (seen: Seen) => void;
}

/** Judges each request and responds like the platform, except for deliberate failures of the scenario. */
export function createReceiver({ token, scenario, hold, onOutcome, onSeen }: ReceiverOptions) {
  const checkTenant = createTenantCheck();
  let count = 0;

  /** Reports a request that is no event of the contract. */
  function reportOther(answer: number, found: readonly Found[]): void {
    count += 1;
    for (const each of found) onOutcome(each);
    onSeen({ number: count, event: undefined, answer, note: undefined, found });
  }

  function answerRefused({ problem: refusal, found }: Refused, request: Request, response: Response): void {
    request.resume();
    sendProblem(refusal, request, response, {});
    reportOther(refusal.status, found);
  }

  async function answerMessage(
    event: Message,
    operation: WebhookOperationId,
    response: Response,
  ): Promise<void> {
    count += 1;
    const one = scenario.receive(event, operation);
    onOutcome(one.found ?? passed(operation, "a webhook follows the contract"));
    const form = shiftIdForm(event, operation);
    for (const each of form) onOutcome(each);
    const seen = { number: count, event, note: one.note, found: [...[one.found ?? []].flat(), ...form] };
    if (one.reply === "hold") onSeen({ ...seen, answer: "held" });
    const answer = await reply(one, response, hold);
    onSeen({ ...seen, answer });
  }

  return {
    receive: async (request: Request, response: Response, operation: WebhookOperation): Promise<void> => {
      const { operationId } = operation;
      const refused = judgeHead(request, operationId, token);
      if (refused) return answerRefused(refused, request, response);
      const body = await readBody(request, operation);
      if (body.kind === "refused") return answerRefused(body, request, response);
      const payload = readPayload(body.value, operationId);
      if (payload.kind === "refused") return answerRefused(payload, request, response);
      if (payload.kind === "foreign") {
        acknowledge(response);
        return reportOther(200, [payload.found]);
      }
      const foreign = checkTenant(payload.event, operationId);
      if (foreign) return answerRefused(foreign, request, response);
      await answerMessage(payload.event, operationId, response);
    },
    refuseMethod: (request: Request, response: Response, operation: WebhookOperation) =>
      answerRefused(refuseMethod(request, operation), request, response),
    refusePath: (request: Request, response: Response) =>
      answerRefused(refusePath(request), request, response),
  };
}

/** Warns of a shift id that is not a UUID (6). The platform accepts any text. */
function shiftIdForm({ content: { shiftId } }: Message, operation: WebhookOperationId): Found[] {
  if (isUuid(shiftId)) return [];
  const actual = "content.shiftId is another string";
  return [found("shift_id_not_uuid", { operation, expected: "content.shiftId: a UUID", actual })];
}

/** Returns a check that a token is used for one organisation only: that of the first webhook. */
function createTenantCheck(): (event: Message, operation: WebhookOperationId) => Refused | undefined {
  let known: string | undefined;
  return ({ providerId }, operation) => {
    known ??= providerId.toLowerCase();
    if (providerId.toLowerCase() === known) return undefined;
    const detail = "The token belongs to another providerId than that of the payload.";
    return refuse(problem("forbidden", { detail }), "webhook_provider_changed", {
      operation,
      expected: "the providerId of the first webhook",
      actual: "another providerId",
    });
  };
}

async function reply(
  one: Attempt,
  response: Response,
  hold: (ms: number) => Promise<void>,
): Promise<Seen["answer"]> {
  const closed = once(response, "close");
  if (one.reply === "hold") await Promise.race([hold(HOLD_MS), closed]);
  if (one.reply === "fail") {
    const detail = "This failure is deliberate. Retry the webhook with the same traceId.";
    sendProblem(problem("internal_error", { detail }), response.req, response, {});
  } else if (one.reply === "limit") {
    const detail = "This limit is deliberate. Retry the webhook after the time of Retry-After.";
    const limited = problem("rate_limited", { detail }, { "Retry-After": String(RETRY_AFTER_S) });
    sendProblem(limited, response.req, response, {});
    void hold(LIMIT_MS).then(() => {
      one.delivery.mayRetry = true;
    });
  } else if (!response.closed) acknowledge(response);
  await closed;
  if (!response.writableFinished) {
    one.delivery.hasGivenUp = true;
    return "given up";
  }
  if (response.statusCode === 200) one.delivery.isAcknowledged = true;
  return response.statusCode;
}

function acknowledge(response: Response): void {
  response.json({ received: true });
}

/** `foreign`: an unknown event name, acknowledged as by the platform (decisions, "unknown event name"). */
export type Payload = { kind: "message"; event: Message } | { kind: "foreign"; found: Found } | Refused;

export const eventNames = Object.keys(messages) as EventName[];

export function isEventName(name: unknown): name is EventName {
  return eventNames.some((each) => each === name);
}

/** Judges the body of a webhook (contract 6). */
function readPayload(body: unknown, operation: WebhookOperationId): Payload {
  const name = valueAt(body, "/event");
  const validator = isEventName(name) ? schemas[messages[name].schema] : requests[operation].body;
  if (!validator(body)) return malformed(body, validator.errorsOf(body), operation);
  if (isEventName(name)) return { kind: "message", event: body as Message };
  const [expected, actual] = [eventNames.join(", "), JSON.stringify(String(name).slice(0, 100))];
  return { kind: "foreign", found: found("webhook_event_unknown", { operation, expected, actual }) };
}

function malformed(body: unknown, errors: readonly FieldError[], operation: WebhookOperationId): Refused {
  const all = body === undefined ? [{ pointer: "", message: "is missing" }] : errors;
  return {
    kind: "refused",
    problem: problem("validation_failed", { detail: "The request is not valid.", errors: [...all] }),
    found: all.map((error) => {
      const { path, expected } = faultOf(body, error);
      const isMissing = error.message === "is missing";
      return found("webhook_payload_wrong", {
        operation,
        expected: isMissing ? `${path}, which is missing` : `${path}: ${expected}`,
        actual: describe(valueAt(body, error.pointer)),
      });
    }),
  };
}

/** Returns the kind of a value, never the value: a wrong field may contain anything. */
function describe(value: unknown): string {
  return typeof value === "string" ? `a string of ${value.length} characters` : kindOf(value);
}

export interface Refused {
  kind: "refused";
  problem: ProblemError;
  found: readonly Found[];
}

/** decisions, "{provider} path segment". */
const KIND = /^[a-z][a-z0-9-]{1,31}$/;
/** Names and UUIDs. Other segments may contain anything. */
const SHOWN = /^(?:[a-z][a-z0-9-]{0,31}|v\d|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?$/i;

type Details = Pick<Found, "expected" | "actual"> & { operation?: Place };

function refuse(answer: ProblemError, code: Code, details: Details): Refused {
  return { kind: "refused", problem: answer, found: [found(code, details)] };
}

function refusePath({ method, path }: Request): Refused {
  const segments = path.split("/").slice(0, 10);
  const shown = segments.map((segment) => (SHOWN.test(segment) ? segment : "*")).join("/");
  const detail = "There is no resource at this path.";
  const expected = "POST /api/v3/integrations/{provider}/webhook or POST /webhooks/scheduling-provider";
  const actual = `${method} ${shown}`;
  return refuse(problem("not_found", { detail }), "webhook_path_wrong", { expected, actual });
}

function refuseMethod({ method }: Request, { operationId }: WebhookOperation): Refused {
  const details = { operation: operationId, expected: "POST", actual: method };
  return refuse(problem("method_not_allowed", {}, { Allow: "POST" }), "webhook_method_wrong", details);
}

/** Returns undefined if token and kind are right. The token is checked first, like at the platform. */
function judgeHead(request: Request, operation: WebhookOperationId, token: string): Refused | undefined {
  const header = request.headers.authorization;
  const given = bearerToken(header);
  const refuseToken = (code: Code, actual: string) => {
    const [expected, headers] = ["Authorization: Bearer <PLATFORM_TOKEN>", { "WWW-Authenticate": "Bearer" }];
    const unauthorized = problem("unauthorized", { detail: `Send \`${expected}\`.` }, headers);
    return refuse(unauthorized, code, { operation, expected, actual });
  };
  if (header === undefined) return refuseToken("webhook_token_missing", "no Authorization header");
  if (given === undefined) return refuseToken("webhook_scheme_wrong", "another Authorization header");
  if (!isSameToken(given, token)) return refuseToken("webhook_token_wrong", "Bearer with another token");
  return judgeKind(request, operation);
}

function judgeKind({ params }: Request, operation: WebhookOperationId): Refused | undefined {
  const { provider: kind } = params;
  if (typeof kind !== "string" || KIND.test(kind)) return undefined;
  const [expected, actual] = [`a kind that matches ${KIND.source}`, "another string"];
  return refuse(problem("provider_kind_unknown"), "webhook_kind_wrong", { operation, expected, actual });
}

const BODY_CODES: Partial<Record<ProblemCode, Code>> = {
  unsupported_media_type: "webhook_content_type_wrong",
  payload_too_large: "webhook_body_too_large",
};

async function readBody(
  request: Request,
  { operationId, body }: WebhookOperation,
): Promise<{ kind: "json"; value: unknown } | Refused> {
  try {
    return { kind: "json", value: await readContent(request, { ...body, limit: BODY_LIMIT }) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, detail = "" } = error.problem;
    const finding = BODY_CODES[code as ProblemCode] ?? "webhook_body_not_json";
    const actual = finding === "webhook_content_type_wrong" ? contentTypeOf(request) : detail;
    const expected = `a body of ${body.contentType}, complete and at most 64 kB`;
    return refuse(error, finding, { operation: operationId, expected, actual });
  }
}

function contentTypeOf({ headers }: Request): string {
  const type = headers["content-type"];
  const encoding = headers["content-encoding"];
  const label = type === undefined ? "no Content-Type" : `Content-Type: ${type.slice(0, 100)}`;
  return encoding === undefined ? label : `${label}, Content-Encoding: ${encoding.slice(0, 20)}`;
}
