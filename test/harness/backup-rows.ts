import { randomUUID } from "node:crypto";
import { AS_TEXT, columnsOf, quoted, readTables } from "../../src/platform/backup/to-postgres.ts";
import type { Database } from "../../src/platform/db/database.ts";
import type { Vault } from "../../src/platform/deps.ts";

const ODD = 'line\nbreak\r\ttab \\ back\\n "quoted" \'single\' (a,b) {"c": null} åäö 𝄞 \u2028 \u0001';

/** Rows whose values are hard to copy: microseconds, nulls, empty texts, quotes, backslashes, line breaks, JSON. */
export async function addRows({ raw }: Database, vault: Vault, count = 3_000): Promise<string> {
  const providerId = randomUUID();
  await raw.executeSql(
    `insert into shiftpact.integrations (provider_id, kind, name, base_url, provider_token, dialect, state)
     values ($1, 'probe', $2, 'http://127.0.0.1:1', $3, $4, 'active')`,
    [providerId, ODD, vault.seal("a-provider-token"), JSON.stringify({ variant: "a", odd: ODD, n: 1e-7 })],
  );
  await raw.executeSql(
    `insert into shiftpact.workplaces (workplace_id, name, address, created_at)
     select gen_random_uuid(), case i when 1 then 'Ward 1' when 2 then '' else $1 || i end, case when i % 2 = 0 then null else 'NULL' end,
       '2026-03-29 00:59:59.123456+00'::timestamptz + i * interval '1 microsecond' from generate_series(1, $2::int) i`,
    [ODD, count],
  );
  await raw.executeSql(
    `insert into shiftpact.events (event_id, provider_id, event, shift_id, trace_id, status, verdict)
     select gen_random_uuid(), $1, 'shift.create', 'shift-' || i, 'trace ' || i, 'processed',
       case when i % 3 = 0 then null else jsonb_build_object('code', 'job_created', 'params', jsonb_build_object('text', $2::text, 'n', i / 7.0)) end
     from generate_series(1, $3::int) i`,
    [providerId, ODD, count],
  );
  return providerId;
}

/** The number of rows of every table, and a checksum of them. */
export const digestsOf = ({ raw }: Database) =>
  raw.alone(async (sql) => {
    await sql("begin");
    await sql(AS_TEXT);
    const found: Record<string, unknown> = {};
    for (const table of await readTables(sql)) {
      const { rows } =
        await sql(`select count(*)::int as rows, md5(string_agg(stored::text, '' order by stored::text)) as sum
        from (select ${columnsOf(table)} from shiftpact.${quoted(table.name)}) as stored`);
      found[table.name] = rows[0];
    }
    await sql("rollback");
    return found;
  });
