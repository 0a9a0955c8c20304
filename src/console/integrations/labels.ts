import type { Integration } from "../../../generated/operations/types.ts";
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

/** The terms of both sides (contract section 1). */
export const TERMS = {
  outlets: { provider: "outlet", platform: "workplace", Provider: "Outlet", Platform: "Workplace" },
  roles: { provider: "role", platform: "competence", Provider: "Role", Platform: "Competence" },
} as const;
