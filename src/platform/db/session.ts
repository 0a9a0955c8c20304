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

/** Raises `off` alone: "local" and "remote_apply" are an operator's choice, and durable. */
const durable = (scope: "session" | "transaction") =>
  `select set_config('synchronous_commit', 'on', ${scope === "transaction"}) where current_setting('synchronous_commit') = 'off'`;

const settings = (set: string, isDistributed: boolean) =>
  Object.entries({ ...SETTINGS, ...(isDistributed && ON_SHARDS) }).map(
    ([name, value]) => `${set} ${name} to ${value}`,
  );

/** Prepares a session that belongs to this process. */
export const prepareSession = (isDistributed: boolean) =>
  [
    ...settings("set", isDistributed),
    "set default_transaction_isolation to 'read committed'",
    durable("session"),
  ].join("; ");

/** Begins a transaction behind a pooler that gives sessions out by the transaction: nothing may be left in one. */
export const beginPrepared = (isDistributed: boolean) =>
  [
    "begin isolation level read committed",
    ...settings("set local", isDistributed),
    durable("transaction"),
  ].join("; ");
