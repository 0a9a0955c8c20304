import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Database, Log } from "../db/database.ts";
import type { PersonalNumbers } from "./personal-numbers.ts";

const EVERY_MS = 60_000;
const BATCH = 500;
/** How long a start waits. On many candidates the first round takes longer, and continues while the platform serves. */
const START_MS = 3_000;

export interface NumberSealing {
  /** Seals numbers that are stored in clear, and removes the clear ones once no process needs them. */
  run(): Promise<void>;
  /** Runs now and at intervals, because a process of an older version may start or end. Resolves after the first round, or after 3 s. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Parts {
  database: Database;
  numbers: PersonalNumbers;
  log: Log;
  /** Keeps numbers in clear and restores removed ones, for a return to an older version. */
  keepClear: boolean;
  vault: { open(sealed: string): string };
}

export function createNumberSealing(parts: Parts): NumberSealing {
  const { database, numbers, log, keepClear } = parts;
  let isStopped = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const run = async () => {
    const unsealed = await everyBatch(
      () => isStopped,
      (after) => sealBatch(parts, after),
    );
    if (unsealed.left > 0)
      log.error(
        unsealed,
        "candidates share a personal number that is stored in clear: erase one of each pair",
      );
    if (keepClear) {
      const { done } = await everyBatch(
        () => isStopped,
        (after) => restoreBatch(parts, after),
      );
      if (done > 0) log.warn({ restored: done }, "personal numbers are stored in clear again");
      return;
    }
    if (await hasOlderProcess(database)) return;
    numbers.keepsClear = false;
    const { done } = await everyBatch(
      () => isStopped,
      () => removeBatch(database),
    );
    if (done > 0) log.info({ sealed: done }, "all personal numbers are sealed");
  };
  const runOnce = () => {
    running ??= run()
      .catch((error) => log.error({ err: error }, "could not seal personal numbers; the next round retries"))
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  return {
    run,
    start: async () => {
      timer = setInterval(() => void runOnce(), EVERY_MS);
      timer.unref();
      await Promise.race([runOnce(), sleep(START_MS, undefined, { ref: false })]);
    },
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

interface Batch {
  done: number;
  left: number;
  /** The last key; undefined for the last batch. */
  last: string | undefined;
}

async function everyBatch(isStopped: () => boolean, next: (after: string | undefined) => Promise<Batch>) {
  const total = { done: 0, left: 0 };
  let after: string | undefined;
  do {
    const { done, left, last } = await next(after);
    total.done += done;
    total.left += left;
    after = last;
  } while (after !== undefined && !isStopped());
  return total;
}

/** Seals numbers that an older version wrote. */
async function sealBatch({ database: { kysely }, numbers }: Parts, after?: string): Promise<Batch> {
  const { rows } = await sql<{ id: string; number: string }>`
    select candidate_id as id, personal_number as number from candidates
    where personal_number ~ '^[0-9]' and personal_number_hash is null and candidate_id > ${after ?? FIRST}
    order by candidate_id limit ${BATCH}`.execute(kysely);
  const sealed = rows.flatMap(({ id, number: text }) => {
    const number = parsePersonalNumber(text);
    if (!number) return [];
    const { personal_number_sealed, personal_number_hash } = numbers.columns(number, id);
    return [{ id, text, sealed: personal_number_sealed, hash: personal_number_hash }];
  });
  const updated = await sql`
    update candidates set personal_number_sealed = given.sealed, personal_number_hash = given.hash
    from json_to_recordset(${JSON.stringify(sealed)}::text::json) as given (id uuid, text text, sealed text, hash text)
    where candidate_id = given.id and personal_number = given.text and not exists (
      select from candidates as other where other.personal_number_hash = given.hash)`.execute(kysely);
  const done = Number(updated.numAffectedRows ?? 0);
  return { done, left: rows.length - done, last: lastOf(rows) };
}

async function removeBatch({ kysely }: Database): Promise<Batch> {
  const { rows } = await sql<{ id: string }>`
    update candidates set personal_number = 'sealed:' || candidate_id where candidate_id in (
      select candidate_id from candidates
      where personal_number ~ '^[0-9]' and personal_number_hash is not null limit ${BATCH})
    returning candidate_id as id`.execute(kysely);
  return { done: rows.length, left: 0, last: lastOf(rows) };
}

async function restoreBatch({ database: { kysely }, vault }: Parts, after?: string): Promise<Batch> {
  const { rows } = await sql<{ id: string; sealed: string }>`
    select candidate_id as id, personal_number_sealed as sealed from candidates
    where personal_number like 'sealed:%' and candidate_id > ${after ?? FIRST} order by candidate_id limit ${BATCH}`.execute(
    kysely,
  );
  const clear = rows.map(({ id, sealed }) => ({ id, number: vault.open(sealed) }));
  await sql`
    update candidates set personal_number = given.number
    from json_to_recordset(${JSON.stringify(clear)}::text::json) as given (id uuid, number text)
    where candidate_id = given.id and personal_number like 'sealed:%'`.execute(kysely);
  return { done: rows.length, left: 0, last: lastOf(rows) };
}

const FIRST = "00000000-0000-0000-0000-000000000000";

const lastOf = (rows: readonly { id: string }[]) => (rows.length < BATCH ? undefined : rows.at(-1)?.id);

/** Whether a process of an older version runs. An embedded database is locked against a second process. */
async function hasOlderProcess({ kysely, engine }: Database): Promise<boolean> {
  if (engine === "pglite") return false;
  const { rows } = await sql<{ isOlder: boolean }>`
    select exists (select from processes where not seals_numbers and seen_at > now() - interval '1 minute') as "isOlder"`.execute(
    kysely,
  );
  return rows[0]?.isOlder ?? false;
}
