import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type Express } from "express";
import { problem } from "../../contract/problem.ts";
import { problemHandler } from "../../runtime/problem-response.ts";
import { CouldNotRun } from "../could-not-run.ts";
import type { Outcome } from "../finding.ts";
import { type Verdict, verdictOf } from "../verdict.ts";
import { createExam, type EventName } from "./retry-scenario.ts";
import { webhookOperations } from "./webhook-operations.ts";
import { createReception, type Reception, type Seen } from "./webhook-receiver.ts";

export interface ListenerOptions {
  /** 0: any free one. */
  port: number;
  /** PLATFORM_TOKEN (contract 5.2). */
  token: string;
  /** The events that have to come. */
  expect: readonly EventName[];
  /** How long they may take. Milliseconds. */
  timeoutMs: number;
  /** Called for each request once it has a response, and for a delayed one also before. */
  onSeen?: (seen: Seen) => void;
  /** Resolves after so many milliseconds, or as soon as the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A platform stand-in that judges the webhooks it gets. */
export interface Listener {
  url: string;
  port: number;
  /** When everything that is expected was seen, the time is over, or `stop` was called. The port is free again then. */
  finished: Promise<Verdict>;
  stop(): void;
}

/**
 * Listens on this machine only.
 * @throws CouldNotRun when the port cannot be had
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const outcomes: Outcome[] = [];
  const end = new AbortController();
  const exam = createExam(options.expect);
  const reception = createReception({
    token: options.token,
    exam,
    hold: (ms) => options.wait(ms, end.signal),
    onOutcome: (outcome) => outcomes.push(outcome),
    onSeen: (seen) => {
      options.onSeen?.(seen);
      if (exam.isOver()) end.abort();
    },
  });
  const server = createServer(createApp(reception));
  const port = await listen(server, options.port);
  const finish = async () => {
    await options.wait(options.timeoutMs, end.signal);
    end.abort();
    await close(server);
    const within = `${Math.round(options.timeoutMs / 1000)} s`;
    return verdictOf([...outcomes, ...exam.outcomes(within)], { PLATFORM_TOKEN: options.token });
  };
  return { url: `http://127.0.0.1:${port}`, port, finished: finish(), stop: () => end.abort() };
}

function createApp(reception: Reception): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use((_request, response, next) => {
    // Nothing is to keep the port open once everything was seen.
    response.setHeader("Connection", "close");
    next();
  });
  for (const operation of webhookOperations) {
    app
      .route(operation.path.replaceAll(/\{(\w+)\}/g, ":$1"))
      .post((request, response) => reception.receive(request, response, operation))
      .all((request, response) => reception.refuseMethod(request, response, operation));
  }
  app.get(["/health/live", "/health/ready"], (_request, response) => void response.json({ status: "ok" }));
  app.use(reception.refusePath);
  app.use(unexpected, problemHandler());
  return app;
}

/** A path that cannot be decoded is the sender's fault; anything else is ours, and its text may quote what was sent. */
const unexpected: ErrorRequestHandler = (error: unknown, _request, _response, next) => {
  next(error instanceof URIError ? error : problem("internal_error"));
};

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new CouldNotRun(`port ${port} is in use: choose another with --port, 0 for any free one`);
    }
    throw new CouldNotRun(`port ${port} cannot be listened on (${code ?? "unknown reason"})`);
  }
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  // A sender that never ends its request must not keep the port.
  const cut = setTimeout(() => server.closeAllConnections(), 1_000);
  await closed;
  clearTimeout(cut);
}
