import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { Issue, IssueGroups, IssueJob } from "../../../generated/operations/types.ts";
import { URGENCY_OF, type Urgency } from "../../contract/operator-text.ts";
import { idList, JOINED_OUTLET_NAME, JOINED_ROLE_NAME, jsonRows, PLACE_NAMES } from "../db/fragments.ts";
import { view } from "../db/names.ts";
import type { IssuesTable, Schema } from "../db/schema.ts";
import { CAUSE, type IssueState, isInState } from "../issues.ts";
import { countOf } from "./page.ts";

type Row = Selectable<IssuesTable>;

/** As in the index issues_urgency: the higher, the more urgent. */
export const URGENCY_RANK = sql<number>`case when code in (${codesWith("urgent")}) then 2
  when code in (${codesWith("low")}) then 0 else 1 end`;

function codesWith(urgency: Urgency) {
  const codes = Object.entries(URGENCY_OF).filter(([, of]) => of === urgency);
  return sql.join(codes.map(([code]) => sql.lit(code)));
}

export const MOST_COUNTED = 10_000;
const MOST_GROUPS = 200;

interface GroupFilter {
  providerId?: string;
  code?: string;
  assignedTo?: string;
  state?: IssueState;
}

interface GroupRow {
  providerId: string;
  code: Issue["code"];
  cause: string;
  count: number;
  shifts: number;
  firstAt: Date;
  lastAt: Date;
  latest: string;
  /** Of all groups. */
  counted: number;
}

/** Groups issues by cause in one statement, which reads no more than MOST_COUNTED of them. */
export async function groupIssues(db: Kysely<Schema>, filter: GroupFilter, now: Date): Promise<IssueGroups> {
  const { rows } = await sql<GroupRow>`
    select provider_id, code, cause, count(*)::integer as count, min(first_at) as first_at, max(last_at) as last_at,
      (array_agg(issue_id order by issue_id desc))[1] as latest,
      count(distinct subject ->> 'shiftId')::integer as shifts, (sum(count(*)) over ())::integer as counted
    from (select provider_id, issue_id, code, ${CAUSE} as cause, subject, first_at, last_at, ${URGENCY_RANK} as urgency
      from issues where ${isInState(filter.state, now)} ${filters(filter)}
      order by urgency desc, issue_id desc limit ${sql.lit(MOST_COUNTED + 1)}) as issues
    group by provider_id, code, cause order by max(urgency) desc, last_at desc, latest limit ${sql.lit(MOST_GROUPS)}`.execute(
    db,
  );
  const ids = rows.map(({ latest }) => latest);
  const latest = await sql<Row>`
    select issues.* from issues join ${jsonRows(rows.map(({ providerId, latest }) => ({ providerId, latest })))}
      as shown ("providerId" uuid, latest uuid) on issues.provider_id = shown."providerId" and issue_id = shown.latest`.execute(
    db,
  );
  const views = new Map((await viewsOfIssues(db, latest.rows)).map((view) => [view.issueId, view]));
  const waiting = await readWaiting(db, latest.rows);
  const jobsOf = ({ providerId, code, shifts }: GroupRow): number => {
    const isOf = (each: Waiting) => each.providerId === providerId;
    if (code === "outlet_not_mapped") return sum(waiting, (each) => isOf(each) && each.needsOutlet);
    if (code === "role_not_mapped") return sum(waiting, (each) => isOf(each) && each.needsRole);
    return shifts;
  };
  const items = rows.flatMap((row, nth) => {
    const view = views.get(ids[nth] ?? "");
    if (!view) return [];
    const { providerId, code, cause, count, firstAt, lastAt } = row;
    const times = { firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
    return [{ providerId, code, cause, count, jobs: jobsOf(row), ...times, latest: view }];
  });
  return { items, counted: countOf(rows[0]?.counted ?? 0, MOST_COUNTED) };
}

function filters({ providerId, code, assignedTo }: GroupFilter): RawBuilder<unknown> {
  const given = { providerId, code, assignedTo };
  return sql.join(
    Object.entries(given).flatMap(([column, value]) =>
      value === undefined ? [] : [sql` and ${sql.ref(column)} = ${value}`],
    ),
    sql``,
  );
}

/** The issues of a page with the names, the job, and the number of waiting jobs of each: three statements for all. */
export async function viewsOfIssues(db: Kysely<Schema>, rows: readonly Row[]): Promise<Issue[]> {
  const jobs = await readJobs(db, rows);
  const waiting = await readWaiting(db, rows);
  const names = await readNames(db, rows);
  return rows.map((row) => {
    const { shiftId, outletId, roleId } = row.subject;
    const job = jobs.get(`${row.providerId} ${shiftId}`);
    const view = viewOfIssue(row);
    const name = names.get(`${row.providerId} ${outletId ?? roleId}`);
    if (name !== undefined) view.params = { ...view.params, [outletId ? "outletName" : "roleName"]: name };
    if (!isAboutMapping(row)) return { ...view, ...(job && { job }) };
    const isFor = (each: Waiting) =>
      each.providerId === row.providerId &&
      (outletId === undefined
        ? each.needsRole && each.roleId === roleId
        : each.needsOutlet && each.outletId === outletId);
    return { ...view, waitingJobs: countOf(sum(waiting, isFor), MOST_COUNTED) };
  });
}

const isAboutMapping = ({ subject: { kind } }: Row): boolean => kind === "outlet" || kind === "role";

async function readJobs(db: Kysely<Schema>, rows: readonly Row[]): Promise<Map<string, IssueJob>> {
  const keys = rows.flatMap(({ providerId, subject: { shiftId } }) =>
    shiftId === undefined ? [] : [{ providerId, shiftId }],
  );
  if (keys.length === 0) return new Map();
  const found = await sql<Record<string, string | null> & { startTime: Date; endTime: Date }>`
    select jobs.provider_id, shift_id, job_id, start_time, end_time, jobs.outlet_id, jobs.role_id,
      jobs.workplace_id, jobs.competence_id, ${JOINED_OUTLET_NAME} as outlet_name, ${JOINED_ROLE_NAME} as role_name
    from ${jsonRows(keys)} as asked ("providerId" uuid, "shiftId" text)
    join jobs on jobs.provider_id = "providerId" and jobs.shift_id = "shiftId" ${PLACE_NAMES}`.execute(db);
  return new Map(found.rows.map((row) => [`${row.providerId} ${row.shiftId}`, viewOfJob(row)]));
}

function viewOfJob({
  startTime,
  endTime,
  ...row
}: Record<string, string | null> & { startTime: Date; endTime: Date }): IssueJob {
  return {
    jobId: row.jobId ?? "",
    startTime: startTime.toISOString(),
    endTime: endTime.toISOString(),
    outletId: row.outletId ?? "",
    roleId: row.roleId ?? "",
    ...(row.outletName && { outletName: row.outletName }),
    ...(row.roleName && { roleName: row.roleName }),
    ...(row.workplaceId && { workplaceId: row.workplaceId }),
    ...(row.competenceId && { competenceId: row.competenceId }),
  };
}

interface Waiting {
  providerId: string;
  outletId: string;
  roleId: string;
  needsOutlet: boolean;
  needsRole: boolean;
  count: number;
}

const sum = (waiting: readonly Waiting[], isCounted: (each: Waiting) => boolean): number =>
  waiting.filter(isCounted).reduce((total, { count }) => total + count, 0);

/** Counts the jobs that wait for a mapping, and no further than to MOST_COUNTED. */
async function readWaiting(db: Kysely<Schema>, rows: readonly Row[]): Promise<Waiting[]> {
  const ids = [...new Set(rows.filter(isAboutMapping).map(({ providerId }) => providerId))];
  if (ids.length === 0) return [];
  const { rows: waiting } = await sql<Waiting>`
    select provider_id, outlet_id, role_id, needs_outlet, needs_role, count(*)::integer as count
    from (select provider_id, outlet_id, role_id, workplace_id is null as needs_outlet, competence_id is null as needs_role
      from jobs where status = 'blocked_mapping' and provider_id = any(${idList(ids)}) limit ${sql.lit(MOST_COUNTED + 1)}) as waiting
    group by 1, 2, 3, 4, 5`.execute(db);
  return waiting;
}

/** The names of outlets and roles, as the provider lists them; a shift of variant B holds none. */
async function readNames(db: Kysely<Schema>, rows: readonly Row[]): Promise<Map<string, string>> {
  const keys = rows.filter(isAboutMapping).map(({ providerId, subject: { outletId, roleId } }) => ({
    providerId,
    id: outletId ?? roleId,
  }));
  if (keys.length === 0) return new Map();
  const asked = sql`${jsonRows(keys)} as asked ("providerId" uuid, id text)`;
  const { rows: names } = await sql<{ key: string; name: string }>`
    select asked."providerId" || ' ' || id as key, name from ${asked}
      join outlets on outlets.provider_id = asked."providerId" and outlet_id = id where name <> id
    union all select asked."providerId" || ' ' || id, name from ${asked}
      join roles on roles.provider_id = asked."providerId" and role_id = id where name <> id`.execute(db);
  return new Map(names.map(({ key, name }) => [key, name]));
}

const viewOfIssue = (row: Row): Issue => ({
  ...view(row, ["issueId", "code", "subject", "params", "count", "providerId", "firstAt", "lastAt"]),
  ...view(row, ["history", "traceId", "assignedTo", "snoozedUntil", "resolvedAt"]),
});
