import type { Backlog, BacklogLimit } from "../../../generated/operations/types.ts";
import type { Integration } from "../db/schema.ts";
import { healthOf } from "../integrations/health.ts";
import { waitingIn } from "../metrics/readings.ts";
import type { Pace } from "./pace.ts";

/** The platform's limits for one provider. */
export interface Limits {
  /** Calls in a minute; 0: no limit. */
  perMinute: number;
  /** Concurrent calls, in all processes together. */
  atOnce: number;
}

/** The usable share of the rate limit: the rest is kept for bursts. */
const RATE_SHARE = 0.85;
/** The mean response time from which the provider, not the platform, limits the pace. */
const LATENCY_MS = 50;

/** Returns the first limit that applies, in the order of the document (`BacklogLimitCode`). */
export function limitOf(
  integration: Integration,
  { waiting, inProgress }: Pick<Backlog, "waiting" | "inProgress">,
  { calls, callMs }: Pace,
  { perMinute, atOnce }: Limits,
): BacklogLimit {
  const { state, health_until } = integration;
  const total = waitingIn(waiting);
  if (total + inProgress === 0) return { code: "none", params: {} };
  if (state !== "active" && total > waiting.interactive) return { code: state, params: {} };
  const { code: health, since } = healthOf(integration);
  if (health === "unreachable" || health === "token_rejected")
    return { code: "paused", params: { health, since: since.toISOString() } };
  if (health === "rate_limited" && health_until)
    return { code: "rate_limit", params: { until: health_until.toISOString() } };
  if (perMinute > 0 && calls >= RATE_SHARE * perMinute) return { code: "rate_limit", params: { perMinute } };
  if (calls > 0 && callMs / calls >= LATENCY_MS)
    return { code: "latency", params: { responseMs: Math.round(callMs / calls), atOnce } };
  return { code: "working", params: {} };
}
