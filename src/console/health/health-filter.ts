import type { HealthCode, Integration, ProviderHealth } from "../../../generated/operations/types.ts";
import { entryOf } from "../../contract/operator-text.ts";
import { HEALTH_TONES } from "../integrations/health-badge.tsx";
import { STATES } from "../integrations/labels.ts";
import { addressWith } from "../parts/address.ts";
import type { Tone } from "../parts/badge.tsx";

/** Which providers are shown. It is the query of the address. */
export interface HealthFilter {
  health?: HealthCode;
  state?: Integration["state"];
}

export const HEALTH_CODES = Object.keys(HEALTH_TONES) as HealthCode[];
export const INTEGRATION_STATES = Object.keys(STATES) as Integration["state"][];

/** The filter in the query of an address, without unknown or empty members. */
export function healthFilterOf(query: Readonly<Record<string, string>>): HealthFilter {
  const health = HEALTH_CODES.find((each) => each === query.health);
  const state = INTEGRATION_STATES.find((each) => each === query.state);
  return { ...(health && { health }), ...(state && { state }) };
}

export const healthAddress = (filter: HealthFilter): string => addressWith("/console/health", filter);

/** Those that fit the filter, in the order in which they need attention: the worst health, the most issues, and the longest wait first. */
export function byNeed(providers: readonly ProviderHealth[], filter: HealthFilter): ProviderHealth[] {
  return providers
    .filter(
      ({ health, state }) =>
        (filter.health ?? health.code) === health.code && (filter.state ?? state) === state,
    )
    .sort(
      (one, other) =>
        rankOf(one) - rankOf(other) ||
        other.openIssues - one.openIssues ||
        waitingSince(one) - waitingSince(other),
    );
}

const RANKS: Readonly<Record<Tone, number>> = { bad: 0, warn: 1, busy: 2, plain: 2, good: 3 };

const rankOf = ({ health }: ProviderHealth) => RANKS[entryOf<Tone>(HEALTH_TONES, health.code) ?? "plain"];

/** Where nothing waits: after all others. */
const waitingSince = ({ backlog: { oldestAt } }: ProviderHealth) =>
  oldestAt === null ? Number.MAX_VALUE : Date.parse(oldestAt);
