import type { Dialect, Integration, Routing } from "../../../generated/operations/types.ts";
import type { Tone } from "../parts/badge.tsx";

/** The states of an integration. */
export const STATES: Record<Integration["state"], { tone: Tone; word: string; meaning: string }> = {
  draft: {
    tone: "busy",
    word: "Draft",
    meaning: "Webhooks are stored and wait until the integration is active.",
  },
  active: { tone: "good", word: "Active", meaning: "Webhooks are processed, and jobs are offered." },
  suspended: {
    tone: "warn",
    word: "Suspended",
    meaning: "Webhooks are stored and wait. Jobs are not offered and take no new bookings.",
  },
};

/** Contract section 4.1. */
export const ROUTINGS: Record<Routing, string> = {
  path: "Path prefix /providers/{providerId}",
  header: "Header X-Provider-Id",
};

interface FormOfDialect {
  form: keyof Dialect;
  /** What has two forms in the contract. */
  name: string;
  /** By observed value. */
  seen: Record<string, string>;
}

/** Contract sections 2.2 and 4.2: two forms of each. */
export const FORMS: readonly FormOfDialect[] = [
  {
    form: "variant",
    name: "Fields of a shift",
    seen: { a: "Variant A, with slots and names", b: "Variant B, with numberOfPositions and status" },
  },
  {
    form: "notFound",
    name: "Candidate not found",
    seen: { empty: "200 with an empty array", "404": "404" },
  },
  {
    form: "unassign",
    name: "Unassign",
    seen: {
      put: "PUT /shifts/{id}/unassign/{candidateId}",
      delete: "DELETE /shifts/{id}/assign/{candidateId}",
    },
  },
  {
    form: "acknowledgement",
    name: "Assignment response",
    seen: { minimal: "success only", full: "success, shiftId, candidateId, and assignedAt" },
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
