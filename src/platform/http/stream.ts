import type { Request, RequestHandler } from "express";
import { problem } from "../../contract/problem.ts";
import { ProblemError } from "../../runtime/problem.ts";
import type { Log } from "../db/database.ts";
import type { Stream } from "../stream.ts";
import type { OperatorAuthentication } from "./authenticate.ts";

const NEEDED = { scopes: ["viewer"] };
/** How long a revoked operator may read on, at most. Milliseconds. */
const CHECK_MS = 5_000;

interface Parts {
  stream: Pick<Stream, "add">;
  authenticate: OperatorAuthentication;
  log: Log;
  streamCheckMs?: number;
}

/** `GET /operations/v1/stream`, beside the generated router, because it does not answer with JSON. */
export function streamHandler({
  stream,
  authenticate,
  log,
  streamCheckMs = CHECK_MS,
}: Parts): RequestHandler {
  return async (request, response) => {
    await authenticate(request, NEEDED);
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
    const check = setInterval(async () => {
      if (!(await isStillAllowed(request, authenticate, log))) response.end();
    }, streamCheckMs);
    response.once("close", () => {
      clearInterval(check);
      leave();
    });
    response.flushHeaders();
  };
}

/** An outage of the database ends no stream. */
async function isStillAllowed(
  request: Request,
  authenticate: OperatorAuthentication,
  log: Log,
): Promise<boolean> {
  try {
    await authenticate(request, NEEDED);
    return true;
  } catch (error) {
    if (error instanceof ProblemError) return error.status !== 401 && error.status !== 403;
    log.warn({ err: error }, "could not check the operator of a stream");
    return true;
  }
}
