import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type pg from "pg";
import { BY_KEYS } from "./engine.ts";

// The platform's statements are about 150; texts beyond that differ in the length of a list, and are not worth the server's memory.
const MOST = 300;
// "cached plan must not change result type", among others: a newer process has altered a table.
const NOT_SUPPORTED = "0A000";

/** The driver's types lack this: the query is rejected after so many milliseconds; 0: never. */
export interface TimedQuery extends pg.QueryConfig {
  query_timeout: number;
}

/** Kysely marks the bounds of a transaction by these statements alone. */
export const isBegin = (text: string): boolean => /^(begin|start transaction)\b/.test(text);

/** The driver's own limit was reached: the connection is dead. */
const isSilent = (error: unknown): boolean =>
  error instanceof Error && error.message === "Query read timeout";

/**
 * A pool in which each connection prepares a statement with parameters once. Parsing and planning cost the server more than
 * executing most of them. A connection that is silent for `silenceMs` is dead, though neither side has closed it.
 */
export function preparing(pool: pg.Pool, silenceMs: number): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    connect: async () => {
      const client = await pool.connect();
      const before = known.get(client);
      if (before) return before;
      const prepared = preparingClient(client, silenceMs);
      known.set(client, prepared);
      return prepared;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

function preparingClient(client: pg.PoolClient, silenceMs: number): PostgresPoolClient {
  const names = new Map<string, string>();
  let isStale = false;
  const nameOf = (text: string) => {
    const name = names.get(text);
    if (name !== undefined || names.size >= MOST) return name;
    const next = `s${names.size}`;
    names.set(text, next);
    return next;
  };
  const query = async <R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> => {
    // Without values it may be several statements, which cannot be prepared.
    const name = values.length > 0 ? nameOf(text) : undefined;
    try {
      const query: TimedQuery = {
        text: isBegin(text) ? `${text}; ${BY_KEYS}` : text,
        query_timeout: silenceMs,
      };
      if (values.length > 0) query.values = [...values];
      if (name !== undefined) query.name = name;
      const result = await client.query(query);
      return result as unknown as PostgresQueryResult<R>;
    } catch (error) {
      isStale ||= isSilent(error) || (error as pg.DatabaseError).code === NOT_SUPPORTED;
      throw error;
    }
  };
  return {
    query: query as PostgresPoolClient["query"],
    // The pool makes a new one, which responds, and knows the tables as they are.
    release: (destroy) => client.release(destroy === true || isStale),
  };
}
