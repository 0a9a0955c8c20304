import { type Kysely, sql } from "kysely";
import type { AuditEntry, FieldChange, FieldValue, Role } from "../../../generated/operations/types.ts";
import { ROLE_NAMES } from "../../contract/role.ts";
import { view } from "../db/names.ts";
import type { Schema } from "../db/schema.ts";
import { type AuditScope, afterCommit } from "../transaction.ts";

/** The operator behind a request. */
export interface Operator {
  /** Null: the first admin, who has OPERATIONS_TOKEN. */
  operatorId: string | null;
  name: string;
  role: Role;
  /** Of the token, unless it does not expire. */
  tokenValidUntil?: Date;
}

export interface Identity extends Operator {
  /** Of the client. */
  address: string;
}

/** OPERATIONS_TOKEN is this operator's. */
export const FIRST_ADMIN: Operator = { operatorId: null, name: "first admin", role: "admin" };

/** The first of these roles that the operator does not have. An operation that names no role needs `admin`. */
export function missingRole({ role }: Operator, needed: readonly string[]): string | undefined {
  const held: readonly string[] = ROLE_NAMES.slice(0, ROLE_NAMES.indexOf(role) + 1);
  const wanted = needed.length > 0 ? needed : ["admin"];
  return wanted.find((name) => !held.includes(name));
}

interface Parts {
  identity: Identity;
  operation: string;
  subjects: Record<string, string>;
  /** The fields of the request. */
  fields: readonly string[];
  now: () => Date;
  newId: () => string;
}

/** An entry that every transaction of the operation is offered. */
export interface OpenEntry extends AuditScope {
  readonly isWritten: boolean;
}

/** Fields of the request are named without values, unless the feature notes them: only it knows which are personal. */
export function openEntry({ identity, operation, fields, now, newId, ...given }: Parts): OpenEntry {
  let { subjects } = given;
  let changes = new Map<string, FieldChange>(fields.map((field) => [field, { field }]));
  let isWritten = false;
  let isDue = true;
  return {
    by: identity.name,
    get isWritten() {
      return isWritten;
    },
    note: (about) => {
      subjects = { ...subjects, ...about.subjects };
      // The second entry of an operation has only what was noted since the first.
      if (!isDue) changes = new Map();
      for (const change of about.changes ?? []) changes.set(change.field, change);
      isDue = true;
    },
    write: async (trx) => {
      if (!isDue) return;
      const row = {
        auditId: newId(),
        at: now(),
        operatorId: identity.operatorId,
        operatorName: identity.name,
        address: identity.address,
        operation,
        subjects: JSON.stringify(subjects),
        changes: JSON.stringify([...changes.values()]),
      };
      await trx.insertInto("audit").values(row).execute();
      afterCommit(trx, () => {
        isWritten = true;
        isDue = false;
      });
    },
  };
}

/** The fields whose values differ, with both values. None of them may be personal or secret. */
export function changesOf(
  before: Readonly<Record<string, FieldValue>>,
  after: Readonly<Record<string, FieldValue>>,
): FieldChange[] {
  return Object.entries(after)
    .filter(([field, value]) => JSON.stringify(before[field]) !== JSON.stringify(value))
    .map(([field, value]) => ({
      field,
      ...(before[field] !== undefined && { before: before[field] }),
      after: value,
    }));
}

export interface AuditFilter {
  operator?: string;
  subject?: string;
  operation?: string;
  since?: string;
  until?: string;
}

/** The entries of the audit log that fit, without an order. */
export function selectAudit(db: Kysely<Schema>, { operator, subject, operation, since, until }: AuditFilter) {
  return db
    .selectFrom("audit")
    .selectAll()
    .select(({ selectFrom }) =>
      selectFrom("reveals")
        .where("revealId", "=", sql<string>`(subjects ->> 'revealId')::uuid`)
        .select("reason")
        .as("reason"),
    )
    .$if(operator !== undefined, (query) => query.where("operatorName", "=", operator ?? ""))
    .$if(operation !== undefined, (query) => query.where("operation", "=", operation ?? ""))
    .$if(since !== undefined, (query) => query.where("at", ">=", new Date(since ?? "")))
    .$if(until !== undefined, (query) => query.where("at", "<", new Date(until ?? "")))
    .$if(subject !== undefined, (query) =>
      query.where(
        sql<boolean>`jsonb_path_query_array(subjects, '$.*') @> jsonb_build_array(${subject}::text)`,
      ),
    );
}

type AuditRow = Awaited<ReturnType<ReturnType<typeof selectAudit>["executeTakeFirstOrThrow"]>>;

export function viewOfEntry(row: AuditRow): AuditEntry {
  return {
    ...view(row, ["auditId", "at", "address", "operation", "subjects", "changes"]),
    operator: { name: row.operatorName, ...view(row, ["operatorId"]) },
    // An erasure empties the reason.
    ...(row.reason && { reason: row.reason }),
  };
}
