import type { Backlog, BacklogLimit } from "../../../generated/operations/types.ts";
import type { Integration } from "../db/schema.ts";
import { healthOf } from "../integrations/health.ts";
import type { Pace } from "./pace.ts";

/** What the platform allows itself with one provider. */
export interface Limits {
  /** Calls in a minute; 0: no limit. */
  perMinute: number;
  /** Runs at the same time, in all processes together. */
  atOnce: number;
}

/** Of the calls that the limit allows. A fifth is kept for bursts, so that a long backlog moves at 80 % of it. */
const RATE_SHARE = 0.7;
/** Of the time of the runs. */
const LATENCY_SHARE = 0.5;

export const waitingIn = ({ interactive, events, background }: Backlog["waiting"]): number =>
  interactive + events + background;

/** Returns the first limit that applies, in the order of the document (`BacklogLimitCode`). */
export function limitOf(
  integration: Integration,
  waiting: Backlog["waiting"],
  { runs, runMs, calls, callMs }: Pace,
  { perMinute, atOnce }: Limits,
): BacklogLimit {
  const { state, health_until } = integration;
  const total = waitingIn(waiting);
  if (total === 0) return { code: "none", params: {} };
  if (state !== "active" && total > waiting.interactive) return { code: state, params: {} };
  const { code: health, since } = healthOf(integration);
  if (health === "unreachable" || health === "token_rejected" || health === "implausible")
    return { code: "paused", params: { health, since: since.toISOString() } };
  if (health === "rate_limited" && health_until)
    return { code: "rate_limit", params: { until: health_until.toISOString() } };
  if (perMinute > 0 && calls >= RATE_SHARE * perMinute) return { code: "rate_limit", params: { perMinute } };
  if (runs > 0 && calls > 0 && callMs >= LATENCY_SHARE * runMs)
    return { code: "latency", params: { responseMs: Math.round(callMs / calls), atOnce } };
  return { code: "working", params: {} };
}
