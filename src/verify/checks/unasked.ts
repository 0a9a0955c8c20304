import type { Shift } from "../../contract/shift.ts";
import { type Found, found } from "../finding.ts";
import type { Exchange } from "../target.ts";

const FIELDS = ["startTime", "endTime", "outletId", "roleId", "positions"] as const;

/** What a call is there to change. */
interface Asked {
  fields?: readonly (typeof FIELDS)[number][];
  /** Who may have come or gone. */
  candidateId?: string;
}

export const TIMES_AND_POSITIONS = ["startTime", "endTime", "positions"] as const;

/** What else a call has changed: nothing may be. */
export function judgeUnasked(exchange: Exchange, before: Shift, now: Shift, asked: Asked): Found[] {
  const others = [before, now].map((shift) => assignedTo(shift).filter((id) => id !== asked.candidateId));
  const changed: string[] = differing(before, now).filter((field) => !asked.fields?.includes(field));
  if (others[0]?.join() !== others[1]?.join()) changed.push("assignedCandidates");
  if (changed.length === 0) return [];
  const expected = asked.fields ? "only times and positions changed" : "only one candidate come or gone";
  return [found("shift_changed_unasked", { exchange, expected, actual: `${changed.join(", ")} changed` })];
}

/** By their values: a time may be written in another way. */
export function differing(one: Shift, other: Shift): (typeof FIELDS)[number][] {
  return FIELDS.filter((field) => one[field] !== other[field]);
}

/** Who is on a shift; the contract names no order. */
export function assignedTo({ assigned }: Shift): string[] {
  return assigned.map(({ providerCandidateId }) => providerCandidateId).sort();
}
