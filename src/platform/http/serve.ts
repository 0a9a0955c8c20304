import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface HttpServer {
  port: number;
  url: string;
  /** Accepts no new connection, answers the requests under way, and cuts off those left after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Listens on this machine only. Rejects with one clear line when the port is taken. */
export async function serve(app: RequestListener, port: number): Promise<HttpServer> {
  const underWay = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
    if (!server.listening) response.setHeader("Connection", "close");
    app(request, response);
  });
  await listen(server, port);
  const { port: actual } = server.address() as AddressInfo;
  return {
    port: actual,
    url: `http://127.0.0.1:${actual}`,
    close: (graceMs) => close(server, underWay, graceMs),
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new Error(`port ${port} is already in use`, { cause: error });
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
