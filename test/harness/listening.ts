import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on any free port of this machine; `close` closes every connection. */
export async function listening(server: Server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns a listener that ends with the connection of its caller: a request that breaks off fails no other test. */
export function untilReset(
  listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  return (request, response) => {
    listener(request, response).catch((error) => {
      response.destroy();
      if (error.code !== "ECONNRESET") throw error;
    });
  };
}
