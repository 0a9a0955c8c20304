import type { Kysely } from "kysely";
import { problem } from "../../contract/problem.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../contract/timestamp.ts";
import type { Log } from "../db/database.ts";
import type { Schema } from "../db/schema.ts";
import { withTimeout } from "../db/with-timeout.ts";
import { afterCommit, type Trx } from "../transaction.ts";
import type { AddressLimit } from "./address-limit.ts";
import { FIRST_ADMIN, type Operator } from "./audit.ts";
import { createKnownTokens, hashToken, type KnownTokens, makeToken } from "./tokens.ts";

/** Without a request. An open console sends some. */
const IDLE_MS = 12 * HOUR_MS;
const LONGEST_MS = 7 * DAY_MS;

/** Who is signed in to the console. */
export interface Sessions extends Pick<KnownTokens<Operator>, "find" | "forget"> {
  /**
   * Signs in the owner of a token. Returns what the browser keeps: 32 random bytes.
   * @throws ProblemError unauthorized
   */
  open(trx: Trx, token: string, operator: Operator): Promise<string>;
  close(trx: Trx, session: string): Promise<void>;
}

interface Parts {
  kysely: Kysely<Schema>;
  limit: AddressLimit;
  operationsToken: string;
  now: () => Date;
  log: Log;
}

export function createSessions({ kysely, limit, operationsToken, now, log }: Parts): Sessions {
  // With OPERATIONS_TOKEN, so that another one ends every session. It cannot be guessed from the hash, because the session is random.
  const keyOf = (session: string) => `${session}.${operationsToken}`;
  const known = createKnownTokens<Operator>(
    async (hash) => {
      const row = await withTimeout(readSession(kysely, hash));
      if (!row) return undefined;
      const { usedAt, createdAt, tokenValidUntil, operatorId, name, role } = row;
      const ends = [usedAt.getTime() + IDLE_MS, createdAt.getTime() + LONGEST_MS];
      if (tokenValidUntil !== null) ends.push(tokenValidUntil.getTime());
      const validUntil = new Date(Math.min(...ends));
      if (validUntil > now()) await noteUse(kysely, hash, now(), log);
      if (operatorId === null || name === null || role === null || tokenValidUntil === null)
        return { owner: FIRST_ADMIN, validUntil };
      return { owner: { operatorId, name, role, tokenValidUntil }, validUntil };
    },
    limit,
    () => now().getTime(),
  );
  return {
    find: (session, address) => known.find(keyOf(session), address),
    forget: known.forget,
    open: async (trx, token, { operatorId }) => {
      const tokenHash = operatorId === null ? null : hashToken(token);
      if (tokenHash !== null) await requireToken(trx, tokenHash);
      const session = makeToken("");
      const at = now();
      const row = {
        sessionHash: hashToken(keyOf(session)),
        tokenHash,
        createdAt: at,
        usedAt: at,
      };
      await trx.insertInto("consoleSessions").values(row).execute();
      afterCommit(trx, () => known.accept(keyOf(session)));
      return session;
    },
    close: async (trx, session) => {
      await trx
        .deleteFrom("consoleSessions")
        .where("sessionHash", "=", hashToken(keyOf(session)))
        .execute();
    },
  };
}

/** The token may have been revoked since the request was let in. */
async function requireToken(trx: Trx, hash: string): Promise<void> {
  await trx
    .selectFrom("operatorTokens")
    .select("tokenHash")
    .where("tokenHash", "=", hash)
    .forKeyShare()
    .executeTakeFirstOrThrow(() => problem("unauthorized", { detail: "The token is no longer valid." }));
}

function readSession(kysely: Kysely<Schema>, hash: string) {
  return kysely
    .selectFrom("consoleSessions as session")
    .leftJoin("operatorTokens as token", "token.tokenHash", "session.tokenHash")
    .leftJoin("operators", "operators.operatorId", "token.operatorId")
    .select([
      "session.createdAt",
      "usedAt",
      "validUntil as tokenValidUntil",
      "operators.operatorId",
      "name",
      "role",
    ])
    .where("sessionHash", "=", hash)
    .executeTakeFirst();
}

/** At most once a minute. A database that takes no write does not sign anyone out. */
async function noteUse(kysely: Kysely<Schema>, hash: string, now: Date, log: Log): Promise<void> {
  await kysely
    .updateTable("consoleSessions")
    .set({ usedAt: now })
    .where("sessionHash", "=", hash)
    .where("usedAt", "<", new Date(now.getTime() - MINUTE_MS))
    .execute()
    .catch((err) => log.warn({ err }, "could not store that a session was used"));
}

/** Returns how many sessions had ended. */
export async function deleteEndedSessions(kysely: Kysely<Schema>, now: Date): Promise<number> {
  const { numDeletedRows } = await kysely
    .deleteFrom("consoleSessions")
    .where(({ or, eb }) =>
      or([
        eb("usedAt", "<", new Date(now.getTime() - IDLE_MS)),
        eb("createdAt", "<", new Date(now.getTime() - LONGEST_MS)),
      ]),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
