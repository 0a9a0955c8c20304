import type { Express, Request, RequestHandler, Router } from "express";
import express from "express";
import helmet from "helmet";
import type { Logger } from "pino";
import { type Handlers, createRouter as operationsRouter } from "../../generated/operations/server.ts";
import { createRouter as platformRouter } from "../../generated/platform/server.ts";
import { problem } from "../contract/problem.ts";
import { problemHandler } from "../runtime/problem-response.ts";
import { createAddressLimit, limitInTotal } from "./access/address-limit.ts";
import type { Identity } from "./access/audit.ts";
import { createOperatorTokens } from "./access/operators.ts";
import { createSessions } from "./access/sessions.ts";
import type { Backlogs } from "./backlog/backlogs.ts";
import type { Config } from "./config.ts";
import type { Deps } from "./deps.ts";
import {
  clientAddress,
  type OperatorAuthentication,
  operationsAuthentication,
  webhookAuthentication,
  webhookOwnerOf,
} from "./http/authenticate.ts";
import { candidatePages } from "./http/candidate-pages.ts";
import { translateErrors } from "./http/errors.ts";
import { audited, withStorableInput } from "./http/handlers.ts";
import { backupHandler, healthHandlers } from "./http/management.ts";
import { accessHandlers } from "./http/operations/access.ts";
import { candidateHandlers } from "./http/operations/candidates.ts";
import { catalogueHandlers } from "./http/operations/catalogue.ts";
import { eventHandlers } from "./http/operations/events.ts";
import { integrationHandlers } from "./http/operations/integrations.ts";
import { issueHandlers } from "./http/operations/issues.ts";
import { jobHandlers } from "./http/operations/jobs.ts";
import { monitoringHandlers } from "./http/operations/monitoring.ts";
import { notificationHandlers } from "./http/operations/notifications.ts";
import { streamHandlers } from "./http/operations/stream.ts";
import { logInvalidResponse, requestLog, traceId } from "./http/request-log.ts";
import { consolePages, docsPages, type WebPages } from "./http/web-pages.ts";
import { webhookHandlers } from "./http/webhook.ts";
import type { Readiness } from "./inbox/readiness.ts";
import type { Inbox } from "./inbox/receive.ts";
import type { RejectedWebhooks } from "./inbox/rejected-webhooks.ts";
import { createTokenOwners } from "./integrations/tokens.ts";
import type { Figures } from "./metrics/figures.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { type Observer, timeWebhooks } from "./metrics/observer.ts";
import type { Stream } from "./stream.ts";

type Settings = Pick<
  Config,
  | "operationsToken"
  | "allowInsecureProviders"
  | "webhookRateLimit"
  | "unknownTokenLimit"
  | "management"
  | "trustProxy"
>;

export interface AppParts extends Settings {
  deps: Deps;
  log: Logger;
  inbox: Inbox;
  readiness: Readiness;
  stream: Pick<Stream, "add">;
  observer: Observer;
  metrics: Pick<Metrics, "text" | "contentType">;
  figures: Pick<Figures, "flush">;
  backlogs: Backlogs;
  rejections: RejectedWebhooks;
  isDraining: () => boolean;
  /** Milliseconds. */
  streamCheckMs?: number;
  /** Without it nothing is served at /console and /docs. */
  pages?: { console: WebPages; docs: WebPages };
}

const CALLS_OF_A_PAGE = 10;

/** The platform's HTTP. Both apps count failed tokens and webhooks together. */
export function createApps(parts: AppParts): { app: Express; publicApp: Express } {
  const { deps, log, operationsToken, pages } = parts;
  const router = { traceId, onInvalidResponse: logInvalidResponse(log) };
  const now = () => deps.now().getTime();
  const failures = createAddressLimit(parts.unknownTokenLimit, now);
  const inboxOnly = { kysely: deps.database.inbox };
  const owners = createTokenOwners(inboxOnly, failures, now);
  const onProblem: OnProblem = (error, request) =>
    parts.rejections.note(error, { url: request.originalUrl, owner: webhookOwnerOf(request) });
  const contract = platformRouter({
    ...router,
    onProblem,
    handlers: {
      ...webhookHandlers(deps, parts.inbox, parts.observer),
      ...healthHandlers(parts.readiness, parts.isDraining),
    },
    authenticate: webhookAuthentication(owners, parts.webhookRateLimit, log),
  });
  const open = () => contractApp(parts, contract);
  const app = open();
  app.use(helmet());
  const guesses = limitInTotal(failures, parts.unknownTokenLimit, now);
  const operators = createOperatorTokens(deps.database, guesses, now);
  // A page whose session has ended sends several calls, and no one guesses 32 bytes: this only spares the database.
  const stale = createAddressLimit(parts.unknownTokenLimit * CALLS_OF_A_PAGE, now);
  const { kysely } = deps.database;
  const sessions = createSessions({ kysely, limit: stale, operationsToken, now: deps.now, log });
  const authenticate = operationsAuthentication(operators, sessions, guesses, operationsToken, log);
  app.use("/operations/v1", (_request, response, next) => {
    response.set("Cache-Control", "no-store");
    next();
  });
  if (!parts.management) app.get("/metrics", onlyLocal(authenticate), metricsHandler(parts.metrics));
  app.get("/operations/v1/backup", backupHandler(deps, authenticate));
  const handlersOf = (scoped: Deps): Handlers<Identity> => ({
    ...integrationHandlers({ ...parts, deps: scoped, owners }),
    ...catalogueHandlers(scoped),
    ...candidateHandlers(scoped),
    ...jobHandlers(scoped),
    ...eventHandlers(scoped, parts.rejections),
    ...notificationHandlers(scoped),
    ...issueHandlers(scoped),
    ...monitoringHandlers({ ...parts, deps: scoped }),
    ...streamHandlers({ ...parts, authenticate }),
    ...accessHandlers(scoped, { operators, sessions }),
  });
  const handlers = withStorableInput(audited(deps, handlersOf));
  app.use("/operations/v1", operationsRouter({ ...router, handlers, authenticate }));
  if (pages) app.use("/console", consolePages(pages.console)).use("/docs", docsPages(pages.docs));
  const unknownLinks = createAddressLimit(parts.unknownTokenLimit, now);
  const pagesOfLinks = candidatePages(deps, unknownLinks);
  app.use(pagesOfLinks);
  return {
    app: closed(app, log, onProblem),
    publicApp: closed(open().use(helmet()).use(pagesOfLinks), log, onProblem),
  };
}

/** What everyone may reach: the operations of the contract and the health checks. */
function contractApp({ log, observer, trustProxy }: AppParts, contract: Router): Express {
  const app = emptyApp();
  if (trustProxy !== undefined) trust(app, trustProxy);
  app.use(requestLog(log));
  app.use(["/api/v3", "/webhooks"], timeWebhooks(observer));
  return app.use(contract);
}

type OnProblem = NonNullable<NonNullable<Parameters<typeof problemHandler>[0]>["onProblem"]>;

/** Adds the responses to requests that no part of the app serves. */
function closed(
  app: Express,
  log: Logger,
  onProblem: OnProblem = () => undefined,
  detail = "There is no resource at this path.",
): Express {
  app.use((_request, _response, next) => next(problem("not_found", { detail })));
  return app.use(translateErrors(log), problemHandler({ traceId, onProblem }));
}

/** More than any request passes through: a caller behind a trusted proxy may name thousands. */
const MOST_PROXIES = 10;

function trust(app: Express, proxies: NonNullable<AppParts["trustProxy"]>): void {
  app.set("trust proxy", proxies);
  const isTrusted: (address: string, nth: number) => boolean = app.get("trust proxy fn");
  app.set("trust proxy", (address: string, nth: number) => nth < MOST_PROXIES && isTrusted(address, nth));
}

/** Paths are matched by case, as the documents have them, whatever a proxy before the platform does. */
function emptyApp(): Express {
  const app = express();
  app.enable("case sensitive routing");
  app.disable("x-powered-by");
  app.disable("etag");
  return app;
}

/** The management listener: /metrics and the health checks, without a token. */
export function createManagementApp({ readiness, log, metrics, isDraining }: AppParts): Express {
  const app = emptyApp();
  const { getLiveness, getReadiness } = healthHandlers(readiness, isDraining);
  app.get("/metrics", metricsHandler(metrics));
  app.get("/health/live", (_request, response) => void response.json(getLiveness().body));
  app.get("/health/ready", async (_request, response) => void response.json((await getReadiness()).body));
  return closed(app, log, undefined, "The management listener serves /metrics and /health alone.");
}

/** A page of another site that reaches this machine by its own name (DNS rebinding) sends that name. */
const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Lets a request through that comes from this machine, or from an operator. */
function onlyLocal(authenticate: OperatorAuthentication): RequestHandler {
  return async (request, _response, next) => {
    if (!isLocal(request)) await authenticate(request, { scopes: ["viewer"] });
    next();
  };
}

/** Only a trusted proxy may name the client's address. */
function isLocal(request: Request): boolean {
  const { app, headers, socket } = request;
  const isForwarded = headers.forwarded !== undefined || headers["x-forwarded-for"] !== undefined;
  const address = app.get("trust proxy") ? clientAddress(request) : socket.remoteAddress;
  return (
    // Not Express's name of the host: behind a trusted proxy it is X-Forwarded-Host, which such a page may send.
    LOCAL_HOST.test(headers.host ?? "") &&
    (app.get("trust proxy") || !isForwarded) &&
    /^(::ffff:)?127\.|^::1$/.test(address ?? "")
  );
}

function metricsHandler({ text, contentType }: AppParts["metrics"]): RequestHandler {
  return async (_request, response) => {
    response
      .set("Cache-Control", "no-store")
      .type(contentType)
      .send(await text());
  };
}
