import { type Dialect, everyDialect } from "../../src/contract/dialect.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import type { AnyCode } from "../../src/verify/codes/codes.ts";
import type { OperationId } from "../../src/verify/exchange.ts";
import type { Place } from "../../src/verify/finding.ts";
import type { Group } from "../../src/verify/options.ts";

/** One fault, and the finding that the kit must report. */
export interface Row {
  fault: FaultName;
  code: AnyCode;
  /** Operations that may have the finding: two forms of unassignment are one fault. */
  at: readonly Place[];
  /** Planted and found on each of these separately; replaces `at`. */
  each?: readonly OperationId[];
  only: readonly Group[];
}

/** Groups that call an operation. The dialect detection always runs, and calls most operations. */
const SEEN_IN: Partial<Record<OperationId, Group>> = {
  listOutlets: "answers",
  listRoles: "answers",
  cancelShift: "cancellation",
};

type Line = readonly [fault: FaultName, code: AnyCode, at: Place | readonly Place[]];

export const rows = (only: readonly Group[], lines: readonly Line[]): Row[] =>
  lines.map(([fault, code, at]) => ({ fault, code, at: [at].flat(), only }));

type EachLine = readonly [fault: FaultName, code: AnyCode, each: readonly OperationId[]];

export const each = (only: readonly Group[], lines: readonly EachLine[]): Row[] =>
  lines.map(([fault, code, operations]) => ({ fault, code, at: [], each: operations, only }));

export const READ_LISTS = ["findCandidates", "getCandidateRegistry", "listOutlets", "listRoles"] as const;
export const UNASSIGN = ["unassignCandidate", "deleteAssignment"] as const;
export const WITH_BODY = ["getShift", "createCandidate", "assignCandidate", ...READ_LISTS] as const;
export const EVERY = [...WITH_BODY, "updateShift", "cancelShift", ...UNASSIGN] as const;
/** All operations except the registry and the two forms of unassignment. */
export const REQUIRED = EVERY.filter((each) => each !== "getCandidateRegistry" && !isOneOf(each, UNASSIGN));

export function isOneOf(operation: OperationId, operations: readonly OperationId[]): boolean {
  return operations.includes(operation);
}

/** Returns the groups that detect the fault on that operation. */
export function groupsOf({ only }: Row, planted: OperationId | undefined): Group[] {
  const seen = planted && SEEN_IN[planted];
  return seen && only.length === 0 ? [seen] : [...only];
}

/** Returns the dialects in which the operation is offered. */
export function dialectsFor(planted: OperationId | undefined): Dialect[] {
  const offered = { unassignCandidate: "put", deleteAssignment: "delete" }[String(planted)];
  return everyDialect().filter(({ unassign }) => offered === undefined || unassign === offered);
}

const dialect = (
  routing: Dialect["routing"],
  variant: Dialect["variant"],
  notFound: Dialect["notFound"],
  unassign: Dialect["unassign"],
  acknowledgement: Dialect["acknowledgement"],
): Dialect => ({ routing, variant, notFound, unassign, acknowledgement });

/** Six dialects that contain every pair of forms (an orthogonal array). */
export const coveringDialects: readonly Dialect[] = [
  dialect("path", "a", "empty", "put", "minimal"),
  dialect("header", "b", "404", "delete", "full"),
  dialect("header", "b", "404", "put", "minimal"),
  dialect("header", "a", "empty", "delete", "full"),
  dialect("path", "b", "empty", "delete", "minimal"),
  dialect("path", "a", "404", "put", "full"),
];
