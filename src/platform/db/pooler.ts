import type pg from "pg";
import type { TimedQuery } from "./prepared.ts";

const ROUNDS = 3;
// A process id may occur on two servers, and it is used again.
const BACKEND: TimedQuery = {
  text: `select pid || ' ' || backend_start as backend from pg_stat_activity where pid = pg_backend_pid()`,
  query_timeout: 5_000,
};

/**
 * @throws Error when two open connections share a session of the database, or one changes its session: then a pooler gives sessions out by the
 * transaction, and whatever a session remembers (LISTEN, locks, prepared statements) is lost.
 */
export async function refuseTransactionPooler(name: string, newClient: () => pg.Client): Promise<void> {
  const clients = [newClient(), newClient()];
  for (const client of clients) client.on("error", () => undefined);
  try {
    for (const client of clients) await client.connect();
    const seen = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [nth, client] of clients.entries()) {
        const { rows } = await client.query<{ backend: string }>(BACKEND);
        const backend = rows[0]?.backend ?? "";
        if ((seen.get(backend) ?? nth) !== nth) throw new Error(faultOf(name));
        seen.set(backend, nth);
      }
    }
    if (seen.size > clients.length) throw new Error(faultOf(name));
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

function faultOf(name: string): string {
  return (
    `${name} leads to a pooler in transaction mode, which loses what a session remembers: ` +
    `use session pooling, or give DIRECT_DATABASE_URL, a URL that reaches PostgreSQL without the pooler`
  );
}
