import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hideFromSpan } from "../tracing.ts";

export interface HttpServer {
  /** The address that it listens on; `url` has one that leads to it. */
  host: string;
  port: number;
  url: string;
  /** Goes on serving, and closes each connection after its response, so that no client sends a request on one that is about to end. */
  drain(): void;
  /** Accepts no new connection, finishes requests in progress, and cuts off those left after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

interface Place {
  host: string;
  port: number;
}

/** Proxies keep idle connections for a minute: a server that closes one first makes them lose a request that they send meanwhile. */
const IDLE_MS = 75_000;

/** The path is a secret. Clients of a proxy send the whole URL. */
const CANDIDATE_LINK = /^(?:https?:\/\/[^/]*)?\/c\//i;

interface Limits {
  connections: number;
  /** Until the headers of a request are complete. Milliseconds. */
  headersMs: number;
  /** Until the whole request is there. Milliseconds. */
  requestMs: number;
  /** How often both are checked. Milliseconds. */
  checkMs: number;
  /** Until the client has received the response that is complete. Milliseconds. */
  responseMs: number;
}

/** Half-open connections end soon, and never take all file descriptors. */
const LIMITS: Limits = {
  connections: 2_000,
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 2_000,
  responseMs: 60_000,
};

/** Rejects with one clear line when the port is taken, or the address is not of this machine. */
export async function serve(
  app: RequestListener,
  place: Place,
  { connections, headersMs, requestMs, checkMs, responseMs }: Limits = LIMITS,
): Promise<HttpServer> {
  const underWay = new Set<ServerResponse>();
  let isDraining = false;
  const timeouts = {
    keepAliveTimeout: IDLE_MS,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
  };
  const server = createServer(timeouts, (request, response) => {
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
    response.once("prefinish", () => endLate(response, responseMs));
    // Here the span is the request's: an instrumentation of Express makes those of its middleware the active ones.
    if (CANDIDATE_LINK.test(request.url ?? "")) hideFromSpan("/c/{token}");
    if (isDraining || !server.listening) response.setHeader("Connection", "close");
    app(request, response);
  });
  server.maxConnections = connections;
  await listen(server, place);
  const { address, port, family } = server.address() as AddressInfo;
  return {
    host: address,
    port,
    url: `http://${urlHostOf(address, family)}:${port}`,
    drain: () => {
      isDraining = true;
    },
    close: (graceMs) => close(server, underWay, graceMs),
  };
}

/** Ends the connection of a client that does not read, and would keep the response in memory. */
function endLate(response: ServerResponse, ms: number): void {
  const timer = setTimeout(() => response.destroy(), ms);
  response.once("close", () => clearTimeout(timer));
}

/** Every address of the machine includes its own. */
function urlHostOf(address: string, family: string): string {
  if (address === "::" || address === "0.0.0.0") return "127.0.0.1";
  return family === "IPv6" ? `[${address}]` : address;
}

async function listen(server: Server, { host, port }: Place): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new Error(`port ${port} is already in use`, { cause: error });
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new Error(`${host} is not an address of this machine`, { cause: error });
    if (code === "EACCES") throw new Error(`no permission to listen on port ${port}`, { cause: error });
    throw error;
  }
}

async function close(server: Server, underWay: Set<ServerResponse>, graceMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  for (const response of underWay) sendOff(server, response);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

/** The client must not keep its connection for another request. */
function sendOff(server: Server, response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
  // The connection is idle only after the event.
  response.once("close", () => setImmediate(() => server.closeIdleConnections()));
}
