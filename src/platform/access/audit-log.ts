import { type Kysely, sql } from "kysely";
import type { AuditEntry } from "../../../generated/operations/types.ts";
import type { Schema } from "../db/schema.ts";

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
        .where("reveal_id", "=", sql<string>`(subjects ->> 'revealId')::uuid`)
        .select("reason")
        .as("reason"),
    )
    .$if(operator !== undefined, (query) => query.where("operator_name", "=", operator ?? ""))
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
    auditId: row.audit_id,
    at: row.at.toISOString(),
    operator: { name: row.operator_name, ...(row.operator_id !== null && { operatorId: row.operator_id }) },
    address: row.address,
    operation: row.operation,
    subjects: row.subjects,
    changes: row.changes,
    // An erasure empties the reason.
    ...(row.reason && { reason: row.reason }),
  };
}

const PAGE = 500;

/** Every entry that fits, oldest first. What is written meanwhile may be left out. */
export async function* everyEntry(db: Kysely<Schema>, filter: AuditFilter): AsyncGenerator<AuditEntry> {
  let after: string | undefined;
  for (;;) {
    const rows = await selectAudit(db, filter)
      .$if(after !== undefined, (query) => query.where("audit_id", ">", after ?? ""))
      .orderBy("audit_id")
      .limit(PAGE)
      .execute();
    yield* rows.map(viewOfEntry);
    after = rows.at(-1)?.audit_id;
    if (rows.length < PAGE) return;
  }
}
