import type { Selectable } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { Issue } from "../../../../generated/operations/types.ts";
import { problem } from "../../../contract/problem.ts";
import type { IssuesTable } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { acceptDisappearance } from "../../integrations/health.ts";
import { findIssue, resolveOne } from "../../issues/issues.ts";
import { transact } from "../../transaction.ts";
import { page } from "../page.ts";
import { noContent, ok } from "../response.ts";

export function issueHandlers(deps: Deps) {
  return {
    listIssues: async ({ query }) => {
      const where = { provider_id: query.providerId };
      const open = deps.database.kysely.selectFrom("issues").selectAll().where("resolved_at", "is", null);
      return ok(await page(open, query, { id: "issue_id", where }, viewOfIssue));
    },
    resolveIssue: async ({ path }) => {
      await resolveIssue(deps, path.issueId);
      return noContent;
    },
  } satisfies Partial<Handlers<undefined>>;
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
