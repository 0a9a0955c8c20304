import { type Request, type Response, Router } from "express";
import type { OperationInfo } from "./operation.ts";
import { byPrecedence, encodedText, withoutLastSlash } from "./path.ts";
import { ProblemError } from "./problem.ts";
import { problemHandler, sendProblem } from "./problem-response.ts";
import { type RequestValidators, requestReader, type Values } from "./request.ts";
import { type Answered, type ResponseValidators, responseWriter } from "./response.ts";
import type { FieldError } from "./validator.ts";

export interface RouterOptions<Handlers, Context> {
  handlers: Handlers;
  /**
   * Called before the body is read, for operations with security only. Its result is the handler's context;
   * it refuses a request by throwing a ProblemError (401, 403).
   */
  authenticate(request: Request, operation: OperationInfo): Context | Promise<Context>;
  /**
   * Called before the body is read, for operations without security: for one whose path holds a secret. Its result, if there is one, is the
   * response, and the handler is not called.
   */
  admit?(request: Request, operation: OperationInfo): Answered | undefined | Promise<Answered | undefined>;
  /** The largest body that is read, in bytes; 64 kB when not given. A form whose fields are all bounded has a limit of its own. */
  bodyLimit?: number;
  /** Whether responses are validated against the document; true when not given. */
  validateResponses?: boolean;
  /** Called with a handler's response that the document does not allow; the caller gets a 500 problem without detail. */
  onInvalidResponse?(operation: OperationInfo, errors: readonly FieldError[]): void;
  /** Added to every problem document of the router. */
  traceId?(request: Request): string | undefined;
  /** Called with each problem that the router sends. */
  onProblem?(error: ProblemError, request: Request): void;
}

/** The validators of a document by operationId. */
export interface OperationValidators {
  readonly requests: Readonly<Record<string, RequestValidators>>;
  readonly responses: Readonly<Record<string, ResponseValidators>>;
}

type AnyHandler = (request: Values, context: unknown) => unknown;
type Answer = (request: Request, response: Response) => Promise<void>;

/** In bytes (decisions, "malformed; not authorised"). */
export const BODY_LIMIT = 64 * 1024;

/**
 * The router behind every generated `createRouter`. A request passes: route, `authenticate` or `admit`, body, validation of
 * path, query, headers and body together, handler, validation of the response. Paths of no operation fall through.
 *
 * Invalid input is answered 400 `validation_failed` with one entry in `errors` for each fault. Pointers lead into
 * the body ("/startTime"); those of other parts carry a fragment sign and the part ("#/path/bookId",
 * "#/query/limit", "#/headers/X-Trace").
 */
export function routerOf<Handlers extends object, Context>(
  operations: readonly OperationInfo[],
  validators: OperationValidators,
  options: RouterOptions<Handlers, Context>,
): Router {
  refuseExpress4();
  const router = Router({ mergeParams: true, caseSensitive: true });
  for (const [path, group] of byPath(operations)) {
    const answers = new Map(
      group.map((operation) => [operation.method, answerOf(operation, validators, options)]),
    );
    router.route(patternOf(path)).all(dispatcher(answers, options));
  }
  router.use(problemHandler(options));
  return router;
}

/** The package may be installed beside Express 4, whose router is itself the object with the methods, and reads paths in another way. */
function refuseExpress4(): void {
  if ("use" in Router) throw new Error("The generated stub needs Express 5, and found Express 4.");
}

/** The operations of each path, in the order in which paths are matched. */
function byPath(operations: readonly OperationInfo[]): [string, OperationInfo[]][] {
  const groups = new Map<string, OperationInfo[]>();
  for (const operation of operations) {
    const path = withoutLastSlash(operation.path);
    groups.set(path, [...(groups.get(path) ?? []), operation]);
  }
  return [...groups].sort(([left], [right]) => byPrecedence(left, right));
}

/** Returns a path of a document as Express writes it: its own signs are escaped. */
const patternOf = (path: string): string =>
  path
    .split(/\{([^}]{1,99})\}/)
    .map((part, index) =>
      index % 2 === 1 ? `:${part}` : encodedText(part).replaceAll(/[()[\]+?!:*\\]/g, "\\$&"),
    )
    .join("");

function dispatcher(
  answers: ReadonlyMap<string, Answer>,
  options: Pick<RouterOptions<object, never>, "traceId">,
) {
  const methods = [...answers.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const allow = { Allow: methods.join(", ") };
  return (request: Request, response: Response, next: (error: unknown) => void): void => {
    const answer = answers.get(request.method === "HEAD" ? "GET" : request.method);
    if (answer !== undefined) {
      answer(request, response).catch(next);
    } else if (request.method === "OPTIONS") {
      response.status(204).set(allow).end();
    } else {
      sendProblem(new ProblemError(405, "method_not_allowed", {}, allow), request, response, options);
    }
  };
}

function answerOf<Handlers extends object, Context>(
  operation: OperationInfo,
  { requests, responses }: OperationValidators,
  options: RouterOptions<Handlers, Context>,
): Answer {
  const { operationId } = operation;
  const handler = handlerOf(options.handlers, operationId);
  const read = requestReader(operation, requests[operationId] ?? {}, options.bodyLimit ?? BODY_LIMIT);
  const write = responseWriter(operation, responses[operationId] ?? {}, options);
  const secured = operation.security.length > 0;
  return async (request, response) => {
    const context = secured ? await options.authenticate(request, operation) : undefined;
    const refusal = secured ? undefined : await options.admit?.(request, operation);
    if (refusal) return write(response, refusal);
    const values = await read(request);
    await write(response, await handler(values, context));
  };
}

/** The generated `Handlers` interface has typed every handler; here all are called in the same way. */
function handlerOf(handlers: object, operationId: string): AnyHandler {
  const handler: unknown = Reflect.get(handlers, operationId);
  if (typeof handler !== "function")
    throw new TypeError(`There is no handler for the operation ${operationId}.`);
  return handler.bind(handlers);
}
