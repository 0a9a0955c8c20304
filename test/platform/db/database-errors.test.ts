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
    "cannot execute INSERT in a read-only transaction",
    "25006",
    /: connect to a server that accepts writes/,
    false,
  ],
  [
    "cannot access temporary or unlogged relations during recovery",
    "0A000",
    /: connect to the primary/,
    false,
  ],
  [
    'relation "shiftpact.jobs" does not exist',
    "42P01",
    /: run `shiftpact migrate`, or name .* in --to$/,
    false,
  ],
  ["sorry, too many clients already", "53300", /: raise max_connections .* DATABASE_POOL/, false],
  ["Query read timeout", undefined, /^the database did not answer a statement in time: /, false],
  ["Connection terminated unexpectedly", undefined, /^the database closed the connection: its log /, false],
  [
    "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string",
    undefined,
    /and --to has none: /,
    true,
  ],
  ['password authentication failed for user "x"', "28P01", /: correct user and password in --to; /, false],
  ['no pg_hba.conf entry for host "::1"', "28000", /^no pg_hba.*: correct .* --to, or pg_hba\.conf/, false],
  [
    "Hostname/IP does not match",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    /is not for the host in --to: .*verify-ca/,
    false,
  ],
  ["self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT", /not trusted: .* sslrootcert in --to$/, false],
  [
    "certificate has expired",
    "CERT_HAS_EXPIRED",
    /^the certificate .* is not valid: certificate has expired$/,
    false,
  ],
  [
    "The server does not support SSL connections",
    undefined,
    /^the server offers no TLS, which --to asks/,
    false,
  ],
  ["Invalid URL", "ERR_INVALID_URL", /^--to is not a valid URL: write postgres:\/\/USER:PASSWORD@HOST/, true],
  ["timeout expired", undefined, /^the database does not answer: .* host and port in --to/, false],
  ["", "ECONNREFUSED", /^the database does not answer: ECONNREFUSED$/, false],
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
      /^password authentication failed .*: correct user and password in DATABASE_URL/,
    ],
    [
      "no such database",
      (url: URL) => Object.assign(url, { pathname: "/nope" }),
      /^database "nope" does not exist: create it/,
    ],
    [
      "several servers",
      ({ href, host }: URL) => href.replace(host, `${host},127.0.0.1:9`).replace("/postgres", "/nope"),
      /^no server of the URL can be used: .*database "nope" does not exist: create it.*; 127\.0\.0\.1:9 .*ECONNREFUSED/,
    ],
  ])("names %s when the server refuses it", async (_, change, line) => {
    const url = String(change(new URL(`${inject("postgresServer")}/postgres`)));
    const error = await openDatabase({ url, log: silent }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseRefusal);
    expect((error as Error).message).toMatch(line);
    expect((error as Error).message).not.toMatch(/hunter2|\n/);
  });
});
