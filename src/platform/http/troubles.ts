import type { Handlers } from "../../../generated/operations/server.ts";
import { problem } from "../../contract/problem.ts";
import type { Deps } from "../deps.ts";
import { closeIssue } from "../issues/issues.ts";
import { explainJob } from "../jobs/staffing.ts";

type Troubles = Pick<Handlers<undefined>, "explainJob" | "resolveIssue">;

/** Why something did not happen, and that somebody took care of it. */
export function troubleHandlers(deps: Deps): Troubles {
  return {
    explainJob: async ({ path: { jobId } }) => {
      const { verdict, reasons } = await explainJob(deps, jobId);
      return { status: 200, body: { jobId: jobId.toLowerCase(), verdict, reasons } };
    },
    resolveIssue: async ({ path: { issueId } }) => {
      if (await closeIssue(deps, issueId)) return { status: 204 };
      throw problem("issue_not_found", { detail: "There is no issue with this issueId." });
    },
  };
}
