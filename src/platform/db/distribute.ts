import { readFile } from "node:fs/promises";
import type pg from "pg";
import { DatabaseRefusal } from "./database-errors.ts";
import { inTransaction, type RawSql, type RunSql } from "./engine.ts";

const SQL = new URL("./distribute.sql", import.meta.url);

/** Whether the database has the extension citus. */
export async function hasCitus(newClient: () => pg.Client): Promise<boolean> {
  const client = newClient();
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query("select 1 from pg_extension where extname = 'citus'");
    return rows.length > 0;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Distributes the tables of a migrated database by organisation, with what they hold. Returns false when they are distributed already.
 * @throws DatabaseRefusal
 */
export async function distribute(raw: RawSql): Promise<boolean> {
  const statements = await readFile(SQL, "utf8");
  return raw.alone(async (run) => {
    await requireWorkers(run);
    const { rows } = await run(
      "select 1 from pg_dist_partition where logicalrelid = 'shiftpact.integrations'::regclass and partmethod = 'h'",
    );
    if (rows.length > 0) return false;
    await inTransaction(run, () => run(statements));
    return true;
  });
}

async function requireWorkers(run: RunSql): Promise<void> {
  const { rows: found } = await run("select 1 from pg_extension where extname = 'citus'");
  if (found.length === 0)
    throw refusal(
      "the database has no extension citus: create it in this database on the coordinator and on each worker",
    );
  const { rows } = await run("select 1 from pg_dist_node where shouldhaveshards");
  if (rows.length === 0)
    throw refusal("no node of Citus may hold shards: add each worker with citus_add_node on the coordinator");
}

const refusal = (message: string) => new DatabaseRefusal(message, { isFinal: true });
