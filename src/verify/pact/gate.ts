import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Run } from "../run.ts";
import type { Exchange } from "../target.ts";
import { probeOf } from "./interaction.ts";

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
  const exchanges: Exchange[] = [];
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
