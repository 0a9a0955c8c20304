import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { IssueCode, IssueHistory, Params, Subject } from "../../generated/operations/types.ts";
import { idList, jsonbOf } from "./db/fragments.ts";
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
  for (const { providerId, issueId, code } of issues)
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
  let update = trx.updateTable("issues").set({ resolvedAt: at }).where("resolvedAt", "is", null);
  if (providerId !== undefined) update = update.where("providerId", "=", providerId);
  if (codes) update = update.where("code", "in", codes);
  if (subject) update = update.where(sql<boolean>`subject = ${jsonbOf(subject)}`);
  if (shiftId !== undefined) update = update.where(sql<boolean>`subject ->> 'shiftId' = ${shiftId}`);
  if (where) update = update.where(where);
  const rows = await update.returning(["providerId", "issueId", "code"]).execute();
  publishIssues(trx, rows, at);
  return rows.length;
}

type StoredIssue = Pick<Selectable<IssuesTable>, "providerId" | "issueId" | "code">;

export function findIssue(db: Kysely<Schema>, issueId: string): Promise<StoredIssue | undefined> {
  const issues = db.selectFrom("issues").select(["providerId", "issueId", "code"]);
  return issues.where("issueId", "=", issueId).executeTakeFirst();
}

export type IssueState = "open" | "snoozed" | "resolved";

/** Whether an issue is in a state, over the table `issues`. One that is snoozed is open again when the time is over. */
export function isInState(state: IssueState = "open", now: Date): RawBuilder<boolean> {
  if (state === "resolved") return sql<boolean>`resolved_at is not null`;
  return state === "snoozed"
    ? sql<boolean>`resolved_at is null and snoozed_until > ${now}`
    : sql<boolean>`resolved_at is null and (snoozed_until is null or snoozed_until <= ${now})`;
}

/** Why an issue was raised, as codes, over the table `issues`: what one remedy fixes together. */
export const CAUSE = sql<string>`concat_ws(' ', coalesce(params ->> 'reason', params ->> 'changeReason'), params ->> 'failure',
  params ->> 'fault', params ->> 'delivery', params ->> 'status', subject ->> 'operation', subject ->> 'finding')`;

/** An operator's change. A member that is absent stays as it is. */
export type IssueChange = Omit<IssueHistory, "at">;

/** The issues with these ids, or those of a group. */
type Selection =
  | readonly string[]
  | { providerId: string; code: IssueCode; cause?: string | undefined; state?: IssueState | undefined };

/** Of one call: each sends a message on the stream. */
const MOST_CHANGED = 1_000;
/** Entries that an issue keeps. */
const MOST_HISTORY = 20;

/** Changes open issues for an operator, and writes it into the history of each. Those that are as asked for already are left out. */
export async function changeOpenIssues(
  trx: Trx,
  { now }: Pick<Deps, "now">,
  selection: Selection,
  change: IssueChange,
): Promise<{ issues: StoredIssue[]; more: boolean }> {
  const at = now();
  const { resolved, assignedTo, snoozedUntil } = change;
  const set = {
    ...(resolved && { resolvedAt: at }),
    ...(assignedTo !== undefined && { assignedTo }),
    ...(snoozedUntil !== undefined && {
      snoozedUntil: snoozedUntil === null ? null : new Date(snoozedUntil),
    }),
  };
  const isOther = sql.join(
    Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} is distinct from ${value}`),
    sql` or `,
  );
  const changed = sql<boolean>`resolved_at is null and (${isOther})`;
  const { rows } = await sql<StoredIssue>`
    select provider_id, issue_id, code from issues where ${changed} and ${isSelected(selection, at)}
    order by provider_id, issue_id limit ${sql.lit(MOST_CHANGED + 1)}`.execute(trx);
  const entry = jsonbOf({ at: at.toISOString(), ...change });
  const history = sql<string>`case when jsonb_array_length(history) < ${sql.lit(MOST_HISTORY)} then history else history - 0 end || ${entry}`;
  const issues: StoredIssue[] = [];
  for (const [providerId, of] of Map.groupBy(rows.slice(0, MOST_CHANGED), (row) => row.providerId)) {
    // What holds deletions, or ends that, locks the integration before the issue.
    if (resolved && of.some(({ code }) => code === "mass_disappearance"))
      await sql`select 1 from integrations where provider_id = ${providerId} for update`.execute(trx);
    const ids = of.map(({ issueId }) => issueId);
    const update = trx
      .updateTable("issues")
      .set({ ...set, history })
      .where("providerId", "=", providerId);
    const those = update.where(sql<boolean>`issue_id = any(${idList(ids)}) and ${changed}`);
    issues.push(...(await those.returning(["providerId", "issueId", "code"]).execute()));
  }
  publishIssues(trx, issues, resolved ? at : null);
  return { issues, more: rows.length > MOST_CHANGED };
}

function isSelected(selection: Selection, now: Date): RawBuilder<boolean> {
  if (!("code" in selection)) return sql<boolean>`issue_id = any(${idList(selection)})`;
  const { providerId, code, cause, state } = selection;
  const conditions = [
    sql`provider_id = ${providerId} and code = ${code}`,
    ...(cause === undefined ? [] : [sql`${CAUSE} = ${cause}`]),
    ...(state === undefined ? [] : [isInState(state, now)]),
  ];
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
