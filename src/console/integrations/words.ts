import type { Dialect, Integration, Routing } from "../../../generated/operations/types.ts";
import type { Tone } from "../parts/badge.tsx";

/** What each state means for the one who looks at it. */
export const STATES: Record<Integration["state"], { tone: Tone; word: string; meaning: string }> = {
  draft: { tone: "busy", word: "Draft", meaning: "Its webhooks are stored and wait until it is active." },
  active: { tone: "good", word: "Active", meaning: "Its webhooks are processed and its jobs are offered." },
  suspended: {
    tone: "warn",
    word: "Suspended",
    meaning: "Its webhooks are stored and wait; its jobs take no new bookings and are not offered.",
  },
};

/** Contract section 4.1. */
export const ROUTINGS: Record<Routing, string> = {
  path: "Path prefix /providers/{providerId}",
  header: "Header X-Provider-Id",
};

interface FormOfDialect {
  form: keyof Dialect;
  /** What the contract gives two forms of. */
  name: string;
  /** By the value that was seen. */
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
    name: "Nobody found",
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
    name: "Answer to an assignment",
    seen: { minimal: "success alone", full: "success, shiftId, candidateId and assignedAt" },
  },
];

/** Those that only one variant of the shift has (contract section 2.2). */
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

/** What was odd about shifts that could still be read. */
export const WARNINGS: Readonly<Record<string, string>> = {
  positions_missing: "Neither slots nor numberOfPositions: read as 1 position",
  positions_differ: "slots and numberOfPositions differ: the smaller one is taken",
  time_without_offset: "A time without offset: read in the integration's time zone",
  name_cut: "A name of more than 200 characters: the rest is cut off",
  status_unknown: "A status other than open, filled and cancelled: read as open",
};

/** What the things are called on both sides (contract section 1). */
export const WORDS = {
  outlets: { theirs: "outlet", ours: "workplace", Theirs: "Outlet", Ours: "Workplace" },
  roles: { theirs: "role", ours: "competence", Theirs: "Role", Ours: "Competence" },
} as const;
