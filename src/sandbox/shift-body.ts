import type {
  AssignedCandidate,
  CompleteShiftVariantA,
  CompleteShiftVariantB,
} from "../../generated/provider/types.ts";
import type { Dialect } from "../contract/dialect.ts";
import { hyphenated, type PersonalNumber } from "../contract/personal-number.ts";
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

/** The contract's choices, and other differences between correct providers. */
export interface Forms {
  /** Undefined: both. */
  routing: Dialect["routing"] | undefined;
  variant: Dialect["variant"];
  notFound: Dialect["notFound"];
  /** A form that is not offered returns 405. */
  unassign: Dialect["unassign"] | "both";
  acknowledgement: Dialect["acknowledgement"];
  /** Response to GET for a deleted shift; `cancelled` (the status) requires variant B. */
  deleted: "404" | "410" | "cancelled";
  /** Response to PUT /shifts/{id}: the shift, or no content. */
  updateAnswer: 200 | 204;
  createAnswer: 200 | 201;
  /** `hyphenated`: only `YYYYMMDD-XXXX` finds a candidate, and responses use it. */
  personalNumbers: "digits" | "hyphenated";
  /** Whether the optional `GET /candidates/registry` is offered. */
  registry: boolean;
  /** Whether an assignment through the platform sends a shift.update. */
  assignEchoes: boolean;
  /** `same`: events caused by a call of the platform have its traceId; the contract leaves this open. */
  echoTraceId: "new" | "same";
}

const DEFAULT_FORMS: Readonly<Forms> = {
  routing: undefined,
  variant: "a",
  notFound: "empty",
  unassign: "both",
  acknowledgement: "full",
  deleted: "404",
  updateAnswer: 200,
  createAnswer: 201,
  personalNumbers: "digits",
  registry: true,
  assignEchoes: false,
  echoTraceId: "new",
};

/** Returns the chosen forms with defaults. @throws TypeError when the forms exclude one another. */
export function formsOf(chosen: Partial<Forms>): Forms {
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  const forms: Forms = { ...DEFAULT_FORMS, ...Object.fromEntries(given) };
  if (forms.deleted === "cancelled" && forms.variant !== "b") {
    throw new TypeError('deleted "cancelled" requires variant "b": variant A has no status');
  }
  return forms;
}
