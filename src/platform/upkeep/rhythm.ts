import { type Kysely, sql } from "kysely";
import { HOUR_MS, MINUTE_MS } from "../../contract/durations.ts";
import type { Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import { FIGURES } from "../metrics/figures.ts";
import { transact } from "../transaction.ts";

const CODE = "provider_quiet";
const WEEK_HOURS = 168;
/** The number of earlier weeks that the current one is compared with. */
const WEEKS = 3;
/** Spans in hours: the silence of a busy provider shows soon, that of one with few webhooks a day within days. The first span also shows its end. */
const SPANS = [6, 24, 72] as const;
/** The fewest webhooks that have to be expected in a span, so that silence is no coincidence. */
const ENOUGH = 20;
/** The share of the expected webhooks up to which a provider is quiet, because a last retry may still arrive. */
const SHARE = 0.05;
/** Upkeep runs each minute. An hour with fewer rounds contains an outage of the platform, and proves nothing about providers. */
const ROUNDS = 45;
/** Counts are written every few seconds, or later while the database is slow. */
const LATE_MS = 2 * MINUTE_MS;

/** Webhooks of a provider in the last `hours` full hours. */
export interface Span {
  hours: number;
  received: number;
  /** The fewest webhooks of the same hours in any of the earlier weeks. */
  expected: number;
}

/**
 * Returns the span that shows that a provider went quiet, "sends" if its latest hours are as usual, and undefined if they show neither. `spans`
 * are sorted, the shortest first.
 */
export function findSilence(spans: readonly Span[]): Span | "sends" | undefined {
  const [latest] = spans;
  if (!latest) return undefined;
  if (latest.received > latest.expected * SHARE) return "sends";
  return spans.find(({ expected, received }) => expected >= ENOUGH && received <= expected * SHARE);
}

/** Counts this round. Once an hour, compares the webhooks of each active provider with its weekly rhythm. Returns how many providers went quiet. */
export async function watchRhythm(deps: Deps): Promise<number> {
  const at = deps.now().getTime();
  const last = new Date(Math.floor((at - LATE_MS) / HOUR_MS) * HOUR_MS - HOUR_MS);
  await countRound(deps.database.kysely, new Date(Math.floor(at / HOUR_MS) * HOUR_MS));
  return transact(deps, async (trx) => {
    if (!(await isFirstAfter(trx, last))) return 0;
    await sumUp(trx, last);
    let quiet = 0;
    for (const [providerId, spans] of await readSpans(trx, last)) {
      const verdict = findSilence(spans);
      const issue = { providerId, subject: { kind: "integration" } } as const;
      if (verdict === "sends") await resolveIssues(trx, deps, { ...issue, codes: [CODE] });
      else if (verdict) {
        const { hours, received, expected } = verdict;
        await raiseIssue(trx, deps, {
          ...issue,
          code: CODE,
          params: { hours, received, expected },
          once: true,
        });
        quiet += 1;
      }
    }
    return quiet;
  });
}

async function countRound(kysely: Kysely<Schema>, hour: Date): Promise<void> {
  await sql`insert into hourly_figures (name, hour, value) values ('rounds', ${hour}, 1)
    on conflict (provider_id, name, hour) do update set value = hourly_figures.value + 1`.execute(kysely);
}

/** Whether this is the first round, of any process, after the hour. */
async function isFirstAfter(trx: Kysely<Schema>, hour: Date): Promise<boolean> {
  const { rows } = await sql`insert into hourly_figures (name, hour, value) values ('summed_up', ${hour}, 1)
    on conflict do nothing returning name`.execute(trx);
  return rows.length > 0;
}

/** Sums up the hour, and those before it, whose last counts may have been late. */
async function sumUp(trx: Kysely<Schema>, last: Date): Promise<void> {
  await sql`
    insert into hourly_figures (provider_id, name, hour, value)
    select provider_id, 'webhooks', date_trunc('hour', minute), sum(value) from figures
    where name = ${FIGURES.webhooks} and minute >= ${hoursBefore(last, 2)} and minute < ${hoursBefore(last, -1)}
    group by provider_id, date_trunc('hour', minute)
    on conflict (provider_id, name, hour) do update set value = excluded.value`.execute(trx);
}

/** Returns the spans of each active provider. Spans with an outage of the platform, in any of the weeks, are left out. */
async function readSpans(trx: Kysely<Schema>, last: Date): Promise<Map<string, Span[]>> {
  const longest = Math.max(...SPANS);
  const { rows } = await sql<{ providerId: string; hours: number; received: number; expected: number }>`
    with hours as (
      select provider_id, name, value, ago / ${sql.lit(WEEK_HOURS)} as week, ago % ${sql.lit(WEEK_HOURS)} as ago from (
        select *, (extract(epoch from ${last}::timestamptz - hour) / 3600)::int as ago from hourly_figures
        where name in ('webhooks', 'rounds') and hour <= ${last} and hour > ${hoursBefore(last, WEEKS * WEEK_HOURS + longest)}
      ) as aged),
    spans as (
      select span from (values ${sql.join(SPANS.map((span) => sql`(${sql.lit(span)})`))}) as lengths (span)
      where span * ${sql.lit(WEEKS + 1)} = (select count(*) from hours where hours.name = 'rounds' and ago < span and value >= ${sql.lit(ROUNDS)}))
    select integrations.provider_id as "providerId", span as hours,
      coalesce(sum(value) filter (where week = 0), 0)::int as received,
      least(${sql.join(Array.from({ length: WEEKS }, (_, nth) => sql`coalesce(sum(value) filter (where week = ${sql.lit(nth + 1)}), 0)`))})::int as expected
    from integrations cross join spans
    left join hours on hours.provider_id = integrations.provider_id and hours.name = 'webhooks' and ago < span
    where state = 'active' group by integrations.provider_id, span order by span`.execute(trx);
  const spans = new Map<string, Span[]>();
  for (const { providerId, ...span } of rows) spans.set(providerId, [...(spans.get(providerId) ?? []), span]);
  return spans;
}

const hoursBefore = (time: Date, hours: number) => new Date(time.getTime() - hours * HOUR_MS);
