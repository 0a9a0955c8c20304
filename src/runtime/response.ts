import { Readable } from "node:stream";
import type { Response } from "express";
import type { OperationInfo } from "./operation.ts";
import { ProblemError } from "./problem.ts";
import { sendEvents } from "./send-events.ts";
import type { FieldError, Validator } from "./validator.ts";

/** The validators for one operation's responses, by status; a response without a body has none. */
export type ResponseValidators = Readonly<Record<string, Validator<unknown>>>;

/** Sent as they are, in UTF-8. */
const TEXTS: readonly (string | null)[] = ["text/html", "text/calendar"];

interface ResponseRules {
  readonly validateResponses?: boolean;
  onInvalidResponse?(operation: OperationInfo, errors: readonly FieldError[]): void;
}

/** The result of a handler, once its types are gone. */
export interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a function that validates and sends the handler's result of one operation. */
export function responseWriter(
  operation: OperationInfo,
  validators: ResponseValidators,
  rules: ResponseRules,
): (response: Response, answered: unknown) => Promise<void> | void {
  const validate = rules.validateResponses !== false;
  const refuse = (errors: readonly FieldError[]): never => {
    rules.onInvalidResponse?.(operation, errors);
    throw new ProblemError(500, "internal_error");
  };
  return (response, answered) => {
    if (!isAnswered(answered)) return refuse([{ pointer: "/status", message: "is missing" }]);
    const isListed = answered.status in operation.responses;
    const key = isListed || answered.status < 400 ? answered.status : "default";
    const contentType = operation.responses[key];
    if (contentType === undefined) return refuse([{ pointer: "/status", message: "is not declared" }]);
    const validator = validators[key];
    if (contentType === "text/event-stream") {
      const check = (event: unknown) => {
        if (validate && validator && !validator(event)) refuse(bodyErrors(validator, event));
      };
      return sendStream(response, answered, check);
    }
    if (validate && validator !== undefined && !validator(answered.body)) {
      return refuse(bodyErrors(validator, answered.body));
    }
    send(response, answered, contentType);
  };
}

function isAnswered(value: unknown): value is Answered {
  return typeof value === "object" && value !== null && "status" in value && typeof value.status === "number";
}

function bodyErrors(validator: Validator<unknown>, body: unknown): FieldError[] {
  return validator.errorsOf(body).map(({ pointer, message }) => ({ pointer: `/body${pointer}`, message }));
}

function sendStream(
  response: Response,
  { body, ...answered }: Answered,
  check: (event: unknown) => void,
): Promise<void> | void {
  setHead(response, answered, "text/event-stream");
  if (response.req.method !== "HEAD") return sendEvents(response, body as AsyncIterable<unknown>, check);
  if (body instanceof Readable) body.destroy();
  response.end();
}

function send(response: Response, answered: Answered, contentType: string | null): void {
  setHead(response, answered, contentType);
  if (contentType === null) response.end();
  else response.end(TEXTS.includes(contentType) ? answered.body : JSON.stringify(answered.body));
}

function setHead(response: Response, { status, headers }: Answered, contentType: string | null): void {
  response.statusCode = status;
  if (contentType !== null)
    response.setHeader(
      "Content-Type",
      TEXTS.includes(contentType) ? `${contentType}; charset=utf-8` : contentType,
    );
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
}
