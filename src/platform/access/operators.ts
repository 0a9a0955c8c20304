import { type Kysely, sql } from "kysely";
import type {
  OperatorCreate,
  OperatorCreated,
  OperatorTokenRotated,
  OperatorTokenRotation,
  Operator as OperatorView,
  Role,
} from "../../../generated/operations/types.ts";
import { DAY_MS } from "../../contract/durations.ts";
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
import { hashToken, makeToken, OVERLAP_HOURS, overlapEnd, VALID_DAYS } from "./token.ts";

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
      const { validUntil, ...operator } = row;
      return { owner: { ...operator, tokenValidUntil: validUntil }, validUntil };
    },
    limit,
    now,
    refuseExpired,
  );
}

function refuseExpired(validUntil: Date): never {
  const detail = `The token expired at ${validUntil.toISOString()}. An admin makes another: in the console under Operators, or with \`shiftpact operators rotate NAME\`.`;
  throw problem("unauthorized", { detail }, { "WWW-Authenticate": "Bearer" });
}

type Known = Pick<OperatorTokens, "forget">;

/** @throws ProblemError operator_exists */
export async function createOperator(deps: Deps, order: OperatorCreate): Promise<OperatorCreated> {
  const { name, role, validDays = VALID_DAYS } = order;
  const [operatorId, at] = [deps.newId(), deps.now()];
  if (name.toLowerCase() === FIRST_ADMIN.name) throw nameTaken();
  const issued = await transact(deps, async (trx) => {
    deps.audit?.note({
      subjects: { operatorId },
      changes: changesOf({}, { name, role, validDays }),
    });
    await trx
      .insertInto("operators")
      .values({ operator_id: operatorId, name, role, created_at: at, revoked_at: null })
      .onConflict((conflict) => conflict.column("name").where("revoked_at", "is", null).doNothing())
      .returning("operator_id")
      .executeTakeFirstOrThrow(nameTaken);
    return issueToken(trx, operatorId, at, validDays);
  });
  return { operatorId, name, role, createdAt: at.toISOString(), ...issued };
}

const nameTaken = () => problem("operator_exists", { detail: "An operator has this name already." });

async function issueToken(trx: Trx, operator_id: string, created_at: Date, validDays: number) {
  const token = makeToken("spo_");
  const valid_until = new Date(created_at.getTime() + validDays * DAY_MS);
  const row = { token_hash: hashToken(token), operator_id, created_at, valid_until, replaced_at: null };
  await trx.insertInto("operator_tokens").values(row).execute();
  return { token, validUntil: valid_until.toISOString() };
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
 * now) unless it expires earlier, and an older one ends now.
 * @throws ProblemError operator_not_found, also for a revoked one.
 */
export async function rotateOperatorToken(
  deps: Deps,
  known: Known,
  operatorId: string,
  { overlapHours = OVERLAP_HOURS, validDays = VALID_DAYS }: OperatorTokenRotation,
): Promise<OperatorTokenRotated> {
  const at = deps.now();
  const validUntil = overlapEnd(at, overlapHours);
  return transact(deps, async (trx) => {
    await lockOperator(trx, operatorId);
    deps.audit?.note({ changes: changesOf({}, { overlapHours, validDays }) });
    await trx
      .deleteFrom("operator_tokens")
      .where("operator_id", "=", operatorId)
      .where("replaced_at", "is not", null)
      .execute();
    const previous = await trx
      .updateTable("operator_tokens")
      .set({ valid_until: sql`least(valid_until, ${validUntil})`, replaced_at: at })
      .where("operator_id", "=", operatorId)
      .returning("valid_until")
      .executeTakeFirst();
    forgetAfter(trx, known, operatorId);
    const issued = await issueToken(trx, operatorId, at, validDays);
    return { ...issued, previousValidUntil: (previous?.valid_until ?? at).toISOString() };
  });
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
      .where("valid_until", ">", now())
      .select(
        sql<
          TokenTimes[]
        >`coalesce(json_agg(json_build_object('createdAt', token.created_at, 'validUntil', token.valid_until)
          order by token.replaced_at nulls first), '[]')`.as("tokens"),
      )
      .as("tokens"),
  ]);
}

interface TokenTimes {
  createdAt: string;
  validUntil: string;
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
      validUntil: new Date(validUntil).toISOString(),
    })),
  };
}
