import { type Dialect, PostgresDialect, type PostgresPoolClient, type PostgresQueryResult } from "kysely";
import { BY_KEYS } from "./engine.ts";
import type { Answer } from "./pglite-messages.ts";
import type { PgliteSession } from "./pglite-session.ts";
import { isBegin } from "./prepared.ts";

/**
 * Kysely on the one session, which stands in for a pool of connections. Single statements are sent as they arrive and return in that
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
    begun = session.exec(`${text}; ${BY_KEYS}`, true);
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
  const send = (text: string, values: readonly unknown[]) => {
    if (isBegin(text)) return begin(text);
    if (text === "commit" || text === "rollback") return end(text);
    return session.query(text, values, giveBack !== undefined);
  };
  const query = async (text: string, values: readonly unknown[]) => {
    const { affectedRows: rowCount = 0, ...answer } = await send(text, values);
    return { ...answer, rowCount } as PostgresQueryResult<unknown>;
  };
  return { query: query as PostgresPoolClient["query"], release: () => undefined };
}
