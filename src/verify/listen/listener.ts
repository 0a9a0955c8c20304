import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type Express } from "express";
import { problem } from "../../contract/problem.ts";
import { problemHandler } from "../../runtime/problem-response.ts";
import { CouldNotRun } from "../connection-errors.ts";
import type { Outcome } from "../finding.ts";
import { type Verdict, verdictOf } from "../verdict.ts";
import { createRetryScenario, type EventName } from "./retry-scenario.ts";
import { webhookOperations } from "./webhook-operations.ts";
import { createReceiver, type Receiver, type Seen } from "./webhook-receiver.ts";

export interface ListenerOptions {
  /** 0: any free port. */
  port: number;
  /** PLATFORM_TOKEN (contract 5.2). */
  token: string;
  expect: readonly EventName[];
  /** Time limit for the events. Milliseconds. */
  timeoutMs: number;
  /** Called for each request once it has a response, and for a delayed one also before. */
  onSeen?: (seen: Seen) => void;
  /** Resolves after the given time, or when the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Listener {
  url: string;
  port: number;
  /** Resolves after all expected events, the time limit or `stop`. The port is free then. */
  finished: Promise<Verdict>;
  stop(): void;
}

/**
 * Starts a listener on the local interface only.
 * @throws CouldNotRun when the port is not available
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const outcomes: Outcome[] = [];
  const end = new AbortController();
  const scenario = createRetryScenario(options.expect);
  const receiver = createReceiver({
    token: options.token,
    scenario,
    hold: (ms) => options.wait(ms, end.signal),
    onOutcome: (outcome) => outcomes.push(outcome),
    onSeen: (seen) => {
      options.onSeen?.(seen);
      if (scenario.isComplete()) end.abort();
    },
  });
  const server = createServer(createApp(receiver));
  const port = await listen(server, options.port);
  const finish = async () => {
    await options.wait(options.timeoutMs, end.signal);
    end.abort();
    await close(server);
    const within = `${Math.round(options.timeoutMs / 1000)} s`;
    return verdictOf([...outcomes, ...scenario.outcomes(within)], { PLATFORM_TOKEN: options.token });
  };
  return { url: `http://127.0.0.1:${port}`, port, finished: finish(), stop: () => end.abort() };
}

function createApp(receiver: Receiver): Express {
  const app = express();
  app.enable("case sensitive routing");
  app.disable("x-powered-by");
  app.use((_request, response, next) => {
    // No connection may keep the port open at the end.
    response.setHeader("Connection", "close");
    next();
  });
  for (const operation of webhookOperations) {
    app
      .route(operation.path.replaceAll(/\{(\w{1,99})\}/g, ":$1"))
      .post((request, response) => receiver.receive(request, response, operation))
      .all((request, response) => receiver.refuseMethod(request, response, operation));
  }
  app.get(["/health/live", "/health/ready"], (_request, response) => void response.json({ status: "ok" }));
  app.use(receiver.refusePath);
  app.use(unexpected, problemHandler());
  return app;
}

/** Returns 500 for unexpected errors without their text, which may quote the request. */
const unexpected: ErrorRequestHandler = (error: unknown, _request, _response, next) => {
  next(error instanceof URIError ? error : problem("internal_error"));
};

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "is in use" : `cannot be used (${code ?? "unknown reason"})`;
    throw new CouldNotRun(`port ${port} ${why}: choose another with --port, 0 for any free one`);
  }
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  // A sender that never ends its request must not keep the port open.
  const cut = setTimeout(() => server.closeAllConnections(), 1_000);
  await closed;
  clearTimeout(cut);
}
