import type { IssueCode, Params, Subject } from "../../../../generated/operations/types.ts";
import type { Draft } from "./draft.ts";
import type { JobState } from "./state.ts";

interface Lack {
  code: Extract<IssueCode, "outlet_not_mapped" | "role_not_mapped">;
  subject: Subject;
  params: Params;
}

/** Returns what a job waits for to be mapped. */
function lacksOf(job: JobState | undefined): Lack[] {
  if (job?.status !== "blocked_mapping") return [];
  const { outletId, roleId, workplaceId, competenceId } = job;
  const lacks: Lack[] = [];
  if (workplaceId === null)
    lacks.push({ code: "outlet_not_mapped", subject: { kind: "outlet", outletId }, params: { outletId } });
  if (competenceId === null)
    lacks.push({ code: "role_not_mapped", subject: { kind: "role", roleId }, params: { roleId } });
  return lacks;
}

/** Raises issues about what the job has begun to wait for, and resolves those about what it no longer waits for, unless other jobs do. */
export function noteMapping(draft: Draft, before: JobState | undefined, traceId: string): void {
  const [was, is] = [lacksOf(before), lacksOf(draft.job)];
  for (const lack of difference(is, was)) draft.issue(lack.code, lack.subject, lack.params, traceId);
  for (const { code, subject } of difference(was, is))
    draft.push({ write: "resolve_issues", subject, codes: [code] });
}

const difference = (some: readonly Lack[], others: readonly Lack[]): Lack[] =>
  some.filter((one) => !others.some((other) => JSON.stringify(other) === JSON.stringify(one)));
