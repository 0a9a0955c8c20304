import { sql } from "kysely";
import type { Trx } from "./task.ts";

/** Those of the ids that no task of the queue has: neither one that waits nor one in hand. */
export async function withoutTask(trx: Trx, name: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id::text from json_array_elements_text(${JSON.stringify(ids)}::text::json) as asked (id)
    where not exists (select from pgboss.job where job.name = ${name} and job.id = asked.id::uuid)`.execute(
    trx,
  );
  return rows.map(({ id }) => id);
}
