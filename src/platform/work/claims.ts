import { type RawBuilder, sql } from "kysely";
import type { Database } from "../db/database.ts";
import { jsonTexts, milliseconds } from "../db/fragments.ts";
import type { WorkKind } from "../db/schema.ts";
import { type Claim, LEASE_MS } from "./rows.ts";

export interface Wanted {
  kinds: readonly WorkKind[];
  /** The most rows to claim. */
  places: number;
  claim: string;
  /** The most claims of one provider at a time, in all processes together. A fifth of them is kept for interactive work. */
  perProvider: number;
  /** Providers of which nothing is claimed. */
  excluded: readonly string[];
}

type Db = Pick<Database, "kysely">;

/** Lets the commit return before it is on disk: a claim that a database crash loses is due again, as if it had expired. */
const asynchronousCommit = sql`set local synchronous_commit = off`;

const RETURNED = sql`work.provider_id as "providerId", work.kind, work.key, work.priority, work.attempts, work.claim,
  work.revision`;

/**
 * How the places of a provider are shared within a priority, in fifths. First readings precede repeated ones, and half of them are of the newest
 * hints, so that a burst delays neither a new shift nor an old one. What one stream leaves, another takes.
 */
const STREAMS = [
  { isFirst: true, isNewest: true, fifths: 2 },
  { isFirst: true, isNewest: false, fifths: 2 },
  { isFirst: false, isNewest: false, fifths: 1 },
] as const;

type Stream = (typeof STREAMS)[number];

/** Selects due work of one stream. A claim is often of one row, so `turn` keeps to the shares at random. */
function dueOf(
  { isFirst, isNewest, fifths }: Stream,
  kinds: RawBuilder<unknown>,
  places: RawBuilder<unknown>,
) {
  const order = isNewest ? sql`desc` : sql`asc`;
  const free = sql`greatest(0, urgency.places - provider.running)`;
  // The oldest take the places that the newest leave, so only the share of the newest is locked.
  return sql`
    select provider.running, due.*
    from provider cross join (
      select priority, ${places} as places from (values (0), (1), (2)) as known (priority)) as urgency
    cross join lateral (
      select locked.*, (row_number() over (order by due_at ${order}) - random()) / ${sql.lit(fifths)} as turn
      from (
        select work.provider_id, work.kind, work.key, work.priority, work.due_at from work
        where work.provider_id = provider.provider_id and work.priority = urgency.priority
          and work.is_first = ${sql.lit(isFirst)} and work.due_at <= now() and work.kind <> 'mail' and work.kind in (${kinds})
        order by work.due_at ${order} limit ${isNewest ? sql`(${free} * 2 + 4) / 5` : free}
        for update skip locked) as locked) as due
    where not is_paused and (urgency.priority = 0 or state = 'active')`;
}

/**
 * Claims work that is due: interactive work first, then that of the provider with the fewest claims. A paused provider has only its probe due; an
 * inactive integration has only its check and interactive work due. The cost depends on how much is claimed, not on how much waits.
 */
export async function claimWork({ kysely }: Db, wanted: Wanted): Promise<Claim[]> {
  const kinds = sql.join(wanted.kinds.map((kind) => sql.lit(kind)));
  const usual = Math.max(1, Math.floor((wanted.perProvider * 4) / 5));
  const places = sql`case priority when 0 then ${wanted.perProvider}::int else ${usual}::int end`;
  const statement = sql<Claim>`
    with provider as (
      select provider_id, state, paused_since is not null as is_paused, (select count(*) from work as held
          where held.provider_id = integrations.provider_id and held.claim is not null and held.kind <> 'mail'
            and held.due_at > now())::int as running
      from integrations
      where provider_id <> all (array(select ${jsonTexts(wanted.excluded)}::uuid))
      order by provider_id),
    found as (
      ${sql.join(
        STREAMS.map((stream) => dueOf(stream, kinds, places)),
        sql` union all `,
      )}
      union all
      select provider.running, due.*, 0 as turn from provider cross join lateral (
        select work.provider_id, work.kind, work.key, work.priority, work.due_at from work
        where work.provider_id = provider.provider_id and work.kind in ('probe', 'check') and work.kind in (${kinds})
          and work.due_at <= now() and (work.kind = 'probe' or work.priority > 0 and not is_paused)
        for update skip locked) as due
      where is_paused or state <> 'active'),
    next as (
      select distinct on (provider_id, kind, key) * from found order by provider_id, kind, key, turn),
    placed as (
      select next.*, running + row_number() over (partition by provider_id order by priority, turn) as place from next),
    chosen as (
      select * from placed as next where place <= ${places} order by priority, place, due_at limit ${wanted.places}::int)
    update work set claim = ${wanted.claim}, due_at = now() + ${milliseconds(LEASE_MS)}, attempts = work.attempts + 1
    from chosen
    where (work.provider_id, work.kind, work.key) = (chosen.provider_id, chosen.kind, chosen.key)
    returning ${RETURNED}`;
  return kysely.transaction().execute(async (trx) => {
    await asynchronousCommit.execute(trx);
    return (await statement.execute(trx)).rows;
  });
}

/** Claims mail that is due, the most urgent first. Mail involves no provider. */
export async function claimMail(
  { kysely }: Db,
  { places, claim }: Pick<Wanted, "places" | "claim">,
): Promise<Claim[]> {
  const { rows } = await sql<Claim>`
    with chosen as (
      select provider_id, kind, key from work
      where kind = 'mail' and due_at <= now() order by priority, due_at limit ${places}::int
      for update skip locked)
    update work set claim = ${claim}, due_at = now() + ${milliseconds(LEASE_MS)}, attempts = work.attempts + 1
    from chosen
    where (work.provider_id, work.kind, work.key) = (chosen.provider_id, chosen.kind, chosen.key)
    returning ${RETURNED}`.execute(kysely);
  return rows;
}

/** Releases every claim, at the start of the only process of an embedded database: its last run left them. */
export async function releaseAllClaims({ kysely }: Db): Promise<void> {
  await sql`update work set claim = null, due_at = now() where claim is not null`.execute(kysely);
}

/** Whether nothing that this process works on is claimed or due. Work that waits for an operator or for the next hour does not count. */
export async function isIdle(
  { kysely }: Db,
  { kinds, tries }: { kinds: readonly WorkKind[]; tries: number },
): Promise<boolean> {
  const { rows } = await sql<{ busy: boolean }>`
    select exists (
      select from work join integrations using (provider_id)
      where work.kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})
        and (work.due_at <= now() or work.claim is not null or (work.priority < 2 or work.attempts > 0)
          and work.attempts < ${tries}::int and work.due_at < now() + interval '30 minutes')
        and (work.kind in ('mail', 'check') or paused_since is null)
        and (work.kind in ('mail', 'check') or work.priority = 0 or state = 'active')) as busy`.execute(
    kysely,
  );
  return rows[0]?.busy === false;
}
