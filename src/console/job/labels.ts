import type { Job } from "../../../generated/operations/types.ts";
import { fullName, type Names } from "../data/names.ts";

/** The work: the competence on the platform, or the role as the provider names it. */
export function workOf(job: Pick<Job, "competenceId" | "roleName" | "roleId">, names: Names): string {
  return names.competence(job.competenceId)?.name ?? job.roleName ?? `role ${shortened(job.roleId)}`;
}

/** The place: the workplace on the platform, or the outlet as the provider names it. */
export function placeOf(job: Pick<Job, "workplaceId" | "outletName" | "outletId">, names: Names): string {
  return names.workplace(job.workplaceId)?.name ?? job.outletName ?? `outlet ${shortened(job.outletId)}`;
}

export const isOver = ({ status }: Pick<Job, "status">): boolean =>
  status === "cancelled" || status === "expired";

/** The name of a candidate; the short id of one who was erased. */
export function nameOf(candidateId: string, { candidate }: Names): string {
  const known = candidate(candidateId);
  return known ? fullName(known) : `candidate ${shortened(candidateId)}`;
}

const shortened = (id: string): string => (id.length > 12 ? `${id.slice(0, 8)}…` : id);
