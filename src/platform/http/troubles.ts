import type { Handlers } from "../../../generated/operations/server.ts";
import { problem } from "../../contract/problem.ts";
import type { Deps } from "../deps.ts";
import { acceptDisappearance } from "../integrations/health.ts";
import { closeIssue } from "../issues/issues.ts";
import { explainJob } from "../jobs/staffing.ts";
import { transact } from "../transaction.ts";

type Troubles = Pick<Handlers<undefined>, "explainJob" | "resolveIssue">;

/** Why something did not happen, and that an operator took care of it. */
export function troubleHandlers(deps: Deps): Troubles {
  return {
    explainJob: async ({ path: { jobId } }) => ({
      status: 200,
      body: { jobId: jobId.toLowerCase(), ...(await explainJob(deps, jobId)) },
    }),
    resolveIssue: async ({ path: { issueId } }) => {
      const isFound = await transact(deps, async (trx) => {
        const issue = await closeIssue(trx, deps, issueId);
        if (issue?.code === "mass_disappearance") await acceptDisappearance(trx, deps, issue.providerId);
        return issue !== undefined;
      });
      if (isFound) return { status: 204 };
      throw problem("issue_not_found", { detail: "There is no issue with this issueId." });
    },
  };
}
