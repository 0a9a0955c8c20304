import { type Selectable, sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { Issue, IssueCounts } from "../../../../generated/operations/types.ts";
import { URGENCY_OF, type Urgency } from "../../../contract/issue-urgency.ts";
import { problem } from "../../../contract/problem.ts";
import type { IssuesTable } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { acceptDisappearance } from "../../integrations/health.ts";
import { findIssue, resolveOne } from "../../issues.ts";
import { transact } from "../../transaction.ts";
import { countOf, page } from "../page.ts";
import { noContent, ok } from "../response.ts";

export function issueHandlers(deps: Deps) {
  return {
    listIssues: async ({ query }) => {
      const where = { provider_id: query.providerId, code: query.code };
      const first = query.order === "urgency" && ({ column: "urgency", holds: "ranks" } as const);
      return ok(
        await page(openIssues(deps), query, { id: "issue_id", where, ...(first && { first }) }, viewOfIssue),
      );
    },
    countIssues: async ({ query }) => ok(await countIssues(deps, query.providerId)),
    resolveIssue: async ({ path }) => {
      await resolveIssue(deps, path.issueId);
      return noContent;
    },
  } satisfies Partial<Handlers<undefined>>;
}

/** As in the index issues_urgency: the higher, the more urgent. */
const URGENCY_RANK = sql<number>`case when code in (${codesWith("urgent")}) then 2
  when code in (${codesWith("low")}) then 0 else 1 end`;

function codesWith(urgency: Urgency) {
  const codes = Object.entries(URGENCY_OF).filter(([, of]) => of === urgency);
  return sql.join(codes.map(([code]) => sql.lit(code)));
}

function openIssues({ database: { kysely } }: Deps) {
  const open = kysely.selectFrom("issues").where("resolved_at", "is", null);
  const ranked = open.selectAll().select(URGENCY_RANK.as("urgency"));
  return kysely.selectFrom(ranked.as("issues")).selectAll();
}

const MOST_COUNTED = 10_000;

async function countIssues({ database }: Deps, providerId: string | undefined): Promise<IssueCounts> {
  const { rows: codes } = await sql<IssueCounts["codes"][number]>`
    select code, count(*)::integer as count from (select code from issues where resolved_at is null
      ${providerId === undefined ? sql`` : sql`and provider_id = ${providerId}`}
      limit ${sql.lit(MOST_COUNTED + 1)}) as counted
    group by code order by count desc, code`.execute(database.kysely);
  const total = codes.reduce((sum, { count }) => sum + count, 0);
  return { total: countOf(total, MOST_COUNTED), codes };
}

/** @throws ProblemError issue_not_found */
async function resolveIssue(deps: Deps, issueId: string): Promise<void> {
  const issue = await findIssue(deps.database.kysely, issueId);
  if (!issue) throw problem("issue_not_found", { detail: "There is no issue with this issueId." });
  const { provider_id, code } = issue;
  await transact(deps, async (trx) => {
    deps.audit?.note({ subjects: { providerId: provider_id }, changes: [{ field: "code", before: code }] });
    if (code === "mass_disappearance") await acceptDisappearance(trx, deps, provider_id);
    await resolveOne(trx, deps, issue);
  });
}

export function viewOfIssue(row: Selectable<IssuesTable>): Issue {
  return {
    issueId: row.issue_id,
    code: row.code,
    subject: row.subject,
    params: row.params,
    count: row.count,
    providerId: row.provider_id,
    firstAt: row.first_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    ...(row.trace_id !== null && { traceId: row.trace_id }),
  };
}
