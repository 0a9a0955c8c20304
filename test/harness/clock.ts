import { beforeAll, beforeEach } from "vitest";
import type { TestDatabase } from "./engines.ts";

/** The one time of a platform and its database: the real one, and how far a test has set it forward. */
export interface Clock {
  now(): Date;
  forward(ms: number): Promise<void>;
}

/** Call it after the `useEngine` of the same `describe`. The clock shows the real time at the start of each test. */
export function useClock(database: () => TestDatabase): Clock {
  let aheadMs = 0;
  const set = async (ms: number) => {
    await database().raw.executeSql(aheadBy(ms));
    aheadMs = ms;
  };
  beforeAll(() =>
    database().raw.executeSql(`create schema if not exists clock; ${aheadBy(0)}; ${FUNCTIONS}`),
  );
  beforeEach(() => set(0));
  return { now: () => new Date(Date.now() + aheadMs), forward: (ms) => set(aheadMs + ms) };
}

/** Plans that were made before are made again: they depend on this function, but would not on one of the server's own. */
const aheadBy = (ms: number) =>
  `create or replace function clock.ahead() returns interval language sql stable as $$ select interval '${ms} ms' $$`;

/** The server's own functions, replaced in the database of the test: whatever the search path, and in defaults of columns, too. */
const FUNCTIONS = `
  create or replace function pg_catalog.now() returns timestamptz language sql stable
    as $$ select transaction_timestamp() + clock.ahead() $$;
  create or replace function pg_catalog.clock_timestamp() returns timestamptz language sql volatile
    as $$ select statement_timestamp() + clock.ahead() $$`;
