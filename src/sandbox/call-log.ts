import type { RequestHandler } from "express";
import type { Logger } from "pino";

/** A UUID, which may end in twelve digits and stays, or a personal number in either form, which does not. */
const UUID_OR_NUMBER = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?<!\d)(?:18|19|20)\d{6}[-+]?\d{4}(?!\d)/gi;
const UUID_LENGTH = 36;

const LONGEST = 200;

/** One line a call, found by its traceId (contract 5). The query is cut: the contract puts a personal number in one. */
export function callLog(log: Logger, now: () => number): RequestHandler {
  return (request, response, next) => {
    const start = now();
    const { method, path } = request;
    const traceId = request.get("x-trace-id");
    response.once("close", () => {
      const line = {
        ...(traceId !== undefined && { traceId: scrub(traceId) }),
        ...{ method, path: scrub(decoded(path)) },
        ...(response.writableFinished ? { status: response.statusCode } : { aborted: true }),
        durationMs: Math.round(now() - start),
      };
      log.info(line, "call");
    });
    next();
  };
}

/** So that a percent-encoded digit does not hide a personal number. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "(not decodable)";
  }
}

function scrub(text: string): string {
  const keep = (match: string) => (match.length === UUID_LENGTH ? match : "(personal number)");
  return text.replace(UUID_OR_NUMBER, keep).slice(0, LONGEST);
}
