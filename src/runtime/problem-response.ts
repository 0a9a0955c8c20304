import type { ErrorRequestHandler, Request, Response } from "express";
import { ProblemError } from "./problem.ts";

export interface ProblemOptions {
  /** Added to every problem document. */
  traceId?(request: Request): string | undefined;
  /** Called with each problem that is sent. */
  onProblem?(error: ProblemError, request: Request): void;
}

export function sendProblem(
  error: ProblemError,
  request: Request,
  response: Response,
  options: ProblemOptions,
): void {
  options.onProblem?.(error, request);
  const traceId = error.problem.traceId ?? options.traceId?.(request);
  const problem = traceId === undefined ? error.problem : { ...error.problem, traceId };
  response.statusCode = error.status;
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  response.setHeader("Content-Type", "application/problem+json");
  response.end(JSON.stringify(problem));
}

/**
 * An Express error handler that sends a ProblemError as its problem document, and 400 for a path that cannot be
 * decoded. Other errors go to the next handler. Every generated router has one; an app needs its own only for
 * what happens outside them, such as a mount path with parameters.
 */
export function problemHandler(options: ProblemOptions = {}): ErrorRequestHandler {
  return (error, request, response, next) => {
    const problem = error instanceof URIError ? malformedPath() : error;
    if (problem instanceof ProblemError && !response.headersSent)
      sendProblem(problem, request, response, options);
    else next(error);
  };
}

function malformedPath(): ProblemError {
  return new ProblemError(400, "validation_failed", {
    detail: "The request is not valid.",
    errors: [{ pointer: "#/path", message: "is not valid percent-encoded UTF-8" }],
  });
}
