import type { KyselyConfig } from "kysely";
import type { OnQuery } from "./engine.ts";

/** Has Kysely pass each statement that has ended on; without `onQuery` it measures none. */
export function queryLog(onQuery: OnQuery | undefined): Pick<KyselyConfig, "log"> {
  if (!onQuery) return {};
  return {
    log: (event) => {
      const { query, queryDurationMillis: ms } = event;
      onQuery({ sql: query.sql, ms, ...(event.level === "error" && { error: event.error }) });
    },
  };
}
