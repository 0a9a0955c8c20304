/**
 * What the platform's statements rely on, whatever the database, the role or the server sets. JIT: compiling one of these statements takes a
 * thousand times as long as running it. The driver reads dates in ISO form only. Hours of figures begin with those of UTC.
 */
const SETTINGS = {
  search_path: "shiftpact, public",
  jit: "off",
  datestyle: "iso",
  timezone: "'UTC'",
};

/**
 * On Citus: a statement asks the shards of a worker one after another, on one connection. A transaction that has read several at once may not
 * write a table with a copy on each worker, and most statements find a few rows by an index, sooner than a connection is made.
 */
const ON_SHARDS = { "citus.multi_shard_modify_mode": "sequential" };

/** What a session of this process is for. */
export interface SessionUse {
  isDistributed: boolean;
  /** How long a connection may be silent: the server ends a statement before that, and the connection stays. 0: no limit. Milliseconds. */
  silenceMs: number;
}

/** A process that hangs within a transaction holds its locks no longer. Nothing waits for a provider within one. Milliseconds. */
const IDLE_MS = 60_000;

/** A statement goes on at the server when its caller has given up, unless the server ends it. */
const limits = (silenceMs: number) => ({
  statement_timeout: String(Math.floor((silenceMs * 14) / 15)),
  // Less than that, so that the error says what the statement waited for.
  lock_timeout: String(Math.floor((silenceMs * 13) / 15)),
  idle_in_transaction_session_timeout: String(silenceMs === 0 ? 0 : IDLE_MS),
});

/** Raises `off` alone: "local" and "remote_apply" are an operator's choice, and durable. */
const durable = (scope: "session" | "transaction") =>
  `select set_config('synchronous_commit', 'on', ${scope === "transaction"}) where current_setting('synchronous_commit') = 'off'`;

const settings = (set: string, { isDistributed, silenceMs }: SessionUse) =>
  Object.entries({ ...SETTINGS, ...limits(silenceMs), ...(isDistributed && ON_SHARDS) }).map(
    ([name, value]) => `${set} ${name} to ${value}`,
  );

/** Prepares a session that belongs to this process. */
export const prepareSession = (use: SessionUse) =>
  [...settings("set", use), "set default_transaction_isolation to 'read committed'", durable("session")].join(
    "; ",
  );

/** For work on a session that may take any time: migrations, and what follows a restore. */
export const WITHOUT_LIMITS = Object.entries(limits(0))
  .map(([name, value]) => `set ${name} to ${value}`)
  .join("; ");

/** Begins a transaction behind a pooler that gives sessions out by the transaction: nothing may be left in one. */
export const beginPrepared = (use: SessionUse) =>
  ["begin isolation level read committed", ...settings("set local", use), durable("transaction")].join("; ");
