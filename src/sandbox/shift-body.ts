import type {
  AssignedCandidate,
  CompleteShiftVariantA,
  CompleteShiftVariantB,
} from "../../generated/provider/types.ts";
import { hyphenated, type PersonalNumber } from "../contract/personal-number.ts";
import type { Forms } from "./forms.ts";
import type { Organisation, StoredShift } from "./organisation.ts";

/** Returns the response body of a shift, with every field of its variant (contract 2.2). */
export function shiftBody(
  shift: StoredShift,
  organisation: Organisation,
  forms: Forms,
): CompleteShiftVariantA | CompleteShiftVariantB {
  const { id, startTime, endTime, outletId, roleId } = shift;
  const shared = { id, startTime, endTime, outletId, roleId };
  return forms.variant === "a"
    ? { ...shared, ...onlyInA(shift, organisation) }
    : { ...shared, ...onlyInB(shift, organisation, forms) };
}

function onlyInA(shift: StoredShift, { outlets, roles }: Organisation) {
  return {
    outletName: nameOf(outlets, shift.outletId),
    roleName: nameOf(roles, shift.roleId),
    slots: shift.positions,
    assignedCandidates: [...shift.assigned.keys()].map((candidateId) => ({ candidateId })),
  };
}

function onlyInB(shift: StoredShift, { candidates }: Organisation, forms: Forms) {
  const assignedCandidates = [...shift.assigned.keys()].flatMap((id) => {
    const candidate = candidates.get(id);
    return candidate ? [{ id, personalNumber: numberBody(candidate.personalNumber, forms) }] : [];
  });
  return {
    breakMinutes: shift.breakMinutes,
    numberOfPositions: shift.positions,
    assignedCandidates: assignedCandidates satisfies AssignedCandidate[],
    status: statusOf(shift),
    description: shift.description,
    createdAt: shift.createdAt,
    updatedAt: shift.updatedAt,
  };
}

/** Contract 3. */
function statusOf({ cancelled, assigned, positions }: StoredShift): "open" | "filled" | "cancelled" {
  if (cancelled) return "cancelled";
  return assigned.size >= positions ? "filled" : "open";
}

/** Returns a personal number in this provider's form (contract 2.8 allows both). */
export function numberBody(number: PersonalNumber, { personalNumbers }: Forms): string {
  return personalNumbers === "digits" ? number : hyphenated(number);
}

function nameOf(named: readonly { id: string; name: string }[], id: string): string {
  return named.find((each) => each.id === id)?.name ?? "";
}
