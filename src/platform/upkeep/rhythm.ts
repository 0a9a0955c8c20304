import { type Kysely, sql } from "kysely";
import type { Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues/issues.ts";
import { FIGURES, MINUTE_MS } from "../metrics/figures.ts";
import { type Trx, transact } from "../transaction.ts";

const CODE = "provider_quiet";
const HOUR_MS = 60 * MINUTE_MS;
const WEEK_HOURS = 168;
/** The weeks before that the present one is compared with. */
const WEEKS = 3;
/** Hours up to now: a busy provider is missed soon, and one that sends a few webhooks a day within days. The first also shows that it sends again. */
const SPANS = [6, 24, 72] as const;
/** Webhooks that are to be expected in a span, so that none of them is no coincidence. */
const ENOUGH = 20;
/** The share of them below which a provider is quiet: a last retry, say, may still come. */
const SHARE = 0.05;
/** Upkeep runs each minute; an hour with fewer rounds was partly an outage of the platform, and says nothing about providers. */
const ROUNDS = 45;
/** Counts are written every few seconds, and later while the database is slow. */
const LATE_MS = 2 * MINUTE_MS;

/** Webhooks of a provider in the last `hours` full hours. */
export interface Span {
  hours: number;
  received: number;
  /** The fewest of the same hours in each of the weeks before. */
  expected: number;
}

/**
 * Returns the span that shows that a provider went quiet, "sends" when its latest hours are as usual, and undefined when they say neither.
 * `spans`: the shortest first.
 */
export function judge(spans: readonly Span[]): Span | "sends" | undefined {
  const [latest] = spans;
  if (!latest) return undefined;
  if (latest.received > latest.expected * SHARE) return "sends";
  return spans.find(({ expected, received }) => expected >= ENOUGH && received <= expected * SHARE);
}

/** Counts this round and, once in each hour, compares what every active provider sent with its own weekly rhythm. Returns how many providers went quiet. */
export async function watchRhythm(deps: Deps): Promise<number> {
  const at = deps.now().getTime();
  const last = new Date(Math.floor((at - LATE_MS) / HOUR_MS) * HOUR_MS - HOUR_MS);
  await countRound(deps.database.kysely, new Date(Math.floor(at / HOUR_MS) * HOUR_MS));
  return transact(deps, async (trx) => {
    if (!(await isFirstAfter(trx, last))) return 0;
    await sumUp(trx, last);
    let quiet = 0;
    for (const [providerId, spans] of await readSpans(trx, last)) {
      const verdict = judge(spans);
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

/** A provider that is suspended or leaves may be quiet: no later comparison closes its issue. */
export async function resolveQuiet(trx: Trx, deps: Pick<Deps, "now">, providerId: string): Promise<void> {
  await resolveIssues(trx, deps, { providerId, codes: [CODE] });
}

async function countRound(kysely: Kysely<Schema>, hour: Date): Promise<void> {
  await sql`insert into hourly_figures (name, hour, value) values ('rounds', ${hour}, 1)
    on conflict (provider_id, name, hour) do update set value = hourly_figures.value + 1`.execute(kysely);
}

/** One round of one process sums an hour up. */
async function isFirstAfter(trx: Kysely<Schema>, hour: Date): Promise<boolean> {
  const { rows } = await sql`insert into hourly_figures (name, hour, value) values ('summed_up', ${hour}, 1)
    on conflict do nothing returning name`.execute(trx);
  return rows.length > 0;
}

/** The hours before it too, whose last counts may have come late. */
async function sumUp(trx: Kysely<Schema>, last: Date): Promise<void> {
  await sql`
    insert into hourly_figures (provider_id, name, hour, value)
    select provider_id, 'webhooks', date_trunc('hour', minute), sum(value) from figures
    where name = ${FIGURES.webhooks} and minute >= ${hoursBefore(last, 2)} and minute < ${hoursBefore(last, -1)}
    group by provider_id, date_trunc('hour', minute)
    on conflict (provider_id, name, hour) do update set value = excluded.value`.execute(trx);
}

/** The spans of each active provider, without those in which the platform did not run throughout, in this or an earlier week. */
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
    left join hours on hours.provider_id = integrations.provider_id::text and hours.name = 'webhooks' and ago < span
    where state = 'active' group by integrations.provider_id, span order by span`.execute(trx);
  const spans = new Map<string, Span[]>();
  for (const { providerId, ...span } of rows) spans.set(providerId, [...(spans.get(providerId) ?? []), span]);
  return spans;
}

const hoursBefore = (time: Date, hours: number) => new Date(time.getTime() - hours * HOUR_MS);
