import { type Kysely, type Selectable, sql } from "kysely";
import type { IssueCode, Params, Subject } from "../../../generated/operations/types.ts";
import type { IssuesTable, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/news.ts";
import type { Trx } from "../transaction.ts";

export interface Issue {
  code: IssueCode;
  providerId: string;
  subject: Subject;
  params?: Params;
  traceId?: string | undefined;
}

type Parts = Pick<Deps, "newId" | "now">;

interface Row {
  issue_id: string;
  code: IssueCode;
}

/** Raises an issue, or counts it once more while it is open. */
export async function raiseIssue(trx: Trx, { newId, now }: Parts, issue: Issue): Promise<void> {
  const { code, providerId, subject, params = {}, traceId = null } = issue;
  const { rows } = await sql<Row>`
    insert into issues (provider_id, issue_id, code, subject, params, trace_id, first_at, last_at)
    values (${providerId}, ${newId()}, ${code}, ${JSON.stringify(subject)}::text::jsonb,
      ${JSON.stringify(params)}::text::jsonb, ${traceId}, ${now()}, ${now()})
    on conflict (provider_id, code, subject) where resolved_at is null
      do update set params = excluded.params, trace_id = excluded.trace_id, last_at = excluded.last_at,
        count = issues.count + 1
    returning issue_id, code`.execute(trx);
  for (const row of rows) publishIssue(trx, providerId, row, null);
}

/** An issue was raised or, with `resolvedAt`, closed. */
export function publishIssue(
  trx: Trx,
  providerId: string,
  { issue_id, code }: Row,
  resolvedAt: Date | null,
): void {
  const at = resolvedAt?.toISOString() ?? null;
  publish(trx, { type: "issue", issueId: issue_id, providerId, code, resolvedAt: at });
}

/** Which open issues: those of a subject, or, by `shiftId` alone, those of a shift and of everyone booked on it. */
export interface Settled {
  providerId: string;
  codes?: readonly IssueCode[] | undefined;
  subject?: Subject;
  shiftId?: string;
}

/** The cause is gone. Returns how many issues were closed. */
export async function settleIssues(
  trx: Trx,
  { now }: Parts,
  { providerId, codes, subject, shiftId }: Settled,
): Promise<number> {
  const at = now();
  let update = trx
    .updateTable("issues")
    .set({ resolved_at: at })
    .where("provider_id", "=", providerId)
    .where("resolved_at", "is", null);
  if (codes) update = update.where("code", "in", codes);
  if (subject) update = update.where(sql<boolean>`subject = ${JSON.stringify(subject)}::text::jsonb`);
  if (shiftId !== undefined) update = update.where(sql<boolean>`subject ->> 'shiftId' = ${shiftId}`);
  const rows = await update.returning(["issue_id", "code"]).execute();
  for (const row of rows) publishIssue(trx, providerId, row, at);
  return rows.length;
}

type StoredIssue = Pick<Selectable<IssuesTable>, "provider_id" | "issue_id" | "code">;

export function findIssue(db: Kysely<Schema>, issueId: string): Promise<StoredIssue | undefined> {
  const issues = db.selectFrom("issues").select(["provider_id", "issue_id", "code"]);
  return issues.where("issue_id", "=", issueId).executeTakeFirst();
}

/** An operator closes an issue; one that is closed stays so. */
export async function closeIssue(trx: Trx, { now }: Parts, issue: StoredIssue): Promise<void> {
  const at = now();
  await sql`update issues set resolved_at = coalesce(resolved_at, ${at})
    where provider_id = ${issue.provider_id} and issue_id = ${issue.issue_id}`.execute(trx);
  publishIssue(trx, issue.provider_id, issue, at);
}
