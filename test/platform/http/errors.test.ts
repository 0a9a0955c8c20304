import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { asProblem } from "../../../src/platform/http/errors.ts";
import { silent } from "../../harness/engines.ts";

const coded = (code: string, message = "x") => Object.assign(new Error(message), { code });

/** What the driver rejects with when the database cannot do its work. */
const DOWN: unknown[] = [
  ...["08006", "53300", "57P01", "57P03", "25006", "3D000"].map((code) => coded(code)),
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENOTFOUND", "EAI_AGAIN"].map(
    (code) => coded(code),
  ),
  new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")]),
  new Error("Connection terminated unexpectedly"),
  new Error("Connection terminated due to connection timeout"),
  new Error("timeout exceeded when trying to connect"),
  new Error("Client has encountered a connection error and is not queryable"),
];

const OURS: unknown[] = [
  coded("23505", "duplicate key: Key (email)=(ada@example.com)"),
  coded("42P01", 'relation "jobs" does not exist'),
  new TypeError("x is not a function"),
  "a string",
  undefined,
];

describe("what a handler throws", () => {
  it.each(["40001", "40P01"])(
    "is returned as 503 with Retry-After after a conflict of transactions: %s",
    (code) => {
      const lines: string[] = [];
      const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
      const { problem, headers } = asProblem(coded(code), log);
      expect([problem.code, problem.status, headers["Retry-After"]]).toEqual(["store_unavailable", 503, "5"]);
      expect(lines.join()).not.toContain("does not answer");
    },
  );

  it.each(DOWN)("is returned as 503 with Retry-After when the database is down: %s", (error) => {
    const { problem, headers } = asProblem(error, silent);
    expect([problem.code, problem.status, headers["Retry-After"]]).toEqual(["store_unavailable", 503, "5"]);
  });

  it.each(OURS)("is returned as 500 without details otherwise: %s", (error) => {
    const { problem } = asProblem(error, silent);
    expect(problem).toEqual({
      type: expect.stringContaining("internal_error"),
      title: "An internal error occurred",
      status: 500,
      code: "internal_error",
    });
  });
});
