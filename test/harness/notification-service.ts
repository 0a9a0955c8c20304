import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { untilReset } from "./http.ts";

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

export type Reply = { status: number; headers?: Record<string, string> };

/** Without a reply, the client's time limit decides. */
export type ReplyTo = (received: Received) => Reply | undefined | Promise<Reply>;

/** A service of the company, with its own answer to each request. */
export async function startService(replyTo: ReplyTo) {
  const received: Received[] = [];
  const server = createServer(
    untilReset(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const each = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(each);
      const reply = await replyTo(each);
      if (reply) response.writeHead(reply.status, reply.headers).end();
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, close };
}
