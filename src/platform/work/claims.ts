import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { hasCondition, jsonTexts, milliseconds } from "../db/fragments.ts";
import { isOf, organisationsWith, providerOf } from "../db/organisation.ts";
import type { WorkKind } from "../db/schema.ts";
import { type ChannelKind, type Claim, LEASE_MS } from "./rows.ts";

export interface Wanted {
  kinds: readonly WorkKind[];
  /** The most rows to claim. */
  places: number;
  claim: string;
  /** The most claims of one provider at a time, in all processes together. A fifth of them is kept for interactive work. */
  perProvider: number;
  /** Those of which something may be claimed. */
  providers: readonly string[];
}

export interface Claimed {
  claims: Claim[];
  /** The providers of which more may be due: what was found is more than the places, or than the share that was searched. */
  left: string[];
}

type Db = Pick<Database, "kysely" | "isDistributed">;

/** Lets the commit return before it is on disk: a claim that a database crash loses is due again, as if it had expired. */
const asynchronousCommit = sql`set local synchronous_commit = off`;

// In JSON, where names stay as they are.
const RETURNED = sql`work.provider_id as "providerId", work.kind, work.key, work.priority, work.attempts, work.claim,
  work.revision`;

/** The columns of due work that a claim chooses by. */
const DUE = sql`work.provider_id, work.kind, work.key, work.priority, work.is_first, work.due_at`;

/**
 * Claims work that is due: interactive work first, then that of the provider with the fewest claims. Within a priority, the places of a provider are
 * shared: two fifths for the newest first readings, two for the oldest, and one for repeated readings, so that a burst of none of them delays the
 * others. What one of them leaves, another takes. A paused provider has only its probe and the import of its registry due; an inactive integration has only
 * its check and interactive work due. The cost depends on how much is claimed, not on how much waits, nor on how many other providers there are.
 */
export async function claimWork(db: Db, wanted: Wanted): Promise<Claimed> {
  if (!db.isDistributed) return claimOf(db, wanted);
  const claimed: Claimed = { claims: [], left: [] };
  // Rows of one worker can be locked by one statement. What comes last now is first in the next claim.
  for (const provider of wanted.providers) {
    const places = wanted.places - claimed.claims.length;
    const { claims, left } =
      places > 0
        ? await claimOf(db, { ...wanted, places, providers: [provider] })
        : { claims: [], left: [provider] };
    claimed.claims.push(...claims);
    claimed.left.push(...left);
  }
  return claimed;
}

async function claimOf({ kysely }: Db, wanted: Wanted): Promise<Claimed> {
  const { providers, places, perProvider } = wanted;
  if (providers.length === 0) return { claims: [], left: [] };
  const kinds = sql.join(wanted.kinds.map((kind) => sql.lit(kind)));
  const usual = Math.max(1, Math.floor((perProvider * 4) / 5));
  const placesOf = sql`case priority when 0 then ${perProvider}::int else ${usual}::int end`;
  // Everything that is found is locked. Twice an equal share leaves enough for those with more, who come again in the next claim.
  const share = Math.min(places, Math.ceil((places * 2) / providers.length));
  const free = sql`least(${share}::int, greatest(0, urgency.places - provider.running))`;
  const isWork = sql`work.kind not in ('mail', 'webhook') and work.kind in (${kinds}) and work.due_at <= now()`;
  // One organisation is named in each part of the statement, so that a distributed database finds all of it in one place.
  const [only] = providers.length === 1 ? providers : [];
  const isNamed = only
    ? sql`provider_id = ${only}::uuid`
    : sql`provider_id = any (array(select ${jsonTexts(providers)}::uuid))`;
  const idIn = (table: string) => providerOf(only, `${table}.provider_id`);
  const statement = sql<Claimed>`
    with provider as (
      select provider_id, state, ${hasCondition(idIn("integrations"), "token_rejected")} as is_paused, (select count(*) from work as held
          where held.provider_id = ${idIn("integrations")} and held.claim is not null and held.kind not in ('mail', 'webhook')
            and held.due_at > now())::int as running
      from integrations where ${isNamed} order by provider_id),
    oldest as (
      select provider.running, ${free} as free, due.*
      from provider cross join (
        select priority, is_first, ${placesOf} as places
        from (values (0), (1), (2)) as known (priority) cross join (values (true), (false)) as reading (is_first)) as urgency
      cross join lateral (
        select ${DUE} from work
        where work.provider_id = ${idIn("provider")} and work.priority = urgency.priority
          and work.is_first = urgency.is_first and ${isWork}
        order by work.due_at limit ${free}
        for update skip locked) as due
      where not is_paused and (urgency.priority = 0 or state = 'active')),
    filled as (
      select provider_id, priority, is_first, running, free from oldest
      group by provider_id, priority, is_first, running, free having count(*) = free),
    newest as (
      select more.running, due.* from filled as more
      cross join lateral (
        select ${DUE} from work
        where work.provider_id = ${idIn("more")} and work.priority = more.priority and work.is_first and ${isWork}
        order by work.due_at desc limit (more.free * 2 + 4) / 5
        for update skip locked) as due
      where more.is_first),
    aside as (
      select provider.running, due.* from provider cross join lateral (
        select ${DUE} from work
        where work.provider_id = ${idIn("provider")} and work.kind in ('probe', 'registry', 'check') and ${isWork}
          and (work.kind <> 'check' or work.priority > 0 and not is_paused)
        for update skip locked) as due
      where is_paused or state <> 'active'),
    -- A claim is often of one row, so that it keeps to the shares at random.
    ranked as (
      select running, provider_id, kind, key, priority, due_at,
        (row_number() over (partition by provider_id, priority, is_first order by due_at) - random()) / case when is_first then 2 else 1 end as turn
      from oldest
      union all
      select running, provider_id, kind, key, priority, due_at,
        (row_number() over (partition by provider_id, priority order by due_at desc) - random()) / 2
      from newest
      union all
      select running, provider_id, kind, key, priority, due_at, 0 from aside),
    next as (
      select distinct on (provider_id, kind, key) * from ranked order by provider_id, kind, key, turn),
    placed as (
      select next.*, running + row_number() over (partition by provider_id order by priority, turn) as place from next),
    chosen as (
      select * from placed as next where place <= ${placesOf} order by priority, place, due_at limit ${places}::int),
    claimed as (
      update work set claim = ${wanted.claim}, due_at = now() + ${milliseconds(LEASE_MS)}, attempts = work.attempts + 1
      from chosen
      where work.provider_id = ${idIn("chosen")} and (work.kind, work.key) = (chosen.kind, chosen.key)
      returning ${RETURNED}),
    waiting as (
      select provider_id from filled
      union select provider_id from provider where running >= ${usual}::int and not is_paused
      union select provider_id from (
        select provider_id, kind, key from placed except all select provider_id, kind, key from chosen) as unchosen)
    select coalesce((select json_agg(claimed) from claimed), '[]') as claims,
      coalesce((select json_agg(provider_id) from waiting), '[]') as "left"`;
  return kysely.transaction().execute(async (trx) => {
    await asynchronousCommit.execute(trx);
    const { rows } = await statement.execute(trx);
    return rows[0] ?? { claims: [], left: [] };
  });
}

/** Claims due work of a channel, the most urgent first. It involves no provider. */
export async function claimOfChannel(
  db: Db,
  { channel, places, claim }: Pick<Wanted, "places" | "claim"> & { channel: ChannelKind },
): Promise<Claim[]> {
  const isDue = sql`kind = ${sql.lit(channel)} and due_at <= now()`;
  const organisations = await organisationsWith(db, "work", isDue);
  const claims: Claim[] = [];
  for (const organisation of organisations) {
    const { rows } = await sql<Claim>`
      with due as (
        select due.* from (values (0), (1), (2)) as known (priority) cross join lateral (
          select provider_id, kind, key, priority, due_at from work
          where ${isOf(organisation)} work.priority = known.priority and ${isDue} order by due_at limit ${places - claims.length}::int
          for update skip locked) as due),
      chosen as (select * from due order by priority, due_at limit ${places - claims.length}::int)
      update work set claim = ${claim}, due_at = now() + ${milliseconds(LEASE_MS)}, attempts = work.attempts + 1
      from chosen
      where work.provider_id = ${providerOf(organisation, "chosen.provider_id")} and (work.kind, work.key) = (chosen.kind, chosen.key)
      returning ${RETURNED}`.execute(db.kysely);
    claims.push(...rows);
    if (claims.length >= places) break;
  }
  return claims;
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
  const isWork = sql`work.kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})
    and (work.due_at <= now() or work.claim is not null or (work.priority < 2 or work.attempts > 0) and work.attempts < ${tries}::int)`;
  // Each finds its rows in an index. A claim ends within seconds.
  const soon = sql`due_at < now() + interval '30 minutes'`;
  const { rows } = await sql<{ busy: boolean }>`
    select exists (
      select true from work where kind in ('mail', 'webhook') and ${soon} and ${isWork}
      union all
      select true from (select * from work where priority in (0, 1, 2) and kind not in ('mail', 'webhook') and ${soon}) as work
        join integrations using (provider_id)
      where ${isWork} and (work.kind in ('check', 'registry') or not ${hasCondition(sql.ref("integrations.providerId"), "token_rejected")})
        and (work.kind = 'check' or work.priority = 0 or state = 'active')) as busy`.execute(kysely);
  return rows[0]?.busy === false;
}
