import type { Handlers } from "../../../generated/provider/server.ts";
import type { Assignment } from "../../../generated/provider/types.ts";
import { problem } from "../../contract/problem.ts";
import { readTimestamp } from "../../contract/timestamp.ts";
import type { Context } from "../context.ts";
import { candidateOf, type Organisation, type StoredShift } from "../organisation.ts";
import { knownShift } from "./shifts.ts";

type AssignmentHandlers = Pick<
  Handlers<Organisation>,
  "assignCandidate" | "unassignCandidate" | "deleteAssignment"
>;

interface AssignmentPath {
  shiftId: string;
  candidateId: string;
}

/** Assigns and unassigns candidates (contract 4.2, both forms of unassign). */
export function assignmentHandlers(context: Context): AssignmentHandlers {
  const { forms } = context;
  return {
    assignCandidate: ({ path, raw }, organisation) => {
      const { shift, candidateId, isNew } = assign(path, organisation, context.now());
      if (isNew && forms.assignEchoes) context.echo("shift.update", shift.id, organisation, raw);
      const assignedAt = shift.assigned.get(candidateId) ?? shift.updatedAt;
      const minimal: Assignment = { success: true };
      const { shiftId } = path;
      return {
        status: 200,
        body:
          forms.acknowledgement === "minimal" ? minimal : { ...minimal, shiftId, candidateId, assignedAt },
      };
    },
    unassignCandidate: ({ path }, organisation) => {
      if (forms.unassign === "delete") throw notOffered("");
      unassign(path, organisation);
      return { status: 200, body: { success: true } };
    },
    deleteAssignment: ({ path }, organisation) => {
      if (forms.unassign === "put") throw notOffered("PUT");
      unassign(path, organisation);
      return { status: 204 };
    },
  };
}

function notOffered(allowed: string) {
  const detail = "This form of unassign is not offered. Use the other form.";
  return problem("method_not_allowed", { detail }, { Allow: allowed });
}

/** Assigns the candidate. A repetition changes nothing, even when the shift is full or has started: retries must be safe. */
function assign(
  path: AssignmentPath,
  organisation: Organisation,
  now: number,
): { shift: StoredShift; candidateId: string; isNew: boolean } {
  const shift = knownShift(organisation, path.shiftId);
  const candidateId = knownCandidate(organisation, path.candidateId);
  if (shift.cancelled) throw problem("shift_cancelled");
  if (shift.assigned.has(candidateId)) return { shift, candidateId, isNew: false };
  if (hasStarted(shift, now)) throw problem("shift_started");
  if (shift.assigned.size >= shift.positions) throw problem("shift_full");
  shift.assigned.set(candidateId, new Date(now).toISOString());
  return { shift, candidateId, isNew: true };
}

/** Returns the id of the candidate, which is another one after a merge. */
function knownCandidate(organisation: Organisation, candidateId: string): string {
  const candidate = candidateOf(organisation, candidateId);
  if (!candidate) throw problem("candidate_not_found");
  return candidate.id;
}

/** Unassigns the candidate. A candidate who is not assigned causes no error: retries must be safe. */
function unassign({ shiftId, candidateId }: AssignmentPath, organisation: Organisation): void {
  const shift = knownShift(organisation, shiftId);
  shift.assigned.delete(knownCandidate(organisation, candidateId));
}

function hasStarted({ startTime }: StoredShift, now: number): boolean {
  const start = readTimestamp(startTime, "UTC");
  return start !== undefined && Date.parse(start.instant) <= now;
}
