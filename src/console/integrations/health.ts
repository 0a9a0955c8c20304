import type { HealthCode, Integration, ProviderHealth } from "../../../generated/operations/types.ts";
import { entryOf } from "../../contract/operator-text.ts";
import type { Tone } from "../components/badge.tsx";
import { type Filter, oneOf } from "../components/filter.ts";
import { STATE_NAMES } from "./labels.ts";

/** The severity of each state of health. */
const HEALTH_TONES = {
  reachable: "good",
  unreachable: "bad",
  rate_limited: "warn",
  token_rejected: "bad",
  implausible: "bad",
  mass_disappearance: "bad",
  route_missing: "bad",
} satisfies Record<HealthCode, Tone>;

export const HEALTH_CODES = Object.keys(HEALTH_TONES) as HealthCode[];
export const HEALTH_FILTER = { health: oneOf(HEALTH_CODES), state: oneOf(STATE_NAMES) };

export const toneOf = (code: HealthCode): Tone => entryOf<Tone>(HEALTH_TONES, code) ?? "plain";

/** The providers that match the filter: the worst health, the most issues, and the longest wait first. */
export function byAttention(
  providers: readonly ProviderHealth[],
  filter: Filter<typeof HEALTH_FILTER>,
): ProviderHealth[] {
  const matches = ({ health, state }: { health: ProviderHealth["health"]; state: Integration["state"] }) =>
    (filter.health ?? health.code) === health.code && (filter.state ?? state) === state;
  return providers
    .filter(matches)
    .sort(
      (one, other) =>
        rankOf(one) - rankOf(other) ||
        other.openIssues - one.openIssues ||
        waitingSince(one) - waitingSince(other),
    );
}

const RANKS: Readonly<Record<Tone, number>> = { bad: 0, warn: 1, busy: 2, plain: 2, good: 3 };

const rankOf = ({ health }: ProviderHealth) => RANKS[toneOf(health.code)];

/** Providers without a backlog come after all others. */
const waitingSince = ({ backlog: { oldestAt } }: ProviderHealth) =>
  oldestAt === null ? Number.MAX_VALUE : Date.parse(oldestAt);
