import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { untilReset } from "./http.ts";

export interface Received {
  path: string;
  headers: IncomingMessage["headers"];
  body: unknown;
}

/** Responds to a webhook, or leaves the response open. */
export type Reply = (response: ServerResponse, received: Received) => void;

export const RECEIPT: Reply = (response) => {
  response.setHeader("Content-Type", "application/json");
  response.end('{"received":true}');
};

/** Starts a platform that records webhooks. The replies are used in order, and the last one is repeated. */
export async function startPlatform(...replies: Reply[]) {
  const received: Received[] = [];
  const server = createServer(
    untilReset(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const one = {
        path: request.url ?? "",
        headers: request.headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
      received.push(one);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      (reply ?? RECEIPT)(response, one);
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
