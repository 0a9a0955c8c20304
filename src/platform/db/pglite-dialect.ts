import { type Dialect, PostgresDialect, type PostgresPoolClient, type PostgresQueryResult } from "kysely";
import type { Answer } from "./pglite-messages.ts";
import type { PgliteSession } from "./pglite-session.ts";

/** To plan a statement for its values costs more than most of the platform's transactions gain from it. */
const FEW_STATEMENTS = "set local plan_cache_mode = force_generic_plan";

/**
 * Kysely on the one session, which stands in for a pool of connections. Single statements are sent as they come and answered in that
 * order; a transaction waits for its turn, and nothing else runs until it ends.
 */
export function pgliteDialect(session: PgliteSession): Dialect {
  return new PostgresDialect({
    pool: { options: {}, connect: async () => clientOf(session), end: async () => undefined },
  });
}

function clientOf(session: PgliteSession): PostgresPoolClient {
  let giveBack: (() => void) | undefined;
  let begun: Promise<unknown> | undefined;
  const begin = async (text: string): Promise<Answer> => {
    giveBack = await session.takeTurn();
    // Awaited at the end: what follows is sent behind it, and fails if it failed.
    begun = session.exec(`${text}; ${FEW_STATEMENTS}`, true);
    begun.catch(() => undefined);
    return { rows: [] };
  };
  /** The turn ends when the call is sent: whatever comes next is sent behind it. */
  const end = async (text: string) => {
    const ended = session.exec(text, true);
    giveBack?.();
    giveBack = undefined;
    const [answer] = await Promise.all([ended, begun]);
    return answer;
  };
  /** Kysely marks the bounds of a transaction by these statements alone. */
  const send = (text: string, values: readonly unknown[]) => {
    if (/^(begin|start transaction)\b/.test(text)) return begin(text);
    if (text === "commit" || text === "rollback") return end(text);
    return session.query(text, values, giveBack !== undefined);
  };
  const query = async (text: string, values: readonly unknown[]) => {
    const { affectedRows: rowCount = 0, ...answer } = await send(text, values);
    return { ...answer, rowCount } as PostgresQueryResult<unknown>;
  };
  return { query: query as PostgresPoolClient["query"], release: () => undefined };
}
