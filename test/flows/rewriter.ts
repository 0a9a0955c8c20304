import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listening } from "../listening.ts";

/** Stands before a provider and makes of each JSON answer what `rewrite` says: for what no sandbox would say. */
export async function startRewriter(to: string, rewrite: (body: unknown) => unknown) {
  const server = createServer((request, response) => {
    pass(request, response, to, rewrite).catch(() => response.destroy());
  });
  return listening(server);
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  to: string,
  rewrite: (body: unknown) => unknown,
): Promise<void> {
  const { method = "GET", url, headers } = request;
  const body = (await request.toArray()).join("");
  const sent = ["authorization", "content-type", "x-trace-id", "x-provider-id"].flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as [string, string]] : [];
  });
  const answer = await fetch(`${to}${url}`, { method, headers: sent, ...(body && { body }) });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  response.writeHead(answer.status, { "Content-Type": answer.headers.get("content-type") ?? "text/plain" });
  response.end(isJson ? JSON.stringify(rewrite(JSON.parse(text))) : text);
}
