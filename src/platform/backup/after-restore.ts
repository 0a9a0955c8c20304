import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from "kysely";
import { counted } from "../../contract/operator-text/phrases.ts";
import { ProblemError } from "../../runtime/problem.ts";
import { erase } from "../candidates/erase.ts";
import { type Database, inTransaction, type RunSql } from "../db/engine.ts";
import { ATTEMPTED, LIVE, newLinkSalt, UNDELIVERED } from "../db/fragments.ts";
import { migrate } from "../db/migrate.ts";
import { NAMES } from "../db/names.ts";
import { adoptPlace } from "../db/postgres/server.ts";
import { countProcesses } from "../db/processes.ts";
import type { Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { newId } from "../ids.ts";
import { makeDue } from "../work/rows.ts";

/** Why there is no backup, or nothing was restored. One line. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

export interface Restored {
  /** When the backup was made, if that is known. ISO 8601. */
  takenAt?: string | undefined;
  /** The candidateIds of people who were erased after the backup, if that is known. */
  erased?: readonly string[] | undefined;
}

/**
 * Prepares a restored database for a platform, in one transaction: what may have happened since the backup is neither undone nor repeated. The schema
 * is migrated before. May be repeated. Rejects with BackupError while a platform is at work.
 */
export async function afterRestore(
  { raw }: Pick<Database, "raw">,
  { takenAt, erased }: Restored,
): Promise<Ended> {
  await migrate(raw);
  return raw.alone((run) =>
    inTransaction(run, async () => {
      await run("set local search_path to shiftpact, public");
      // A process that starts meanwhile waits here, and works on what is prepared.
      await run("lock table processes in exclusive mode");
      const count = await countProcesses(run);
      if (count > 0)
        throw new BackupError(
          `${counted(count, "platform process", "platform processes")} at work on this database (\`select * from shiftpact.processes\`): ` +
            "stop the platform, and repeat the command 15 s later",
        );
      const { rows } = await run("select max(seen_at) as at from processes");
      const ended = await endRevoked(run, erased);
      await prepareCatchUp(run, takenAt ?? rows[0].at?.toISOString(), ended);
      await run("delete from processes");
      await adoptPlace(run);
      return ended;
    }),
  );
}

/** What `after-restore` ended, for the issue `restored`. */
export interface Ended {
  /** Operators who have no token any more. */
  tokensEnded: number;
  /** People who were erased after the backup, and are erased again; unset: nothing says who they are. */
  erased?: number;
  /** Those of them who are not erased again, because they hold a seat in the backup. */
  notErased?: string[];
}

/**
 * Tables that are empty after a restore. What is in them may have been revoked since the backup, which nothing in it says. Operators get new tokens
 * from the holder of OPERATIONS_TOKEN, which is not in the database. Sessions that were signed out would be signed in again. Other
 * tokens by which a person enters belong here too.
 */
const REVOCABLE = ["console_sessions", "operator_tokens"];

/**
 * Ends what must not be valid again, within the transaction of `after-restore`.
 * @param erased The candidateIds of people who were erased after the backup, if that is known.
 */
async function endRevoked(run: RunSql, erased: readonly string[] | undefined): Promise<Ended> {
  const { rows } = await run(`select count(distinct operator_id)::int as count from operator_tokens
    join operators using (operator_id) where revoked_at is null and valid_until > now()`);
  for (const table of REVOCABLE) await run(`delete from ${table}`);
  const tokensEnded = rows[0].count;
  return erased === undefined ? { tokensEnded } : { tokensEnded, ...(await eraseAgain(run, erased)) };
}

async function eraseAgain(
  run: RunSql,
  candidateIds: readonly string[],
): Promise<Pick<Ended, "erased" | "notErased">> {
  const kysely = new Kysely<Schema>({ dialect: within(run), plugins: [NAMES] });
  // No worker runs.
  const deps = { database: { kysely }, now: () => new Date(), newId, wakeWorker: () => undefined };
  const notErased: string[] = [];
  for (const candidateId of candidateIds)
    try {
      await erase(deps, candidateId);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (error.problem.code === "candidate_booked") notErased.push(candidateId);
    }
  // Those of an earlier run, too.
  const { rows } = await run(
    "select count(*)::int as erased from candidates where candidate_id = any ($1::uuid[]) and erased_at is not null",
    [candidateIds],
  );
  return { erased: rows[0].erased, notErased };
}

/** Kysely on a session whose transaction is under way: its own transactions are parts of that. */
function within(run: RunSql): PostgresDialect {
  const PARTS: Readonly<Record<string, string>> = {
    begin: "savepoint part",
    commit: "release savepoint part",
    rollback: "rollback to savepoint part",
  };
  // Kysely counts the rows that a statement changed, which nothing here reads.
  const query = async (text: string, values: readonly unknown[]) => {
    const part = PARTS[text];
    return { rowCount: 0, ...(part === undefined ? await run(text, [...values]) : await run(part)) };
  };
  const client = { query: query as unknown as PostgresPoolClient["query"], release: () => undefined };
  return new PostgresDialect({
    pool: { options: {}, connect: async () => client, end: async () => undefined },
  });
}

/** Shifts of an organisation that may have changed since the backup. */
const FUTURE = `select provider_id, shift_id from jobs
  where provider_id = $1 and ${LIVE} and start_time > now()`;

/**
 * What the backup does not know must not be undone or repeated:
 * - someone who is no longer on a shift may have withdrawn after the backup, so no one is put on again, and a booking that the provider
 *   does not list ends, if it lists people at all;
 * - a link may have been ended, so all links end;
 * - a mail that was not sent may have been sent after the backup, so it waits for an operator; nor is it handed to the company's service;
 * - a change that was not sent may have been sent, and overtaken by another one.
 */
const unknownSince = (linkSalt: number): string[] => [
  `update notifications set link_salt = ${linkSalt} where provider_id = $1`,
  `insert into personal_links (provider_id, candidate_id, salt)
   select provider_id, candidate_id, ${linkSalt} from notifications where provider_id = $1 group by provider_id, candidate_id
   on conflict (provider_id, candidate_id) do update set salt = excluded.salt`,
  `update bookings set is_reassigned = true
   where provider_id = $1 and status in ('pending', 'confirmed') and at_provider <> 'no'`,
  `with held as (
     update notifications set delivery_error = 'gave_up'
     where provider_id = $1 and ${UNDELIVERED} and withdrawn_at is null and ${ATTEMPTED}
     returning 1)
   update issues set params = params || jsonb_build_object('held',
     coalesce((params ->> 'held')::int, 0) + (select count(*) from held))
   where provider_id = $1 and code = 'restored' and resolved_at is null`,
  "update notifications set webhook = 'dropped' where provider_id = $1 and webhook = 'waiting'",
  "delete from work where provider_id = $1 and kind in ('mail', 'webhook')",
  `update shift_changes set status = 'refused', reason = 'restored', updated_at = now()
   where provider_id = $1 and status = 'pending'`,
];

/** Every future shift is read again, and what was under way at the backup is due. */
const DUE = [
  "update work set claim = null, due_at = now(), not_before = null, attempts = 0 where provider_id = $1",
  `update shifts set next_read_at = now() from (${FUTURE}) as future
   where (shifts.provider_id, shifts.shift_id) = (future.provider_id, future.shift_id)`,
  makeDue(FUTURE),
];

/**
 * Prepares the reading of everything that may have changed since the backup, within the transaction of `after-restore`.
 * @param since when the backup was made, if that is known
 */
async function prepareCatchUp(run: RunSql, since: string | undefined, ended: Ended): Promise<void> {
  const { rows } = await run(`select provider_id as "providerId", state from integrations`);
  for (const { providerId, state } of rows) {
    if (state !== "draft")
      await openIssue(run, providerId, { ...(since !== undefined && { since }), ...ended });
    for (const statement of [...unknownSince(newLinkSalt()), ...DUE]) await run(statement, [providerId]);
  }
}

/** A repeated `after-restore` adds to the issue of the first. */
async function openIssue(run: RunSql, providerId: string, known: Ended & { since?: string }): Promise<void> {
  const { rows } = await run(`select count(*)::int as shifts from (${FUTURE}) as future`, [providerId]);
  const params = { ...known, shifts: rows[0].shifts, read: 0, changed: 0, cancelled: 0 };
  await run(
    `insert into issues (provider_id, issue_id, code, subject, params, first_at, last_at)
     values ($1, $2, 'restored', '{"kind": "integration"}', $3::jsonb, now(), now())
     on conflict (provider_id, code, subject) where resolved_at is null do update set
       params = issues.params || excluded.params || jsonb_build_object('tokensEnded',
         coalesce((issues.params ->> 'tokensEnded')::int, 0) + (excluded.params ->> 'tokensEnded')::int),
       first_at = excluded.first_at, last_at = excluded.last_at`,
    [providerId, newId(), JSON.stringify(params)],
  );
}

/**
 * Writes into the issue of a restore how far the reading is and what has changed: until every shift was read, and for an hour, as what a
 * reading brings about may take several.
 */
export async function reportCatchUp({ database, log }: Pick<Deps, "database" | "log">): Promise<void> {
  // A shift that is not yet read still has the time of the restore.
  const { rows } = await sql<{ providerId: string; params: unknown }>`
    with counted as (
      select provider_id, issue_id, params || jsonb_build_object(
        'read', (params ->> 'shifts')::int - (select count(*) from shifts
          where shifts.provider_id = issues.provider_id and next_read_at = first_at),
        'changed', (select count(*) from jobs where jobs.provider_id = issues.provider_id
          and updated_at > first_at and status <> 'cancelled'),
        'cancelled', (select count(*) from jobs where jobs.provider_id = issues.provider_id
          and updated_at > first_at and status = 'cancelled')) as params
      from issues
      where code = 'restored' and resolved_at is null
        and (first_at > now() - interval '1 hour' or params ->> 'read' <> params ->> 'shifts'))
    update issues set last_at = now(), params = counted.params from counted
    where (issues.provider_id, issues.issue_id) = (counted.provider_id, counted.issue_id)
      and issues.params <> counted.params
    returning issues.provider_id, issues.params`.execute(database.kysely);
  for (const { providerId, params } of rows)
    log.info({ providerId, params }, "reading the shifts after a restore");
}
