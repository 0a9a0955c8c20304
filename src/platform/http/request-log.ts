import type { Request, RequestHandler, Response } from "express";
import type { Logger } from "pino";
import { pinoHttp } from "pino-http";
import { isUuid } from "../../contract/uuid.ts";
import type { OperationInfo } from "../../runtime/operation.ts";
import type { FieldError } from "../../runtime/validator.ts";
import { isWebhook } from "../inbox/rejected-webhooks.ts";
import { clientAddress, identityOf } from "./authenticate.ts";

/** What a problem document and the log may repeat of the caller's X-Trace-Id. */
export function traceId(request: Request): string | undefined {
  const given = request.get("x-trace-id");
  return given !== undefined && /^[\w-]{1,100}$/.test(given) ? given : undefined;
}

/** One line for each request, without its query. An acknowledged webhook has its row in the inbox and needs no line. */
export function requestLog(logger: Logger): RequestHandler {
  const others = logOfOthers(logger);
  return (request, response, next) => {
    if (request.method !== "POST" || !isWebhook(request.url)) return others(request, response, next);
    const startedAt = performance.now();
    // Unknown once the client has closed the connection.
    const address = clientAddress(request);
    // pino-http's logger for each request would make each acknowledgement 5 % slower.
    response.once("close", () => {
      const { statusCode: status } = response;
      if (status < 400) return;
      const line = {
        req: { method: request.method, path: loggedPath(request.originalUrl) },
        res: { status },
        responseTime: Math.round(performance.now() - startedAt),
        traceId: isUuid(request.body?.traceId) ? request.body.traceId : traceId(request),
        address,
      };
      logger[status >= 500 ? "error" : "warn"](line, "request completed");
    });
    next();
  };
}

function logOfOthers(logger: Logger) {
  const operatorOf = (request: Request) => ({ operator: identityOf(request)?.name });
  return pinoHttp<Request, Response>({
    logger,
    quietReqLogger: true,
    customProps: (request) => ({ traceId: traceId(request), address: clientAddress(request) }),
    // The operator is known only once the token is checked.
    customSuccessObject: (request, _response, line) => ({ ...line, ...operatorOf(request) }),
    customErrorObject: (request, _response, _error, line) => ({ ...line, ...operatorOf(request) }),
    // Asked for every second, and a failure has a line of its own.
    autoLogging: { ignore: ({ url = "" }) => /^\/health\/(?:live|ready)\/?(?:\?|$)/.test(url) },
    customLogLevel: ({ url = "" }, response, error) => {
      // Asked for as often, but what guesses tokens there must not go unnoticed.
      if (response.statusCode < 400 && /^\/metrics\/?(?:\?|$)/.test(url)) return "silent";
      if (error || response.statusCode >= 500) return "error";
      return response.statusCode >= 400 ? "warn" : "info";
    },
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: loggedPath(url) }),
      res: ({ statusCode }: { statusCode: number }) => ({ status: statusCode }),
    },
  });
}

/** Names from the documents and UUIDs. Any other segment may hold anything, even a percent-encoded personal number. */
const LOGGED = /^(?:[a-z][a-z0-9-]{0,31}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?$/i;

/** Without the query: the contract puts a personal number in one. */
function loggedPath(url: string): string {
  const [path = ""] = url.split("?", 1);
  const segments = path.split("/").slice(0, 10);
  return segments.map((segment) => (LOGGED.test(segment) ? segment : "*")).join("/");
}

export function logInvalidResponse(log: Logger) {
  return ({ operationId }: OperationInfo, errors: readonly FieldError[]) => {
    log.error({ operationId, errors }, "a response violates the API document");
  };
}
