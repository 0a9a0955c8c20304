import { sql } from "kysely";
import type { ProviderHealth } from "../../../generated/operations/types.ts";
import type { Database } from "../db/database.ts";
import type { Backlogs } from "./backlogs.ts";

/** What is read about a provider besides its row, which has its state and health. */
export type ProviderReading = Omit<ProviderHealth, "providerId" | "state" | "health">;

interface Row {
  provider_id: string;
  open_issues: number;
}

/** Returns the backlog and the recent activity of each provider, by providerId. */
export async function readProviders(
  { kysely }: Pick<Database, "kysely">,
  backlogs: Pick<Backlogs, "all">,
  providerIds: readonly string[],
): Promise<Map<string, ProviderReading>> {
  if (providerIds.length === 0) return new Map();
  const { rows } = await sql<Row>`
    select provider_id,
      (select count(*) from issues where issues.provider_id = integrations.provider_id and resolved_at is null)::int as open_issues
    from integrations where provider_id in (${sql.join(providerIds)})`.execute(kysely);
  const waiting = new Map((await backlogs.all()).map((each) => [each.provider_id, each]));
  return new Map(
    rows.flatMap(({ provider_id, open_issues }) => {
      const { backlog, pendingSince = null, lastWebhookAt = null } = waiting.get(provider_id) ?? {};
      // Registered since the backlogs were read. The next reading includes it.
      if (!backlog) return [];
      const reading: ProviderReading = {
        backlog,
        openIssues: open_issues,
        ...(lastWebhookAt && { lastWebhookAt: lastWebhookAt.toISOString() }),
        ...(pendingSince && { oldestPendingBookingAt: pendingSince.toISOString() }),
      };
      return [[provider_id, reading]];
    }),
  );
}
