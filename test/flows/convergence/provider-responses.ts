import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Reply } from "./provider-operations.ts";

/** Resolves with the status, or 0 when the platform did not wait for the whole response. */
export async function send(
  response: ServerResponse,
  reply: Reply,
  retryAfter?: string,
  afterMs = 0,
): Promise<number> {
  if (afterMs > 0) await sleep(afterMs, undefined, { ref: false });
  if (response.destroyed) return 0;
  const { status, body } = reply;
  const type = status >= 400 ? "application/problem+json" : "application/json";
  if (retryAfter !== undefined) response.setHeader("Retry-After", retryAfter);
  if (body) response.setHeader("Content-Type", type);
  response.writeHead(status);
  return ended(response, body && JSON.stringify(body), status);
}

/** The response of a gateway without a route to the provider. */
export function sendGatewayPage(response: ServerResponse): Promise<number> {
  response.writeHead(404, { "Content-Type": "text/html" });
  return ended(response, "<html><body><h1>404 Not Found</h1></body></html>", 404);
}

function ended(response: ServerResponse, text: string | undefined, status: number): Promise<number> {
  return new Promise((resolve) => {
    response.once("close", () => resolve(response.writableFinished ? status : 0));
    response.end(text);
  });
}

/** Cuts the connection. */
export function cutOff(response: ServerResponse): number {
  response.destroy();
  return 0;
}
