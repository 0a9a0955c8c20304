import { sql } from "kysely";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import type { TestDatabase } from "./engines.ts";
import type { Organisation } from "./organisation.ts";
import { type Harness, type HarnessOptions, startHarness } from "./platform.ts";
import type { OnTheWay } from "./provider-proxy.ts";

export interface OrganisationOptions extends HarnessOptions {
  dialect?: SandboxOptions["dialect"];
}

/** One organisation, whose provider sends no webhooks, and a platform on a database that the test can read. */
export interface StartedOrganisation extends Organisation, Pick<Harness, "metrics"> {
  /** The URL of the platform. */
  url: string;
  /** Runs while a call to the provider is under way; set by the test. */
  onTheWay: OnTheWay | undefined;
  /** Returns every row of every table as text, one per line. */
  dump(): Promise<string>;
}

export async function startOrganisation(
  database: TestDatabase,
  { dialect = {}, ...options }: OrganisationOptions = {},
): Promise<StartedOrganisation> {
  const harness = await startHarness(database, options);
  const hook: { onTheWay: OnTheWay | undefined } = { onTheWay: undefined };
  const organisation = await harness.onboard({
    dialect,
    connect: false,
    onTheWay: (call, pass) => (hook.onTheWay ? hook.onTheWay(call, pass) : pass()),
  });
  return Object.assign(hook, organisation, {
    url: harness.platform.url,
    metrics: harness.metrics,
    close: harness.close,
    dump: () => dump(database),
  });
}

async function dump({ kysely }: TestDatabase): Promise<string> {
  const tables = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'shiftpact'`.execute(
    kysely,
  );
  const lines: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(
      kysely,
    );
    lines.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return lines.join("\n");
}
