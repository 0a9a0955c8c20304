import type { ErrorRequestHandler } from "express";
import { problem } from "../../contract/problem.ts";
import { ProblemError } from "../../runtime/problem.ts";
import type { Log } from "../db/database.ts";
import { storeUnavailable } from "./authenticate.ts";

/** Turns what a handler threw into a problem document; an unexpected error is logged and not shown to the caller. */
export function translateErrors(log: Log): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      log.error({ err: error }, "a response broke off");
      response.destroy();
    } else if (error instanceof ProblemError || error instanceof URIError) next(error);
    else next(asProblem(error, log));
  };
}

export function asProblem(error: unknown, log: Log): ProblemError {
  if (isConflict(error)) {
    log.warn({ err: error }, "a transaction was rolled back because it conflicted with another one");
    return storeUnavailable();
  }
  if (isEnded(error)) {
    log.error({ err: error }, "the database ended a statement that took too long");
    return storeUnavailable();
  }
  if (isStoreDown(error)) {
    log.error({ err: error }, "the database does not answer");
    return storeUnavailable();
  }
  log.error({ err: error }, "unexpected");
  return problem("internal_error");
}

/** Serialization failure, deadlock: nothing was stored, and the caller may retry at once. */
const CONFLICT_STATES = ["40001", "40P01"];

/** The time limits of a statement, of a lock and of a transaction (`db/session.ts`). */
const ENDED_STATES = ["57014", "55P03", "25P03"];

const hasState = (error: unknown, states: readonly string[]): boolean =>
  error instanceof Error && states.includes(String((error as NodeJS.ErrnoException).code));

const isConflict = (error: unknown): boolean => hasState(error, CONFLICT_STATES);
const isEnded = (error: unknown): boolean => hasState(error, ENDED_STATES);

/** PostgreSQL's classes: 08 connection, 53 resources, 57P shutdown; 25006: a standby; 3D000: the database is gone; 0A000: a table changed under a prepared statement. */
const DOWN_STATES = /^(?:08|53|57P)|^25006$|^3D000$|^0A000$/;
const DOWN_SYSTEM = /^E(?:CONN|PIPE|HOST|NET|TIMEDOUT|AI_AGAIN|NOTFOUND)/;
/** Messages of the driver that have no code. */
const DOWN_DRIVER =
  /^(?:Connection terminated|Query read timeout|no response within|timeout exceeded when trying to connect|Client has encountered a con)/;

/** Whether the database failed rather than the platform: the caller may retry. */
function isStoreDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.some(isStoreDown);
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === "string") return DOWN_STATES.test(code) || DOWN_SYSTEM.test(code);
  return DOWN_DRIVER.test(error.message);
}
