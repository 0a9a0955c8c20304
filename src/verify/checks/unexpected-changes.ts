import type { Shift as ShiftBody } from "../../../generated/provider/types.ts";
import type { Shift } from "../../contract/shift.ts";
import type { Pair } from "../assignment.ts";
import type { Exchange, OperationId } from "../exchange.ts";
import { type Found, found } from "../finding.ts";
import { momentOf } from "../shift.ts";

const FIELDS = ["startTime", "endTime", "outletId", "roleId", "positions"] as const;

interface Asked {
  fields?: readonly (typeof FIELDS)[number][];
  /** The candidate who may have been assigned or unassigned. */
  candidateId?: string;
}

export const TIMES_AND_POSITIONS = ["startTime", "endTime", "positions"] as const;

export function judgeUnasked(exchange: Exchange, before: Shift, now: Shift, asked: Asked): Found[] {
  const others = [before, now].map((shift) => assignedTo(shift).filter((id) => id !== asked.candidateId));
  const fields = differing(before, now).filter((field) => !asked.fields?.includes(field));
  const isOther = others[0]?.join() !== others[1]?.join();
  if (fields.length === 0 && !isOther) return [];
  const expected = asked.fields
    ? "only times and positions changed"
    : "only one candidate assigned or unassigned";
  const changes = fields.map((field) => `${nameOf(field, now)} went from ${before[field]} to ${now[field]}`);
  const people = isOther ? ["assignedCandidates changed"] : [];
  const actual = `${[...changes, ...people].join("; ")} after ${CALLS[exchange.probe.operation] ?? "the call"}`;
  const cause = [...fields, ...people].join();
  const fix = fields.includes("positions") ? { fix: TOTAL } : {};
  return [found("shift_changed_unasked", { exchange, expected, actual, cause, ...fix })];
}

/** Judges whether the candidate of an assignment is listed, and that of an unassignment not. */
export function judgeListed(exchange: Exchange, { candidateId }: Pair, now: Shift): Found[] {
  const isAssignment = exchange.probe.operation === "assignCandidate";
  if (assignedTo(now).includes(candidateId) === isAssignment) return [];
  const [code, expected, actual] = isAssignment
    ? ([
        "assign_without_effect",
        "the candidate assigned to the shift",
        "not among assignedCandidates",
      ] as const)
    : ([
        "unassign_without_effect",
        "the candidate no longer assigned",
        "still among assignedCandidates",
      ] as const);
  return [found(code, { exchange, expected, actual })];
}

export const TOTAL = "Send the total, not the remainder: the platform subtracts the assigned candidates.";

const CALLS: Readonly<Partial<Record<OperationId, string>>> = {
  assignCandidate: "an assignment",
  unassignCandidate: "an unassignment",
  deleteAssignment: "an unassignment",
  updateShift: "an update",
};

function nameOf(field: (typeof FIELDS)[number], { variant }: Shift): string {
  if (field !== "positions") return field;
  return variant === "b" ? "numberOfPositions" : "slots";
}

const OTHERS = ["breakMinutes", "description", "createdAt"] as const;

/** Returns changed fields that no call of the platform changes. */
function othersChanged(before: ShiftBody, now: ShiftBody): string[] {
  return OTHERS.filter((field) => differs(before, now, field));
}

/** Reports such fields. @param expected what the call should have changed */
export function judgeOthers(
  exchange: Exchange,
  before: ShiftBody,
  now: ShiftBody | undefined,
  expected: string,
): Found[] {
  const changed = now ? othersChanged(before, now) : [];
  const actual = `${changed.join(", ")} changed`;
  return changed.length > 0 ? [found("shift_changed_unasked", { exchange, expected, actual })] : [];
}

/** Returns the same fields, and the outlet and the role. */
export function changedFields(before: ShiftBody, now: ShiftBody): string[] {
  const moved = (["outletId", "roleId"] as const).filter((field) => differs(before, now, field));
  return [...moved, ...othersChanged(before, now)];
}

const differs = (before: ShiftBody, now: ShiftBody, field: (typeof OTHERS)[number] | "outletId" | "roleId") =>
  valueIn(before, field) !== valueIn(now, field);

/** Returns a comparable value: a time may be formatted differently. */
function valueIn(body: ShiftBody, field: (typeof OTHERS)[number] | "outletId" | "roleId") {
  const value = body[field] ?? null;
  return field === "createdAt" && typeof value === "string" ? momentOf(value) : value;
}

export function differing(one: Shift, other: Shift): (typeof FIELDS)[number][] {
  return FIELDS.filter((field) => one[field] !== other[field]);
}

/** Returns the assigned candidates, sorted: the contract defines no order. */
export function assignedTo({ assigned }: Shift): string[] {
  return assigned.map(({ providerCandidateId }) => providerCandidateId).sort();
}
