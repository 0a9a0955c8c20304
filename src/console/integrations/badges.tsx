import type { Backlog, Health, HealthCode, Integration } from "../../../generated/operations/types.ts";
import { HEALTH_BY_GRAVITY, healthText } from "../../contract/operator-text.ts";
import { Badge, type Tone } from "../components/cells.tsx";
import { oneOf } from "../components/filters.tsx";
import { ErrorBox } from "../components/section.tsx";
import { formatCount } from "../components/time.tsx";
import type { CallError } from "../data/errors.ts";

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

/** How the provider behaves. */
export function HealthBadge({ health }: { health: Health }) {
  return <Badge tone={toneOf(health.code)}>{healthText(health).title}</Badge>;
}

export function StateBadge({ state }: Pick<Integration, "state">) {
  return <Badge tone={STATES[state].tone}>{STATES[state].name}</Badge>;
}

const URGENCIES = [
  ["interactive", "interactive"],
  ["events", "from events"],
  ["background", "in the background"],
] as const;

export const totalOf = ({ interactive, events, background }: Backlog["waiting"]): number =>
  interactive + events + background;

/** `2 interactive, 1,204 from events`: the most urgent first. */
export function waitingText(waiting: Backlog["waiting"]): string {
  return URGENCIES.filter(([urgency]) => waiting[urgency] > 0)
    .map(([urgency, text]) => `${formatCount(waiting[urgency])} ${text}`)
    .join(", ");
}

/** What is under way although nothing waits; empty when nothing is. */
export function restText({ inProgress, mail }: Pick<Backlog, "inProgress" | "mail">): string {
  const parts = [
    ...(inProgress > 0 ? [`${formatCount(inProgress)} in progress`] : []),
    ...(mail > 0 ? [`${formatCount(mail)} ${mail === 1 ? "mail" : "mails"} to send`] : []),
  ];
  return parts.join(", ");
}

/** The severity of a state of health: the others are bad. */
const HEALTH_TONES: Partial<Record<HealthCode, Tone>> = { reachable: "good", rate_limited: "warn" };

export const HEALTH_FILTER = { health: oneOf(HEALTH_BY_GRAVITY), state: oneOf(STATE_NAMES) };

const toneOf = (code: HealthCode): Tone => HEALTH_TONES[code] ?? "bad";

/** A call that needs the provider failed: the problem, and what to check. */
export function ProviderError({ error }: { error: CallError }) {
  return (
    <div class="stack">
      <ErrorBox error={error} />
      {error.code === "provider_unavailable" && (
        <p class="hint">
          Check that the provider runs and responds at its base URL, and that the provider token is the one
          that it issued. Correct both under “Registration”. Then try again.
        </p>
      )}
    </div>
  );
}
