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

/** Raises `off` alone: "local" and "remote_apply" are an operator's choice, and durable. */
const durable = (scope: "session" | "transaction") =>
  `select set_config('synchronous_commit', 'on', ${scope === "transaction"}) where current_setting('synchronous_commit') = 'off'`;

const settings = (set: string) =>
  Object.entries(SETTINGS).map(([name, value]) => `${set} ${name} to ${value}`);

/** Prepares a session that belongs to this process. */
export const PREPARE_SESSION = [
  ...settings("set"),
  "set default_transaction_isolation to 'read committed'",
  durable("session"),
].join("; ");

/** Begins a transaction behind a pooler that gives sessions out by the transaction: nothing may be left in one. */
export const BEGIN_PREPARED = [
  "begin isolation level read committed",
  ...settings("set local"),
  durable("transaction"),
].join("; ");
