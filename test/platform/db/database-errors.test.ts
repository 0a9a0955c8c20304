import { describe, expect, inject, it } from "vitest";
import { openDatabase } from "../../../src/platform/db/database.ts";
import { DatabaseRefusal, explained } from "../../../src/platform/db/database-errors.ts";
import { silent } from "../../harness/engines.ts";

const failing = (message: string, code?: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });

/** What PostgreSQL, the driver or Node says, its code, the line that an operator reads, and whether another start is of no use. */
const ROWS: [string, string | undefined, RegExp, boolean][] = [
  ["permission denied for schema shiftpact", "42501", /^permission denied .*: grant the role of --to /, true],
  [
    'relation "shiftpact.jobs" does not exist',
    "42P01",
    /: run `shiftpact migrate`, or name .* in --to$/,
    false,
  ],
  ["sorry, too many clients already", "53300", /^the database: sorry, too many clients already$/, false],
  ["Query read timeout", undefined, /^the database: Query read timeout$/, false],
  ["cannot execute INSERT during recovery", "0A000", /^the database: cannot execute/, false],
  [
    "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string",
    undefined,
    /and --to has none: /,
    true,
  ],
  ["Invalid URL", "ERR_INVALID_URL", /^--to is not a valid URL: write postgres:\/\/USER:PASSWORD@HOST/, true],
  [
    'password authentication failed for user "x"',
    "28P01",
    /^cannot use the database of --to: password authentication failed for user "x"$/,
    false,
  ],
  ["self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT", /of --to: self-signed certificate$/, false],
  ["The server does not support SSL connections", undefined, /of --to: The server does not/, false],
  ["timeout expired", undefined, /of --to: timeout expired$/, false],
  ["", "ECONNREFUSED", /^cannot use the database of --to: ECONNREFUSED$/, false],
];

describe("an error of the database", () => {
  it.each(ROWS)("%j (%s) has a line that states what to do", (message, code, line, isFinal) => {
    const error = failing(message, code);
    const refusal = explained(error, { setting: "--to", isConnecting: true }) as DatabaseRefusal;
    expect(refusal).toMatchObject({ message: expect.stringMatching(line), isFinal, cause: error });
    expect(explained(refusal, { isConnecting: true })).toBe(refusal);
  });

  it("has the line with the fix after the name of what failed", () => {
    const cause = failing("permission denied for database x", "42501");
    const error = failing(`migration 001 failed: ${cause.message}`, undefined, cause);
    expect(explained(error)).toMatchObject({
      message: expect.stringMatching(
        /^migration 001 failed: permission denied for database x: grant the role of DATABASE_URL/,
      ),
      isFinal: true,
    });
  });

  it("is returned unchanged when it is unknown, or is not an error of a database", () => {
    for (const error of [failing("syntax error", "42601"), failing("no such file", "ENOENT"), "text"])
      expect(explained(error)).toBe(error);
  });

  it.each([
    [
      "no password",
      (url: URL) => Object.assign(url, { password: "" }),
      /^the database asks for a password, and DATABASE_URL has none/,
    ],
    [
      "a wrong password",
      (url: URL) => Object.assign(url, { password: "hunter2" }),
      /^cannot use the database of DATABASE_URL: password authentication failed/,
    ],
    [
      "no such database",
      (url: URL) => Object.assign(url, { pathname: "/nope" }),
      /^cannot use the database of DATABASE_URL: database "nope" does not exist$/,
    ],
  ])("names %s when the server refuses it", async (_, change, line) => {
    const url = String(change(new URL(`${inject("postgresServer")}/postgres`)));
    const error = await openDatabase({ url, log: silent }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseRefusal);
    expect((error as Error).message).toMatch(line);
    expect((error as Error).message).not.toMatch(/hunter2|\n/);
  });
});
