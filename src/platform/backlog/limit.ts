import { sql } from "kysely";
import type { Backlog, BacklogLimit } from "../../../generated/operations/types.ts";
import { MINUTE_MS } from "../../contract/durations.ts";
import type { Database } from "../db/database.ts";
import type { Integration } from "../db/schema.ts";
import { FIGURES, minuteOf } from "../metrics/figures.ts";
import { waitingIn } from "../metrics/readings.ts";

const NAMES = {
  /** Calls that ended, and their total milliseconds. */
  calls: FIGURES.calls,
  callMs: FIGURES.callMs,
} as const;

/** The calls of all processes to one provider in the last minute. */
export type Pace = Record<keyof typeof NAMES, number>;

export const AT_REST: Pace = { calls: 0, callMs: 0 };

/** Returns the pace of the last 60 seconds by providerId, of one or of all. Of the previous minute, it takes the proportionate share. */
export async function readPaces(
  { kysely }: Pick<Database, "kysely">,
  now: Date,
  providerId: string,
): Promise<Map<string, Pace>> {
  const minute = minuteOf(now);
  const shareBefore = 1 - (now.getTime() - minute) / MINUTE_MS;
  const names = sql.join(Object.values(NAMES).map((name) => sql.lit(name)));
  const { rows } = await sql<{ providerId: string; sums: Record<string, number> }>`
    select provider_id, json_object_agg(name, value) as sums
    from (
      select provider_id, name, sum(value * case when minute = ${new Date(minute)} then 1 else ${shareBefore}::float8 end) as value
      from figures
      where minute in (${new Date(minute)}, ${new Date(minute - MINUTE_MS)}) and name in (${names})
        and ${providerId === "" ? sql`true` : sql`provider_id = ${providerId}`}
      group by provider_id, name) as summed
    group by provider_id`.execute(kysely);
  return new Map(rows.map((row) => [row.providerId, paceOf(row.sums)]));
}

function paceOf(sums: Readonly<Record<string, number>>): Pace {
  const values = Object.entries(NAMES).map(([member, name]) => [member, sums[name] ?? 0]);
  return { ...AT_REST, ...Object.fromEntries(values) };
}

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

/** Returns the first limit that applies, whatever else a provider with several troubles is shown with, in the order of the document (`BacklogLimitCode`). */
export function limitOf(
  integration: Integration,
  { waiting, inProgress }: Pick<Backlog, "waiting" | "inProgress">,
  { calls, callMs }: Pace,
  { perMinute, atOnce }: Limits,
): BacklogLimit {
  const { state, healthUntil } = integration;
  const total = waitingIn(waiting);
  if (total + inProgress === 0) return { code: "none", params: {} };
  if (state !== "active" && total > waiting.interactive) return { code: state, params: {} };
  const { pausedSince, health, healthSince } = integration;
  const paused =
    (pausedSince && { health: "token_rejected" as const, since: pausedSince }) ||
    (health === "unreachable" && { health, since: healthSince });
  if (paused) return { code: "paused", params: { ...paused, since: paused.since.toISOString() } };
  if (health === "rate_limited" && healthUntil)
    return { code: "rate_limit", params: { until: healthUntil.toISOString() } };
  if (perMinute > 0 && calls >= RATE_SHARE * perMinute) return { code: "rate_limit", params: { perMinute } };
  if (calls > 0 && callMs / calls >= LATENCY_MS)
    return { code: "latency", params: { responseMs: Math.round(callMs / calls), atOnce } };
  return { code: "working", params: {} };
}
