import type { ErrorRequestHandler, Express, Request, RequestHandler } from "express";
import express from "express";
import { rateLimit } from "express-rate-limit";
import helmet from "helmet";
import type { Logger } from "pino";
import { createRouter } from "../../generated/provider/server.ts";
import { problem } from "../contract/problem.ts";
import { MINUTE_MS } from "../contract/timestamp.ts";
import { problemHandler } from "../runtime/problem-response.ts";
import { authenticator } from "./authenticate.ts";
import { callLog } from "./call-log.ts";
import type { Context } from "./context.ts";
import { faultMiddleware } from "./faults/middleware.ts";
import type { FaultSwitchboard } from "./faults/switchboard.ts";
import { handlersOf } from "./handlers/handlers.ts";
import type { Organisations } from "./organisation.ts";
import { type ProviderState, statesRoute } from "./provider-states.ts";

export interface AppParts {
  context: Context;
  organisations: Organisations;
  faults: FaultSwitchboard;
  log: Logger;
  /** Calls a minute; 0: no limit. */
  rateLimit: number;
  /** Provider states for Pact's callback; undefined: no callback. */
  states: Readonly<Record<string, ProviderState>> | undefined;
}

const LONGEST_TRACE_ID = 100;

/** Returns the provider's API on the generated stubs, with the routing conventions of its forms (contract 4.1). */
export function createApp(parts: AppParts): Express {
  const { context, organisations, log } = parts;
  const app = express();
  app.enable("case sensitive routing");
  app.disable("x-powered-by");
  app.use(callLog(log, context.now), helmet());
  if (parts.states) app.use(statesRoute(parts.states));
  if (parts.rateLimit > 0) app.use(limiter(parts.rateLimit));
  app.use(faultMiddleware(parts.faults, organisations));
  const router = createRouter({
    handlers: handlersOf(context),
    authenticate: authenticator(organisations),
    traceId,
    onInvalidResponse: (operation, errors) =>
      log.error({ operation: operation.operationId, errors }, "invalid response"),
  });
  const { routing } = context.forms;
  if (routing !== "header") app.use("/providers/:providerId", router);
  if (routing !== "path") app.use(router);
  app.use(() => {
    throw problem("not_found");
  });
  app.use(problemHandler({ traceId }), unexpected(log));
  return app;
}

function traceId(request: Request): string | undefined {
  return request.get("x-trace-id")?.slice(0, LONGEST_TRACE_ID);
}

function limiter(limit: number): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    limit,
    standardHeaders: "draft-8",
    legacyHeaders: false,
    handler: (_request, _response, next) => next(problem("rate_limited")),
  });
}

/** Logs only the kind and the place of an error: its text may quote the request. */
function unexpected(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const place =
      error instanceof Error ? error.stack?.split("\n").find((line) => line.startsWith("    at")) : "";
    log.error(
      { kind: error instanceof Error ? error.name : typeof error, place: place?.trim() },
      "unexpected",
    );
    if (response.headersSent) response.destroy();
    else problemHandler({ traceId })(problem("internal_error"), request, response, next);
  };
}
