import express, { type Express, type Request, type RequestHandler } from "express";
import helmet from "helmet";
import type { Logger } from "pino";
import { pinoHttp } from "pino-http";
import { createRouter as operationsRouter } from "../../generated/operations/server.ts";
import { createRouter as platformRouter } from "../../generated/platform/server.ts";
import type { OperationInfo } from "../../generated/runtime/operation.ts";
import { problemHandler } from "../../generated/runtime/problem-response.ts";
import type { FieldError } from "../../generated/runtime/validator.ts";
import { problem } from "../contract/problem.ts";
import type { Processes } from "./db/processes.ts";
import type { Deps } from "./deps.ts";
import { operationsAuthentication, webhookAuthentication } from "./http/authenticate.ts";
import { candidateHandlers } from "./http/candidates.ts";
import { translateErrors } from "./http/errors.ts";
import { integrationHandlers } from "./http/integrations.ts";
import { jobChangeHandlers } from "./http/job-changes.ts";
import { jobHandlers } from "./http/jobs.ts";
import { loweringUuids } from "./http/lower-uuids.ts";
import { metricsHandler } from "./http/metrics.ts";
import { onboardingHandlers } from "./http/onboarding.ts";
import { peopleHandlers } from "./http/people.ts";
import { replayHandlers } from "./http/replay.ts";
import { seeingHandlers } from "./http/seeing.ts";
import { statisticsHandlers } from "./http/statistics.ts";
import { refusingUnstorableText } from "./http/storable-text.ts";
import { streamHandler } from "./http/stream.ts";
import { troubleHandlers } from "./http/troubles.ts";
import { consolePages, docsPages, type WebPages } from "./http/web-pages.ts";
import { webhookHandlers } from "./http/webhook.ts";
import type { Inbox } from "./inbox/receive.ts";
import type { FieldUses } from "./integrations/field-uses.ts";
import { createTokenOwners } from "./integrations/tokens.ts";
import type { Figures } from "./metrics/figures.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { type Observer, timeWebhooks } from "./metrics/observer.ts";
import type { Stream } from "./stream/stream.ts";

export interface AppParts {
  stream: Pick<Stream, "add">;
  /** Told of every webhook. */
  observer: Observer;
  metrics: Pick<Metrics, "text" | "contentType">;
  figures: Pick<Figures, "flush">;
  deps: Deps;
  inbox: Inbox;
  fieldUses: Pick<FieldUses, "flush">;
  log: Logger;
  operationsToken: string;
  allowInsecureProviders: boolean;
  /** Events a minute for each providerId, of which each process takes its share; 0: no limit. */
  webhookRateLimit: number;
  processes: Pick<Processes, "count">;
  /** Nothing is at /console and /docs unless given. */
  pages?: { console: WebPages; docs: WebPages };
}

/** The platform's HTTP: both webhook paths, the operations API, the health checks. */
export function createApp(parts: AppParts): Express {
  const { deps, log } = parts;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(requestLog(log));
  const router = { traceId, onInvalidResponse: tellOfInvalidResponse(log) };
  const owners = createTokenOwners(deps.database, () => deps.now().getTime());
  const handlers = webhookHandlers(deps, parts.inbox);
  const authenticate = webhookAuthentication(owners, parts.webhookRateLimit, log, parts.processes);
  app.use(["/api/v3", "/webhooks"], timeWebhooks(parts.observer));
  app.use(platformRouter({ ...router, handlers, authenticate }));
  app.use(helmet());
  app.get("/metrics", metricsHandler(parts.metrics));
  app.get("/operations/v1/stream", streamHandler(parts.stream, parts.operationsToken));
  app.use(
    "/operations/v1",
    operationsRouter({
      ...router,
      authenticate: operationsAuthentication(parts.operationsToken),
      handlers: refusingUnstorableText(
        loweringUuids({
          ...onboardingHandlers(parts),
          ...integrationHandlers(parts, owners),
          ...peopleHandlers(deps),
          ...jobHandlers(deps),
          ...seeingHandlers(deps),
          ...statisticsHandlers(parts),
          ...replayHandlers(parts),
          ...troubleHandlers(deps),
          ...candidateHandlers(deps),
          ...jobChangeHandlers(deps),
        }),
      ),
    }),
  );
  if (parts.pages) {
    app.use("/console", consolePages(parts.pages.console));
    app.use("/docs", docsPages(parts.pages.docs));
  }
  app.use((_request, _response, next) =>
    next(problem("not_found", { detail: "There is nothing at this path." })),
  );
  app.use(translateErrors(log), problemHandler({ traceId }));
  return app;
}

/** What a problem document may repeat of the caller's X-Trace-Id. */
function traceId(request: Request): string | undefined {
  const given = request.get("x-trace-id");
  return given !== undefined && /^[\w-]{1,100}$/.test(given) ? given : undefined;
}

/** One line a call, without its query; an acknowledged webhook has its row in the inbox and needs none. */
function requestLog(logger: Logger): RequestHandler {
  const others = logOfOthers(logger);
  return (request, response, next) => {
    if (request.method !== "POST" || !isWebhook(request.url)) return others(request, response, next);
    const startedAt = performance.now();
    // A logger for each request, as the others have it, would cost each acknowledgement a twentieth.
    response.once("close", () => {
      const { statusCode: status } = response;
      if (status < 400) return;
      const line = {
        req: { method: request.method, path: loggedPath(request.originalUrl) },
        res: { status },
        responseTime: Math.round(performance.now() - startedAt),
      };
      logger[status >= 500 ? "error" : "warn"](line, "request completed");
    });
    next();
  };
}

function logOfOthers(logger: Logger) {
  return pinoHttp({
    logger,
    quietReqLogger: true,
    customLogLevel: (_request, response, error) => {
      if (error || response.statusCode >= 500) return "error";
      return response.statusCode >= 400 ? "warn" : "info";
    },
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: loggedPath(url) }),
      res: ({ statusCode }: { statusCode: number }) => ({ status: statusCode }),
    },
  });
}

/** Names of ours and UUIDs; any other segment may hold anything, a personal number in percent-encoding too. */
const LOGGED = /^(?:[a-z][a-z0-9-]{0,31}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?$/i;

/** Without the query: the contract puts a personal number in one. */
function loggedPath(url: string): string {
  const [path = ""] = url.split("?", 1);
  const segments = path.split("/").slice(0, 10);
  return segments.map((segment) => (LOGGED.test(segment) ? segment : "*")).join("/");
}

const isWebhook = (url: string) => url.startsWith("/api/v3/") || url.startsWith("/webhooks/");

function tellOfInvalidResponse(log: Logger) {
  return ({ operationId }: OperationInfo, errors: readonly FieldError[]) => {
    log.error({ operationId, errors }, "an answer of ours breaks our own contract");
  };
}
