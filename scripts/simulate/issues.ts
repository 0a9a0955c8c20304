import type { IssueCode, Subject } from "../../generated/operations/types.ts";
import type { Store } from "./store.ts";

export function raiseIssue(store: Store, code: IssueCode, subject: Subject) {
  if (store.hasOpenIssue(code, subject)) return;
  store.issues.push({ code, subject: JSON.stringify(subject), shiftId: subject.shiftId, isOpen: true });
}

export function resolveIssues(
  store: Store,
  { codes, subject, shiftId }: { codes?: readonly IssueCode[]; subject?: Subject; shiftId?: string },
) {
  const text = JSON.stringify(subject);
  for (const issue of store.issues) {
    const isMeant = codes ? codes.includes(issue.code) && issue.subject === text : issue.shiftId === shiftId;
    if (isMeant) issue.isOpen = false;
  }
}

/** Whether a job waits for the mapping of an outlet or a role. */
export const isAwaited = ({ jobs }: Store, { outletId, roleId }: Subject): boolean =>
  [...jobs.values()].some(
    (job) =>
      job.status === "blocked_mapping" &&
      ((job.workplaceId === null && job.outletId === outletId) ||
        (job.competenceId === null && job.roleId === roleId)),
  );
