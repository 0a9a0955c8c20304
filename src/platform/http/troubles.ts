import type { Handlers } from "../../../generated/operations/server.ts";
import { problem } from "../../contract/problem.ts";
import type { Deps } from "../deps.ts";
import { acceptDisappearance, readMissing } from "../integrations/health.ts";
import { closeIssue, findIssue } from "../issues/issues.ts";
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
      const issue = await findIssue(deps.database.kysely, issueId);
      if (!issue) throw problem("issue_not_found", { detail: "There is no issue with this issueId." });
      const { provider_id, code } = issue;
      const isAboutShifts = code === "mass_disappearance";
      await transact(deps, async (trx) => {
        if (isAboutShifts) await acceptDisappearance(trx, deps, provider_id);
        await closeIssue(trx, deps, issue);
      });
      if (isAboutShifts) await transact(deps, (trx) => readMissing(trx, deps, provider_id));
      return { status: 204 };
    },
  };
}
