import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { operationsTable } from "../../../generated/provider/server.ts";
import type { Run } from "../run.ts";
import type { Exchange, OperationId, Probe } from "../target.ts";

/** The address that Pact is told. What it sends there goes to the provider as the kit's own requests do. */
export interface Gate {
  url: string;
  /** What went through since the last call. */
  taken(): Exchange[];
  close(): Promise<void>;
}

/**
 * Pact sends no request to the provider itself: through here each one waits when the provider limits its rate, has the run's time limit, is
 * judged like any other answer, and can be shown as a curl line.
 */
export async function openGate(run: Run): Promise<Gate> {
  let exchanges: Exchange[] = [];
  const server = createServer((request, response) => {
    pass(run, request)
      .then((exchange) => {
        if (exchange) exchanges.push(exchange);
        answer(response, exchange);
      })
      .catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    taken: () => exchanges.splice(0),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function pass(run: Run, request: IncomingMessage): Promise<Exchange | undefined> {
  const probe = probeOf(request.method ?? "", request.url ?? "", await text(request));
  return probe && run.send(probe);
}

const ROUTES = operationsTable.map(({ operationId, method, path }) => ({
  operation: operationId as OperationId,
  method: method as string,
  // A fixed name before a parameter: /candidates/registry is no candidate's id.
  pattern: new RegExp(`^(?:/providers/[^/]+)?${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
}));

/** The request that Pact makes of an interaction, as one of the kit's. Undefined when it is to no operation of the contract. */
export function probeOf(method: string, url: string, body: string): Probe | undefined {
  const { pathname, searchParams } = new URL(url, "http://gate");
  for (const route of ROUTES) {
    const groups = route.method === method ? route.pattern.exec(pathname)?.groups : undefined;
    const isRoute = route.method === method && route.pattern.test(pathname);
    if (!isRoute) continue;
    const path = Object.entries(groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    return {
      operation: route.operation,
      path: Object.fromEntries(path),
      ...(searchParams.size > 0 && { query: Object.fromEntries(searchParams) }),
      ...(body !== "" && { json: JSON.parse(body) }),
    };
  }
  return undefined;
}

/** JSON is named JSON: whether the provider labels it so is the judge's to say. */
function answer(response: ServerResponse, exchange: Exchange | undefined): void {
  if (exchange?.answer.kind !== "answer") {
    response.writeHead(502).end();
    return;
  }
  const { status, headers, json, text: body } = exchange.answer;
  const type = json === undefined ? headers["content-type"] : "application/json";
  response.writeHead(status, type === undefined ? {} : { "Content-Type": type });
  response.end(status === 204 ? undefined : body);
}
