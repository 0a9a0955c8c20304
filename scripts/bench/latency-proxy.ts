import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Resources } from "./machine.ts";

/** Starts a proxy that delays each request by this many milliseconds. Returns its URL. */
export async function startLatencyProxy(resources: Resources, url: string, ms: number): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(url);
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    await wait(ms);
    const { method, headers, url: path } = incoming;
    const passed = request({ agent, hostname, port, method, headers, path });
    incoming.pipe(passed);
    const [response] = (await once(passed, "response")) as [IncomingMessage];
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    await pipeline(response, outgoing);
  };
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  resources.onClear(async () => {
    server.closeAllConnections();
    agent.destroy();
    await once(server.close(), "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
