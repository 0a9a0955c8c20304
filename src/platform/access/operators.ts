import { type Kysely, sql } from "kysely";
import type {
  OperatorCreate,
  OperatorCreated,
  OperatorTokenRotated,
  OperatorTokenRotation,
  Operator as OperatorView,
  Role,
} from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import type { Database } from "../db/database.ts";
import { view } from "../db/names.ts";
import type { Schema } from "../db/schema.ts";
import { withTimeout } from "../db/with-timeout.ts";
import type { Deps } from "../deps.ts";
import { afterCommit, type Trx, transact } from "../transaction.ts";
import type { AddressLimit } from "./address-limit.ts";
import { changesOf, FIRST_ADMIN, type Operator } from "./audit.ts";
import {
  createKnownTokens,
  hashToken,
  type KnownTokens,
  makeToken,
  OVERLAP_HOURS,
  overlapEnd,
  VALID_DAYS,
} from "./tokens.ts";

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
        .selectFrom("operatorTokens")
        .innerJoin("operators", "operators.operatorId", "operatorTokens.operatorId")
        .select(["operators.operatorId", "name", "role", "validUntil"])
        .where("tokenHash", "=", hash)
        .where("revokedAt", "is", null)
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
      .values({ operatorId, name, role, createdAt: at, revokedAt: null })
      .onConflict((conflict) => conflict.column("name").where("revokedAt", "is", null).doNothing())
      .returning("operatorId")
      .executeTakeFirstOrThrow(nameTaken);
    return issueToken(trx, operatorId, at, validDays);
  });
  return { operatorId, name, role, createdAt: at.toISOString(), ...issued };
}

const nameTaken = () => problem("operator_exists", { detail: "An operator has this name already." });

async function issueToken(trx: Trx, operatorId: string, createdAt: Date, validDays: number) {
  const token = makeToken("spo_");
  const validUntil = new Date(createdAt.getTime() + validDays * DAY_MS);
  const row = { tokenHash: hashToken(token), operatorId, createdAt, validUntil, replacedAt: null };
  await trx.insertInto("operatorTokens").values(row).execute();
  return { token, validUntil: validUntil.toISOString() };
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
    await trx.updateTable("operators").set({ role }).where("operatorId", "=", operatorId).execute();
    forgetAfter(trx, known, operatorId);
    return readOperator(trx, deps, operatorId);
  });
}

/** @throws ProblemError operator_not_found, also for a revoked one. */
export async function revokeOperator(deps: Deps, known: Known, operatorId: string): Promise<void> {
  await transact(deps, async (trx) => {
    await lockOperator(trx, operatorId);
    const revoked = { revokedAt: deps.now() };
    await trx.updateTable("operators").set(revoked).where("operatorId", "=", operatorId).execute();
    await trx.deleteFrom("operatorTokens").where("operatorId", "=", operatorId).execute();
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
      .deleteFrom("operatorTokens")
      .where("operatorId", "=", operatorId)
      .where("replacedAt", "is not", null)
      .execute();
    const previous = await trx
      .updateTable("operatorTokens")
      .set({ validUntil: sql`least(valid_until, ${validUntil})`, replacedAt: at })
      .where("operatorId", "=", operatorId)
      .returning("validUntil")
      .executeTakeFirst();
    forgetAfter(trx, known, operatorId);
    const issued = await issueToken(trx, operatorId, at, validDays);
    return { ...issued, previousValidUntil: (previous?.validUntil ?? at).toISOString() };
  });
}

/** One change of an operator at a time. */
async function lockOperator(trx: Trx, operatorId: string) {
  return trx
    .selectFrom("operators")
    .selectAll()
    .where("operatorId", "=", operatorId)
    .where("revokedAt", "is", null)
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
    ...(["operatorId", "name", "role", "createdAt", "revokedAt"] as const),
    query
      .selectFrom("operatorTokens as token")
      .whereRef("token.operatorId", "=", "operators.operatorId")
      .where("validUntil", ">", now())
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
    .where("operatorId", "=", operatorId)
    .executeTakeFirstOrThrow(unknownOperator);
  return viewOfOperator(row);
}

export function viewOfOperator(row: OperatorRow): OperatorView {
  return {
    ...view(row, ["operatorId", "name", "role", "createdAt", "revokedAt"]),
    tokens: (row.tokens ?? []).map(({ createdAt, validUntil }) => ({
      createdAt: new Date(createdAt).toISOString(),
      validUntil: new Date(validUntil).toISOString(),
    })),
  };
}
