import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { PgliteSession } from "./pglite-session.ts";

/**
 * Kysely on the one session. Single statements are sent as they come and answered in that order; a transaction waits
 * for its turn, and nothing else runs until it ends.
 */
export function pgliteDialect(session: PgliteSession): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver(session),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function driver(session: PgliteSession): Driver {
  const run = (connection: DatabaseConnection, text: string) => (connection as Connection).control(text);
  return {
    init: async () => undefined,
    acquireConnection: async () => new Connection(session),
    beginTransaction: (connection) => (connection as Connection).begin(),
    commitTransaction: async (connection) => {
      // PostgreSQL rolls back, and does not complain, when an earlier statement failed.
      if ((await (connection as Connection).end("commit")) === "ROLLBACK")
        throw new AbortedTransactionError();
    },
    rollbackTransaction: async (connection) => void (await (connection as Connection).end("rollback")),
    savepoint: (connection, name) => run(connection, `savepoint "${name}"`),
    rollbackToSavepoint: (connection, name) => run(connection, `rollback to savepoint "${name}"`),
    releaseSavepoint: (connection, name) => run(connection, `release savepoint "${name}"`),
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  };
}

class Connection implements DatabaseConnection {
  readonly #session: PgliteSession;
  #giveBack: (() => void) | undefined;
  #begun: Promise<unknown> | undefined;

  constructor(session: PgliteSession) {
    this.#session = session;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, affectedRows } = await this.#session.query(sql, parameters, this.#giveBack !== undefined);
    const typed = rows as R[];
    return affectedRows === undefined
      ? { rows: typed }
      : { rows: typed, numAffectedRows: BigInt(affectedRows) };
  }

  // biome-ignore lint/correctness/useYield: PGlite cannot stream
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("the embedded database does not stream");
  }

  async control(text: string): Promise<void> {
    await this.#session.exec(text, true);
  }

  /** Its answer is awaited at the end: what follows is sent behind it, and fails if it failed. */
  async begin(): Promise<void> {
    this.#giveBack = await this.#session.takeTurn();
    this.#begun = this.#session.exec("begin", true);
    this.#begun.catch(() => undefined);
  }

  /** The turn ends with the asking: whatever comes next is sent behind it. Answers what PostgreSQL did. */
  async end(how: "commit" | "rollback"): Promise<string | undefined> {
    const [begun, giveBack] = [this.#begun, this.#giveBack];
    this.#giveBack = undefined;
    const ended = this.#session.exec(how, true);
    giveBack?.();
    const [{ command }] = await Promise.all([ended, begun]);
    return command;
  }
}
