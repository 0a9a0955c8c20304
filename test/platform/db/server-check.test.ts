import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { openDatabase, openUnmigrated } from "../../../src/platform/db/database.ts";
import { DatabaseRefusal } from "../../../src/platform/db/database-errors.ts";
import type { RunSql } from "../../../src/platform/db/engine.ts";
import { checkServer } from "../../../src/platform/db/postgres/server.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { copyDatabase, silent } from "../../harness/engines.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

/** A database after `statements`, which may name it and a role of its own as DATABASE and ROLE. */
async function prepared(statements: string, made: Parameters<typeof copyDatabase>[0] = {}) {
  const { where, remove } = await copyDatabase(made);
  const role = `role_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(where.url);
  const admin = new pg.Client({ connectionString: where.url });
  await admin.connect();
  const named = (text: string) => text.replaceAll("DATABASE", url.pathname.slice(1)).replaceAll("ROLE", role);
  await admin.query(named(`create role ROLE login password 'hunter2'; ${statements}`));
  undo.push(async () => {
    await admin.query(named("reset role; drop owned by ROLE; drop role ROLE"));
    await admin.end();
    await remove();
  });
  Object.assign(url, { username: role, password: "hunter2" });
  return { url: where.url, urlOfRole: url.href, role };
}

async function refusal(opening: Promise<{ close(): Promise<void> }>): Promise<DatabaseRefusal> {
  const result = await opening.catch((error: unknown) => error);
  if (!(result instanceof Error)) await (await opening).close();
  expect(result).toBeInstanceOf(DatabaseRefusal);
  return result as DatabaseRefusal;
}

const EMPTY = { empty: true };
const inEncoding = (encoding: string) => ({
  options: `encoding '${encoding}' template template0 locale 'C'`,
});
const ALL_RIGHTS =
  "grant usage on schema shiftpact to ROLE; grant all on all tables in schema shiftpact to ROLE";

describe("a PostgreSQL database", () => {
  // A database on Citus is made on each of its servers: encoding, role and rights would be set on one of them.
  it.skipIf(isOnCitus).each([
    ["in LATIN1", "", inEncoding("LATIN1"), /^the encoding of the database is LATIN1, .* encoding 'UTF8'/],
    ["in SQL_ASCII", "", inEncoding("SQL_ASCII"), /^the encoding of the database is SQL_ASCII, /],
    ["in EUC_JP", "", inEncoding("EUC_JP"), /^the encoding of the database is EUC_JP, /],
    [
      "with tables of another program",
      "create schema shiftpact create table jobs (id int); grant all on schema shiftpact to ROLE",
      EMPTY,
      /^the schema shiftpact .* tables that the platform did not make \(jobs\): name another database in DATABASE_URL, or rename/,
    ],
    [
      "with migrations of another program",
      "create schema shiftpact create table migrations (id int); grant all on schema shiftpact to ROLE",
      EMPTY,
      /did not make \(migrations\)/,
    ],
    [
      "with row-level security",
      `${ALL_RIGHTS}; alter table shiftpact.jobs enable row level security; alter table shiftpact.events enable row level security`,
      {},
      /^row-level security hides rows of events, jobs in the schema shiftpact from the role of DATABASE_URL: disable it .* bypassrls$/,
    ],
  ])("%s is refused, whatever is done with it", async (_, statements, made, line) => {
    const { urlOfRole, role } = await prepared(statements, made);
    for (const open of [openDatabase, openUnmigrated]) {
      const { message, isFinal } = await refusal(open({ url: urlOfRole, log: silent }));
      expect(message.replaceAll(role, "ROLE")).toMatch(line);
      expect(message).not.toMatch(/hunter2|\n/);
      expect(isFinal).toBe(true);
    }
  });

  it("of a version before 15 is refused", async () => {
    const facts = {
      version: "14.23",
      number: 140_023,
      encoding: "UTF8",
      tables: [],
      hiding: [],
    };
    const run: RunSql = async () => ({ rows: [facts] });
    await expect(checkServer(run, "--to")).rejects.toThrow(
      "PostgreSQL 14.23 is too old: upgrade the server to 15 or newer, or name another one in --to",
    );
  });

  it("that accepts no writes is refused at a start, and can be read", async () => {
    const { url } = await prepared("alter database DATABASE set default_transaction_read_only = on");
    const { message, isFinal } = await refusal(openDatabase({ url, log: silent }));
    expect(message).toMatch(
      /^the database accepts no writes: it is a standby, or default_transaction_read_only is on; /,
    );
    expect(isFinal).toBe(false);
    await (await openUnmigrated({ url, log: silent })).close();
  });

  it("that has the schema needs no right to create one", async () => {
    const { urlOfRole } = await prepared("create schema shiftpact authorization ROLE", EMPTY);
    await (await openDatabase({ url: urlOfRole, log: silent })).close();
  });
});
