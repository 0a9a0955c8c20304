import { randomBytes } from "node:crypto";
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type pg from "pg";
import { BY_KEYS, BY_KEYS_OF_SHARDS, MOST_PREPARED } from "../engine.ts";
import { beginPrepared } from "./session.ts";

// "cached plan must not change result type", among others: a newer process has altered a table.
const NOT_SUPPORTED = "0A000";
/** Behind a pooler, two processes may share a session. */
const OF_PROCESS = randomBytes(4).toString("hex");

/** The driver's types lack this: the query is rejected after this many milliseconds; 0: never. */
export interface TimedQuery extends pg.QueryConfig {
  query_timeout: number;
}

/** Kysely marks the bounds of a transaction by these statements alone. */
export const isBegin = (text: string): boolean => /^(begin|start transaction)\b/.test(text);
const isEnd = (text: string): boolean => /^(commit|rollback)$/.test(text);

/** The driver's own limit was reached: the connection is dead. */
const isSilent = (error: unknown): boolean =>
  error instanceof Error && error.message === "Query read timeout";

const codeOf = (error: unknown): string => String((error as Partial<pg.DatabaseError>).code);

/** The server has become a standby (25006), or stops (57P0x): every connection to it is useless. */
const isServerLost = (error: unknown): boolean => /^(?:25006|57P0[123])$/.test(codeOf(error));

export interface Preparing {
  /** A connection that is silent for this time is dead, though neither side has closed it. Milliseconds. */
  silenceMs: number;
  /** A pooler gives the database's sessions out by the transaction: nothing may be left in one. */
  byTransaction?: boolean;
  /** The tables are distributed. */
  isDistributed?: boolean;
}

/**
 * A pool in which each connection prepares a statement with parameters once. Parsing and planning cost the server more than
 * executing most of them. After a sign that the server is lost, no connection that was made before it is used again.
 */
export function preparing(pool: pg.Pool, options: Preparing): PostgresPool {
  const known = new WeakMap<pg.PoolClient, { prepared: PostgresPoolClient; generation: number }>();
  let generation = 0;
  const onLost = () => {
    generation += 1;
  };
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect();
    const before = known.get(client);
    if (before?.generation === generation) return before.prepared;
    if (before) {
      client.release(true);
      return connect();
    }
    const prepared = preparingClient(client, options, onLost);
    known.set(client, { prepared, generation });
    return prepared;
  };
  return { connect, end: () => pool.end(), options: pool.options };
}

function preparingClient(client: pg.PoolClient, options: Preparing, onLost: () => void): PostgresPoolClient {
  const { silenceMs, byTransaction = false, isDistributed = false } = options;
  const prepared = beginPrepared({ isDistributed, silenceMs });
  const names = new Map<string, string>();
  let isStale = false;
  let isWithin = false;
  const nameOf = (text: string) => {
    const name = names.get(text);
    if (name !== undefined || names.size >= MOST_PREPARED) return name;
    const next = `s${OF_PROCESS}_${names.size}`;
    names.set(text, next);
    return next;
  };
  const send = (text: string, values: readonly unknown[]) => {
    // Without values it may be several statements, which cannot be prepared.
    const name = values.length > 0 && !byTransaction ? nameOf(text) : undefined;
    const begin = `${byTransaction ? prepared : text}; ${isDistributed ? BY_KEYS_OF_SHARDS : BY_KEYS}`;
    const query: TimedQuery = { text: isBegin(text) ? begin : text, query_timeout: silenceMs };
    if (values.length > 0) query.values = [...values];
    if (name !== undefined) query.name = name;
    if (isBegin(text)) isWithin = true;
    else if (isEnd(text)) isWithin = false;
    else if (byTransaction && !isWithin) return inTransaction(client, prepared, query);
    return client.query(query);
  };
  const query = async <R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> => {
    try {
      return (await send(text, values)) as unknown as PostgresQueryResult<R>;
    } catch (error) {
      if (isServerLost(error)) onLost();
      isStale ||= isSilent(error) || isServerLost(error) || codeOf(error) === NOT_SUPPORTED;
      throw error;
    }
  };
  return {
    query: query as PostgresPoolClient["query"],
    // The pool makes a new one, which responds, and knows the tables as they are.
    release: (destroy) => client.release(destroy === true || isStale),
  };
}

/** A single statement in a transaction of its own, which is what a pooler keeps together. All three are sent without waiting for the one before. */
async function inTransaction(
  client: pg.PoolClient,
  begin: string,
  query: TimedQuery,
): Promise<pg.QueryResult> {
  const { query_timeout } = query;
  const [begun, result, ended] = await Promise.allSettled([
    client.query({ text: begin, query_timeout } as TimedQuery),
    client.query(query),
    client.query({ text: "commit", query_timeout } as TimedQuery),
  ]);
  for (const each of [begun, result, ended]) if (each.status === "rejected") throw each.reason;
  return (result as PromiseFulfilledResult<pg.QueryResult>).value;
}
