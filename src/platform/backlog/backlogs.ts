import { sql } from "kysely";
import type { Backlog, BacklogLimit, ProviderHealth } from "../../../generated/operations/types.ts";
import { MINUTE_MS } from "../../contract/timestamp.ts";
import type { Database } from "../db/database.ts";
import type { Integration } from "../db/schema.ts";
import { conditionOf, healthOf, selectIntegrations } from "../integrations/conditions.ts";
import { FIGURES, type Figures, minuteOf } from "../metrics/figures.ts";
import { type ProviderBacklog, shareReading, waitingIn } from "../metrics/readings.ts";
import { type Counts, NOTHING, readCounts, readLastWebhooks, readPending } from "./counts.ts";

/** What waits for the providers, since when, and what limits it. */
export interface Backlogs {
  /** Returns the backlog of an integration with the given state and health. The counts are a few seconds old. */
  of(integration: Integration): Promise<Backlog>;
  all(): Promise<ProviderBacklog[]>;
}

interface Parts {
  database: Pick<Database, "kysely">;
  now: () => Date;
  limits: Limits;
  /** Failed attempts after which work is retried only each hour. */
  tries: number;
  figures: Pick<Figures, "flush">;
}

/** How long all callers share one reading. Milliseconds. */
const KEPT_FOR_MS = 2_000;

export function createBacklogs({ database, now, limits, tries, figures }: Parts): Backlogs {
  const read = shareReading(async (key) => {
    const [providerId = ""] = key.split(" ");
    // Figures of this process are flushed first; those of other processes follow within seconds.
    await figures.flush();
    const counts = await readCounts(database, { tries, atOnce: limits.atOnce }, providerId);
    return { counts, paces: await readPaces(database, now(), providerId) };
  }, KEPT_FOR_MS);
  return {
    of: async (integration) => {
      const { providerId, state } = integration;
      // A reading in another state must not be shown with this one.
      const { counts, paces } = await read(`${providerId} ${state} ${healthOf(integration).code}`);
      return backlogOf(integration, counts.get(providerId), paces.get(providerId), limits);
    },
    all: async () => {
      const { counts, paces } = await read();
      const pending = await readPending(database);
      const webhooks = await readLastWebhooks(database);
      const integrations = await selectIntegrations(database.kysely).execute();
      const readAt = now();
      return integrations.map((integration) => {
        const { kind, providerId } = integration;
        const [own, pace] = [counts.get(providerId), paces.get(providerId)];
        const backlog = backlogOf(integration, own, pace, limits);
        const pendingSince = pending.get(providerId) ?? null;
        const lastWebhookAt = webhooks.get(providerId) ?? null;
        const health = healthOf(integration).code;
        return { kind, providerId, readAt, backlog, health, pendingSince, lastWebhookAt };
      });
    },
  };
}

function backlogOf(
  integration: Integration,
  { waiting: counted, mail, inProgress, oldestAt }: Counts = NOTHING,
  pace: Pace = AT_REST,
  limits: Limits,
): Backlog {
  // The activation reads every shift, so no periodic reading waits for it.
  const waiting = integration.state === "active" ? counted : { ...counted, background: 0 };
  const limit = limitOf(integration, { waiting, inProgress }, pace, limits);
  const since = waitingIn(waiting) > 0 && oldestAt ? oldestAt.toISOString() : null;
  return { waiting, mail, inProgress, limit, oldestAt: since };
}

/** What is read about a provider besides its row, which has its state and health. */
export type ProviderReading = Omit<ProviderHealth, "providerId" | "state" | "health">;

interface Row {
  providerId: string;
  openIssues: number;
}

/** Returns the backlog and the recent activity of each provider, by providerId. */
export async function readProviders(
  { kysely }: Pick<Database, "kysely">,
  backlogs: Pick<Backlogs, "all">,
  providerIds: readonly string[],
): Promise<Map<string, ProviderReading>> {
  if (providerIds.length === 0) return new Map();
  const { rows } = await sql<Row>`
    select provider_id,
      (select count(*) from issues where issues.provider_id = integrations.provider_id and resolved_at is null)::int as open_issues
    from integrations where provider_id in (${sql.join(providerIds)})`.execute(kysely);
  const waiting = new Map((await backlogs.all()).map((each) => [each.providerId, each]));
  return new Map(
    rows.flatMap(({ providerId, openIssues }) => {
      const { backlog, pendingSince = null, lastWebhookAt = null } = waiting.get(providerId) ?? {};
      // Registered since the backlogs were read. The next reading includes it.
      if (!backlog) return [];
      const reading: ProviderReading = {
        backlog,
        openIssues,
        ...(lastWebhookAt && { lastWebhookAt: lastWebhookAt.toISOString() }),
        ...(pendingSince && { oldestPendingBookingAt: pendingSince.toISOString() }),
      };
      return [[providerId, reading]];
    }),
  );
}

const NAMES = {
  /** Calls that ended, and their total milliseconds. */
  calls: FIGURES.calls,
  callMs: FIGURES.callMs,
} as const;

/** The calls of all processes to one provider in the last minute. */
export type Pace = Record<keyof typeof NAMES, number>;

const AT_REST: Pace = { calls: 0, callMs: 0 };

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
  const { state, conditions } = integration;
  const total = waitingIn(waiting);
  if (total + inProgress === 0) return { code: "none", params: {} };
  if (state !== "active" && total > waiting.interactive) return { code: state, params: {} };
  const paused = conditions.find(({ code }) => code === "token_rejected" || code === "unreachable");
  if (paused)
    return { code: "paused", params: { health: paused.code, since: new Date(paused.since).toISOString() } };
  const { until } = conditionOf(integration, "rate_limited") ?? {};
  if (until) return { code: "rate_limit", params: { until: new Date(until).toISOString() } };
  if (perMinute > 0 && calls >= RATE_SHARE * perMinute) return { code: "rate_limit", params: { perMinute } };
  if (calls > 0 && callMs / calls >= LATENCY_MS)
    return { code: "latency", params: { responseMs: Math.round(callMs / calls), atOnce } };
  return { code: "working", params: {} };
}
