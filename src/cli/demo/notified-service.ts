import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Config } from "../../platform/config.ts";

/** What a company's service for SMS or chat would get by the webhook for notifications. */
export interface NotifiedService {
  webhook: NonNullable<Config["webhook"]>;
  /** The last ones, as they were sent. */
  messages: readonly string[];
  close(): Promise<void>;
}

const KEPT = 100;

/** A service that keeps the last messages, and sends nothing to anyone. */
export async function startNotifiedService(): Promise<NotifiedService> {
  const messages: string[] = [];
  const server = createServer((request, response) => {
    const keep = (message: string) => {
      messages.push(message);
      if (messages.length > KEPT) messages.shift();
      response.writeHead(204).end();
    };
    text(request).then(keep, () => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    messages,
    webhook: { url: `http://127.0.0.1:${port}/notifications`, secrets: [randomBytes(32)] },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A port that was free at the time of the call. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
