import { type Kysely, sql } from "kysely";
import type {
  OperatorCreate,
  OperatorCreated,
  OperatorTokenRotated,
  Operator as OperatorView,
  Role,
} from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import type { Database } from "../db/database.ts";
import type { Schema } from "../db/schema.ts";
import { withTimeout } from "../db/with-timeout.ts";
import type { Deps } from "../deps.ts";
import { afterCommit, type Trx, transact } from "../transaction.ts";
import type { AddressLimit } from "./address-limit.ts";
import { changesOf } from "./audit.ts";
import { FIRST_ADMIN, type Operator } from "./identity.ts";
import { createKnownTokens, type KnownTokens } from "./known-tokens.ts";
import { hashToken, makeToken, OVERLAP_HOURS, overlapEnd } from "./token.ts";

/** The operators behind the tokens of the operations API. */
export type OperatorTokens = KnownTokens<Operator>;

export function createOperatorTokens(
  { kysely }: Pick<Database, "kysely">,
  limit: AddressLimit,
  now: () => number,
): OperatorTokens {
  return createKnownTokens<Operator>(
    async (hash) => {
      const asked = kysely
        .selectFrom("operator_tokens")
        .innerJoin("operators", "operators.operator_id", "operator_tokens.operator_id")
        .select(["operators.operator_id as operatorId", "name", "role", "valid_until as validUntil"])
        .where("token_hash", "=", hash)
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      const row = await withTimeout(asked);
      if (!row) return undefined;
      const { validUntil, ...owner } = row;
      return { owner, validUntil };
    },
    limit,
    now,
  );
}

type Known = Pick<OperatorTokens, "forget">;

/** @throws ProblemError operator_exists */
export async function createOperator(deps: Deps, order: OperatorCreate): Promise<OperatorCreated> {
  const { name, role } = order;
  const [operatorId, at] = [deps.newId(), deps.now()];
  if (name.toLowerCase() === FIRST_ADMIN.name) throw nameTaken();
  const token = await transact(deps, async (trx) => {
    deps.audit?.note({
      subjects: { operatorId },
      changes: changesOf({}, { name, role }),
    });
    await trx
      .insertInto("operators")
      .values({ operator_id: operatorId, name, role, created_at: at, revoked_at: null })
      .onConflict((conflict) => conflict.column("name").where("revoked_at", "is", null).doNothing())
      .returning("operator_id")
      .executeTakeFirstOrThrow(nameTaken);
    return issueToken(trx, operatorId, at);
  });
  return { operatorId, name, role, createdAt: at.toISOString(), token };
}

const nameTaken = () => problem("operator_exists", { detail: "An operator has this name already." });

async function issueToken(trx: Trx, operator_id: string, created_at: Date): Promise<string> {
  const token = makeToken("spo_");
  const row = { token_hash: hashToken(token), operator_id, created_at, valid_until: null };
  await trx.insertInto("operator_tokens").values(row).execute();
  return token;
}

/** @throws ProblemError operator_not_found, also for a revoked one. */
export async function changeRole(
  deps: Deps,
  known: Known,
  operatorId: string,
  role: Role,
): Promise<OperatorView> {
  return transact(deps, async (trx) => {
    const before = await lockOperator(trx, operatorId);
    deps.audit?.note({ changes: changesOf({ role: before.role }, { role }) });
    await trx.updateTable("operators").set({ role }).where("operator_id", "=", operatorId).execute();
    forgetAfter(trx, known, operatorId);
    return readOperator(trx, deps, operatorId);
  });
}

/** @throws ProblemError operator_not_found, also for a revoked one. */
export async function revokeOperator(deps: Deps, known: Known, operatorId: string): Promise<void> {
  await transact(deps, async (trx) => {
    await lockOperator(trx, operatorId);
    const revoked = { revoked_at: deps.now() };
    await trx.updateTable("operators").set(revoked).where("operator_id", "=", operatorId).execute();
    await trx.deleteFrom("operator_tokens").where("operator_id", "=", operatorId).execute();
    forgetAfter(trx, known, operatorId);
  });
}

/**
 * Makes a new token, which is in this result and nowhere else. The one before stays valid for `overlapHours` (24 unless given, 0: it ends
 * now), and an older one ends now.
 * @throws ProblemError operator_not_found, also for a revoked one.
 */
export async function rotateOperatorToken(
  deps: Deps,
  known: Known,
  operatorId: string,
  overlapHours = OVERLAP_HOURS,
): Promise<OperatorTokenRotated> {
  const at = deps.now();
  const validUntil = overlapEnd(at, overlapHours);
  const token = await transact(deps, async (trx) => {
    await lockOperator(trx, operatorId);
    deps.audit?.note({ changes: [{ field: "overlapHours", after: overlapHours }] });
    await trx
      .deleteFrom("operator_tokens")
      .where("operator_id", "=", operatorId)
      .where("valid_until", "is not", null)
      .execute();
    await trx
      .updateTable("operator_tokens")
      .set({ valid_until: validUntil })
      .where("operator_id", "=", operatorId)
      .execute();
    forgetAfter(trx, known, operatorId);
    return issueToken(trx, operatorId, at);
  });
  return { token, previousValidUntil: validUntil.toISOString() };
}

/** One change of an operator at a time. */
async function lockOperator(trx: Trx, operatorId: string) {
  return trx
    .selectFrom("operators")
    .selectAll()
    .where("operator_id", "=", operatorId)
    .where("revoked_at", "is", null)
    .forUpdate()
    .executeTakeFirstOrThrow(unknownOperator);
}

const unknownOperator = () =>
  problem("operator_not_found", { detail: "There is no operator with this operatorId." });

function forgetAfter(trx: Trx, known: Known, operatorId: string): void {
  afterCommit(trx, () => known.forget((operator) => operator.operatorId === operatorId));
}

/** Operators with the tokens that are valid now, as JSON. */
export function selectOperators(db: Kysely<Schema>, { now }: Pick<Deps, "now">) {
  return db.selectFrom("operators").select((query) => [
    ...(["operator_id", "name", "role", "created_at", "revoked_at"] as const),
    query
      .selectFrom("operator_tokens as token")
      .whereRef("token.operator_id", "=", "operators.operator_id")
      .where(({ or, eb }) => or([eb("valid_until", "is", null), eb("valid_until", ">", now())]))
      .select(
        sql<
          TokenTimes[]
        >`coalesce(json_agg(json_build_object('createdAt', token.created_at, 'validUntil', token.valid_until)
          order by token.created_at desc, token.valid_until nulls first), '[]')`.as("tokens"),
      )
      .as("tokens"),
  ]);
}

interface TokenTimes {
  createdAt: string;
  validUntil: string | null;
}

type OperatorRow = Awaited<ReturnType<ReturnType<typeof selectOperators>["executeTakeFirstOrThrow"]>>;

/** @throws ProblemError operator_not_found */
export async function readOperator(
  db: Kysely<Schema>,
  deps: Pick<Deps, "now">,
  operatorId: string,
): Promise<OperatorView> {
  const row = await selectOperators(db, deps)
    .where("operator_id", "=", operatorId)
    .executeTakeFirstOrThrow(unknownOperator);
  return viewOfOperator(row);
}

export function viewOfOperator(row: OperatorRow): OperatorView {
  return {
    operatorId: row.operator_id,
    name: row.name,
    role: row.role,
    createdAt: row.created_at.toISOString(),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at.toISOString() }),
    tokens: (row.tokens ?? []).map(({ createdAt, validUntil }) => ({
      createdAt: new Date(createdAt).toISOString(),
      ...(validUntil !== null && { validUntil: new Date(validUntil).toISOString() }),
    })),
  };
}
