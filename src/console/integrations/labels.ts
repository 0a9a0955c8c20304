import type { Dialect, Integration } from "../../../generated/operations/types.ts";
import type { Tone } from "../components/badge.tsx";

/** The states of an integration. */
export const STATES: Record<Integration["state"], { tone: Tone; name: string; meaning: string }> = {
  draft: {
    tone: "busy",
    name: "Draft",
    meaning: "Webhooks are stored and wait until the integration is active.",
  },
  active: { tone: "good", name: "Active", meaning: "Webhooks are processed, and jobs are offered." },
  suspended: {
    tone: "warn",
    name: "Suspended",
    meaning: "Webhooks are stored and wait. Jobs are not offered and take no new bookings.",
  },
};

export const STATE_NAMES = Object.keys(STATES) as Integration["state"][];

interface DialectChoice {
  choice: keyof Dialect;
  /** What the contract allows in two ways. */
  name: string;
  /** The text of each observed value. */
  values: Record<string, string>;
}

/** The choices of the contract (sections 2.2 and 4.2). */
export const DIALECT_CHOICES: readonly DialectChoice[] = [
  {
    choice: "variant",
    name: "Fields of a shift",
    values: { a: "Variant A, with slots and names", b: "Variant B, with numberOfPositions and status" },
  },
  {
    choice: "notFound",
    name: "Candidate not found",
    values: { empty: "200 with an empty array", "404": "404" },
  },
  {
    choice: "unassign",
    name: "Unassign",
    values: {
      put: "PUT /shifts/{id}/unassign/{candidateId}",
      delete: "DELETE /shifts/{id}/assign/{candidateId}",
    },
  },
  {
    choice: "acknowledgement",
    name: "Assignment response",
    values: { minimal: "success only", full: "success, shiftId, candidateId, and assignedAt" },
  },
];

/** The fields that only one variant of the shift has (contract section 2.2). */
export const OPTIONAL_FIELDS = [
  { field: "outletName", variant: "A" },
  { field: "roleName", variant: "A" },
  { field: "slots", variant: "A" },
  { field: "breakMinutes", variant: "B" },
  { field: "numberOfPositions", variant: "B" },
  { field: "status", variant: "B" },
  { field: "description", variant: "B" },
  { field: "createdAt", variant: "B" },
  { field: "updatedAt", variant: "B" },
] as const;

/** The terms of both sides (contract section 1). */
export const TERMS = {
  outlets: { provider: "outlet", platform: "workplace", Provider: "Outlet", Platform: "Workplace" },
  roles: { provider: "role", platform: "competence", Provider: "Role", Platform: "Competence" },
} as const;
