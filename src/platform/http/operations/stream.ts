import { Readable } from "node:stream";
import type { Request } from "express";
import type { Handlers } from "../../../../generated/operations/server.ts";
import { problem } from "../../../contract/problem.ts";
import { ProblemError } from "../../../runtime/problem.ts";
import type { Identity } from "../../access/audit.ts";
import type { Log } from "../../db/database.ts";
import type { SentEvent, Stream } from "../../stream.ts";
import type { OperatorAuthentication } from "../authenticate.ts";
import { ok } from "../handlers.ts";

const NEEDED = { scopes: ["viewer"] };
/** How long a revoked operator may read on, at most. Milliseconds. */
const CHECK_MS = 5_000;

const REFUSALS = {
  full: "The stream has too many readers.",
  operator_full: "This operator has too many streams open: close one.",
};

interface Parts {
  stream: Pick<Stream, "add">;
  authenticate: OperatorAuthentication;
  log: Log;
  streamCheckMs?: number;
}

export function streamHandlers({ stream, authenticate, log, streamCheckMs = CHECK_MS }: Parts) {
  return {
    readStream: ({ raw }, { operatorId, name }) => {
      const events = new Readable({ objectMode: true, read: () => undefined });
      const leave = stream.add(events, operatorId ?? name);
      if (typeof leave === "string")
        throw problem("overloaded", { detail: REFUSALS[leave] }, { "Retry-After": "30" });
      const check = setInterval(async () => {
        if (!(await isStillAllowed(raw, authenticate, log))) events.push(null);
      }, streamCheckMs);
      events.once("close", () => {
        clearInterval(check);
        leave();
      });
      return ok(events as AsyncIterable<SentEvent>);
    },
  } satisfies Partial<Handlers<Identity>>;
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
