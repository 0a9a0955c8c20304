import type { RequestHandler } from "express";
import { problem } from "../../contract/problem.ts";
import type { Stream } from "../stream/stream.ts";
import { operationsAuthentication } from "./authenticate.ts";

/** `GET /operations/v1/stream`, beside the generated router, because it does not answer with JSON. */
export function streamHandler(stream: Pick<Stream, "add">, operationsToken: string): RequestHandler {
  const authenticate = operationsAuthentication(operationsToken);
  return (request, response) => {
    authenticate(request);
    response.set({
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      // Otherwise nginx buffers the messages.
      "X-Accel-Buffering": "no",
    });
    if (request.method === "HEAD") return void response.end();
    const leave = stream.add(response);
    if (!leave) {
      response.removeHeader("Content-Type");
      throw problem("overloaded", { detail: "The stream has too many readers." }, { "Retry-After": "30" });
    }
    response.once("close", leave);
    response.flushHeaders();
  };
}
