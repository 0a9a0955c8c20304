import { type Kysely, sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type {
  IssueChanges,
  IssueCounts,
  IssuesChanged,
  operations,
} from "../../../../generated/operations/types.ts";
import { problem } from "../../../contract/problem.ts";
import { FIRST_ADMIN, type Identity } from "../../access/audit.ts";
import { jsonbOf } from "../../db/fragments.ts";
import type { Schema } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { acceptDisappearance } from "../../integrations/conditions.ts";
import { CAUSE, changeOpenIssues, findIssue, type IssueChange, isInState } from "../../issues.ts";
import { unknownJob } from "../../jobs/job.ts";
import { type Trx, transact } from "../../transaction.ts";
import { noContent, ok } from "../handlers.ts";
import { groupIssues, MOST_COUNTED, URGENCY_RANK, viewsOfIssues } from "../issue-views.ts";
import { countOf, page } from "../page.ts";

export function issueHandlers(deps: Deps) {
  const { kysely } = deps.database;
  return {
    listIssues: async ({ query }) => {
      const first = query.order === "urgency" && ({ column: "urgency", holds: "ranks" } as const);
      const where = { providerId: query.providerId, code: query.code, assignedTo: query.assignedTo };
      const select = await issuesIn(deps, query);
      const order = { id: "issueId", where, ...(first && { first }) } as const;
      const { items, ...rest } = await page(select, query, order, (row) => row);
      return ok({ items: await viewsOfIssues(kysely, items), ...rest });
    },
    listIssueGroups: async ({ query }) => ok(await groupIssues(kysely, query, deps.now())),
    countIssues: async ({ query }) => ok(await countIssues(deps, query.providerId)),
    changeIssues: async ({ body }, { name }) => ok(await changeIssues(deps, body, name)),
    resolveIssue: async ({ path: { issueId } }, { name }) => {
      if (!(await findIssue(kysely, issueId)))
        throw problem("issue_not_found", { detail: "There is no issue with this issueId." });
      await changeIssues(deps, { issueIds: [issueId], resolve: true }, name);
      return noContent;
    },
  } satisfies Partial<Handlers<Identity>>;
}

type IssueQuery = NonNullable<operations["listIssues"]["parameters"]["query"]>;

/** @throws ProblemError job_not_found */
async function issuesIn({ database: { kysely }, now }: Deps, { state, cause, jobId }: IssueQuery) {
  let some = kysely.selectFrom("issues").where(isInState(state, now()));
  if (cause !== undefined) some = some.where(sql<boolean>`${CAUSE} = ${cause}`);
  if (jobId !== undefined) some = some.where(await isAboutJob(kysely, jobId));
  const ranked = some.selectAll().select(URGENCY_RANK.as("urgency"));
  return kysely.selectFrom(ranked.as("issues")).selectAll();
}

/** By the indexes `issues_shift` and `issues_open`. */
async function isAboutJob(kysely: Kysely<Schema>, jobId: string) {
  const jobs = kysely.selectFrom("jobs").selectAll().where("jobId", "=", jobId);
  const { providerId, shiftId, ...job } = await jobs.executeTakeFirstOrThrow(unknownJob);
  const ofShift = sql`subject ->> 'shiftId' = ${shiftId}`;
  const isBlocked = job.status === "blocked_mapping";
  const outlet = isBlocked && job.workplaceId === null && { kind: "outlet", outletId: job.outletId };
  const role = isBlocked && job.competenceId === null && { kind: "role", roleId: job.roleId };
  const about = [
    ofShift,
    ...(outlet ? [sql`code = 'outlet_not_mapped' and subject = ${jsonbOf(outlet)}`] : []),
    ...(role ? [sql`code = 'role_not_mapped' and subject = ${jsonbOf(role)}`] : []),
  ];
  return sql<boolean>`provider_id = ${providerId} and (${sql.join(about, sql` or `)})`;
}

async function countIssues({ database, now }: Deps, providerId: string | undefined): Promise<IssueCounts> {
  const { rows: codes } = await sql<IssueCounts["codes"][number]>`
    select code, count(*)::integer as count from (select code from issues where ${isInState("open", now())}
      ${providerId === undefined ? sql`` : sql`and provider_id = ${providerId}`}
      limit ${sql.lit(MOST_COUNTED + 1)}) as counted
    group by code order by count desc, code`.execute(database.kysely);
  const total = codes.reduce((sum, { count }) => sum + count, 0);
  return { total: countOf(total, MOST_COUNTED), codes };
}

/** @throws ProblemError validation_failed */
async function changeIssues(deps: Deps, changes: IssueChanges, by: string): Promise<IssuesChanged> {
  const { issueIds, providerId, code, cause, state, resolve, ...others } = changes;
  const change = { ...others, ...(resolve && { resolved: resolve }) };
  const group = providerId !== undefined && code !== undefined && { providerId, code, cause, state };
  const selection = issueIds ?? (group || undefined);
  return transact(deps, async (trx) => {
    await requireValid(trx, change, deps.now());
    if (!selection) throw invalid("/issueIds", "is missing, and so are providerId and code");
    const { issues, more } = await changeOpenIssues(trx, deps, selection, { ...change, by });
    const providers = [...new Set(issues.map(({ providerId }) => providerId))];
    const codes = [...new Set(issues.map((issue) => issue.code))].sort();
    const [only] = providers;
    deps.audit?.note({
      ...(only !== undefined && providers.length === 1 && { subjects: { providerId: only } }),
      changes: [
        { field: "code", before: codes.join(", ") },
        { field: "changed", after: issues.length },
        ...(issueIds ? [{ field: "issueIds", after: [...issueIds] }] : []),
        ...Object.entries(change).map(([field, after]) => ({ field, after })),
      ],
    });
    if (change.resolved)
      for (const { providerId } of issues.filter(({ code }) => code === "mass_disappearance"))
        await acceptDisappearance(trx, deps, providerId);
    return { changed: issues.length, more };
  });
}

const invalid = (pointer: string, message: string) =>
  problem("validation_failed", { detail: "Nothing was changed.", errors: [{ pointer, message }] });

/** @throws ProblemError validation_failed */
async function requireValid(trx: Trx, change: Omit<IssueChange, "by">, now: Date): Promise<void> {
  const { assignedTo, snoozedUntil } = change;
  if (Object.keys(change).length === 0)
    throw invalid("", "has no change: resolve, assignedTo or snoozedUntil");
  if (snoozedUntil && new Date(snoozedUntil) <= now) throw invalid("/snoozedUntil", "must be in the future");
  if (!assignedTo || assignedTo === FIRST_ADMIN.name) return;
  const valid = trx.selectFrom("operators").select("name").where("revokedAt", "is", null);
  if (!(await valid.where("name", "=", assignedTo).executeTakeFirst()))
    throw invalid("/assignedTo", "is not the name of an operator");
}
