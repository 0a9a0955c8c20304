import type { RequestHandler } from "express";
import type { Logger } from "pino";

/** Matches personal numbers in both forms, and UUIDs: a UUID may end in twelve digits and is logged unchanged. */
const UUID_OR_NUMBER = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?<!\d)(?:18|19|20)\d{6}[-+]?\d{4}(?!\d)/gi;
const UUID_LENGTH = 36;

const LONGEST = 200;

/** Logs one line for each call, with its traceId (contract 5). The query is omitted: it may contain a personal number. */
export function callLog(log: Logger, now: () => number): RequestHandler {
  return (request, response, next) => {
    const start = now();
    const { method, path } = request;
    const traceId = request.get("x-trace-id");
    response.once("close", () => {
      const line = {
        ...(traceId !== undefined && { traceId: scrub(traceId) }),
        method,
        path: scrub(decoded(path)),
        ...(response.writableFinished ? { status: response.statusCode } : { aborted: true }),
        durationMs: Math.round(now() - start),
      };
      log.info(line, "call");
    });
    next();
  };
}

/** Decodes the path: percent-encoded digits must not hide a personal number. */
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
