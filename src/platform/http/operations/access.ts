import type { Request } from "express";
import type { Handlers } from "../../../../generated/operations/server.ts";
import { problem } from "../../../contract/problem.ts";
import { bearerToken } from "../../../runtime/bearer-token.ts";
import { type Identity, selectAudit, viewOfEntry } from "../../access/audit.ts";
import {
  changeRole,
  createOperator,
  type OperatorTokens,
  readOperator,
  revokeOperator,
  rotateOperatorToken,
  selectOperators,
  viewOfOperator,
} from "../../access/operators.ts";
import type { Sessions } from "../../access/sessions.ts";
import type { Deps } from "../../deps.ts";
import { afterCommit, type Trx, transact } from "../../transaction.ts";
import { clearCookie, sessionOf, setCookie } from "../authenticate.ts";
import { created, noContent, ok } from "../handlers.ts";
import { page } from "../page.ts";

interface Access {
  operators: Pick<OperatorTokens, "forget">;
  sessions: Pick<Sessions, "open" | "close" | "forget">;
}

function viewOfMe({ operatorId, name, role, tokenValidUntil }: Identity) {
  return {
    name,
    role,
    ...(operatorId !== null && { operatorId }),
    ...(tokenValidUntil && { tokenValidUntil: tokenValidUntil.toISOString() }),
  };
}

/** Operators, what they did, and what is logged. */
export function accessHandlers(deps: Deps, { operators, sessions }: Access) {
  const { kysely } = deps.database;
  const closeSession = async (trx: Trx, request: Request) => {
    const session = sessionOf(request);
    if (session === undefined) return;
    await sessions.close(trx, session);
    afterCommit(trx, () => sessions.forget(() => true));
  };
  const known: Pick<OperatorTokens, "forget"> = {
    forget: (isChanged) => {
      operators.forget(isChanged);
      sessions.forget(isChanged);
    },
  };
  return {
    signIn: async ({ raw }, identity) => {
      const token = bearerToken(raw.headers.authorization);
      if (token === undefined)
        throw problem("unauthorized", { detail: "Send the token of an operator to sign in." });
      const session = await transact(deps, async (trx) => {
        await closeSession(trx, raw);
        return sessions.open(trx, token, identity);
      });
      return { ...created(viewOfMe(identity)), headers: setCookie(raw, session) };
    },
    signOut: async ({ raw }) => {
      await transact(deps, (trx) => closeSession(trx, raw));
      return { ...noContent, headers: clearCookie(raw) };
    },
    getMe: (_request, identity) => ok(viewOfMe(identity)),
    createOperator: async ({ body }) => created(await createOperator(deps, body)),
    listOperators: async ({ query }) => {
      const order = { id: "operatorId", where: { role: query.role } } as const;
      const all = selectOperators(kysely, deps).$if(query.state !== undefined, (operators) =>
        operators.where("revokedAt", query.state === "valid" ? "is" : "is not", null),
      );
      return ok(await page(all, query, order, viewOfOperator));
    },
    getOperator: async ({ path }) => ok(await readOperator(kysely, deps, path.operatorId)),
    changeOperator: async ({ path, body }) => ok(await changeRole(deps, known, path.operatorId, body.role)),
    revokeOperator: async ({ path }) => {
      await revokeOperator(deps, known, path.operatorId);
      return noContent;
    },
    rotateOperatorToken: async ({ path, body }) =>
      created(await rotateOperatorToken(deps, known, path.operatorId, body)),
    listAudit: async ({ query }) =>
      ok(await page(selectAudit(kysely, query), query, { id: "auditId" }, viewOfEntry)),
  } satisfies Partial<Handlers<Identity>>;
}
