import type { OperationId } from "./fault.ts";

type Operations = readonly OperationId[];

// Operations by the content of their requests and responses.

export const LISTS = [
  "findCandidates",
  "getCandidateRegistry",
  "listOutlets",
  "listRoles",
] as const satisfies Operations;

export const WITH_CANDIDATES = [
  "findCandidates",
  "createCandidate",
  "getCandidateRegistry",
] as const satisfies Operations;

/** Operations whose successful response has a body. */
export const WITH_BODY = [
  "getShift",
  "assignCandidate",
  "createCandidate",
  ...LISTS,
] as const satisfies Operations;

export const UNASSIGN = ["unassignCandidate", "deleteAssignment"] as const satisfies Operations;

export const WITH_SHIFT_ID = [
  "getShift",
  "updateShift",
  "cancelShift",
  "assignCandidate",
  ...UNASSIGN,
] as const satisfies Operations;

export const WITH_REQUEST_BODY = ["updateShift", "createCandidate"] as const satisfies Operations;
