import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { IssueCode, Params, Subject } from "../../generated/operations/types.ts";
import { jsonbOf } from "./db/fragments.ts";
import type { IssuesTable, Schema } from "./db/schema.ts";
import type { Deps } from "./deps.ts";
import { publish } from "./stream.ts";
import type { Trx } from "./transaction.ts";

export interface Issue {
  code: IssueCode;
  providerId: string;
  subject: Subject;
  params?: Params;
  traceId?: string | undefined;
  /** Leaves an issue that is already open unchanged. */
  once?: true;
}

type Parts = Pick<Deps, "newId" | "now">;

/** Raises an issue, or increments its count while it is open. */
export async function raiseIssue(trx: Trx, { newId, now }: Parts, issue: Issue): Promise<void> {
  const { code, providerId, subject, params = {}, traceId = null, once = false } = issue;
  const { rows } = await sql<StoredIssue>`
    insert into issues (provider_id, issue_id, code, subject, params, trace_id, first_at, last_at)
    values (${providerId}, ${newId()}, ${code}, ${jsonbOf(subject)},
      ${jsonbOf(params)}, ${traceId}, ${now()}, ${now()})
    on conflict (provider_id, code, subject) where resolved_at is null
      do update set params = excluded.params, trace_id = excluded.trace_id, last_at = excluded.last_at,
        count = issues.count + 1 where not ${once}::boolean
    returning provider_id, issue_id, code`.execute(trx);
  publishIssues(trx, rows, null);
}

/** Publishes on the stream that issues were raised or, with `resolvedAt`, resolved. */
function publishIssues(trx: Trx, issues: readonly StoredIssue[], resolvedAt: Date | null): void {
  const at = resolvedAt?.toISOString() ?? null;
  for (const { provider_id: providerId, issue_id: issueId, code } of issues)
    publish(trx, { type: "issue", issueId, providerId, code, resolvedAt: at });
}

/** Selects open issues: those of a subject or, with `shiftId` alone, those of a shift and its bookings. */
export interface IssueFilter {
  /** Without it, the issues of every provider. */
  providerId?: string;
  codes?: readonly IssueCode[] | undefined;
  subject?: Subject;
  shiftId?: string;
  /** A further condition on the table `issues`. */
  where?: RawBuilder<boolean>;
}

/** Resolves issues whose cause is gone. Returns their number. */
export async function resolveIssues(
  trx: Trx,
  { now }: Pick<Deps, "now">,
  { providerId, codes, subject, shiftId, where }: IssueFilter,
): Promise<number> {
  const at = now();
  let update = trx.updateTable("issues").set({ resolved_at: at }).where("resolved_at", "is", null);
  if (providerId !== undefined) update = update.where("provider_id", "=", providerId);
  if (codes) update = update.where("code", "in", codes);
  if (subject) update = update.where(sql<boolean>`subject = ${jsonbOf(subject)}`);
  if (shiftId !== undefined) update = update.where(sql<boolean>`subject ->> 'shiftId' = ${shiftId}`);
  if (where) update = update.where(where);
  const rows = await update.returning(["provider_id", "issue_id", "code"]).execute();
  publishIssues(trx, rows, at);
  return rows.length;
}

type StoredIssue = Pick<Selectable<IssuesTable>, "provider_id" | "issue_id" | "code">;

export function findIssue(db: Kysely<Schema>, issueId: string): Promise<StoredIssue | undefined> {
  const issues = db.selectFrom("issues").select(["provider_id", "issue_id", "code"]);
  return issues.where("issue_id", "=", issueId).executeTakeFirst();
}

/** Closes an issue for an operator. A closed issue stays closed. */
export async function resolveOne(trx: Trx, deps: Parts, issue: StoredIssue): Promise<void> {
  await resolveIssues(trx, deps, { providerId: issue.provider_id, where: sql`issue_id = ${issue.issue_id}` });
}
