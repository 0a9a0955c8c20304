import { sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { ProviderHealth } from "../../../../generated/operations/types.ts";
import { type Backlogs, type ProviderReading, readProviders } from "../../backlog/backlogs.ts";
import type { Integration } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { HEALTH, HEALTH_RANK, healthOf, selectIntegrations } from "../../integrations/conditions.ts";
import { periodOf, readStatistics } from "../../jobs/statistics.ts";
import { ok } from "../handlers.ts";
import { page } from "../page.ts";

interface Sources {
  deps: Deps;
  backlogs: Pick<Backlogs, "all">;
}

export function monitoringHandlers({ deps, backlogs }: Sources) {
  return {
    getStatistics: async ({ query }) => ok(await readStatistics(deps.database, periodOf(query, deps.now()))),
    listProviderHealth: async ({ query }) => {
      const first = query.order === "attention" && ({ column: "attention", holds: "ranks" } as const);
      const where = { state: query.state, healthNow: query.health };
      const order = { id: "providerId", ascending: true, where, ...(first && { first }) } as const;
      const { items, ...rest } = await page(providers(deps), query, order, (row) => row);
      const ids = items.map(({ providerId }) => providerId);
      const readings = await readProviders(deps.database, backlogs, ids);
      return ok({
        items: items.flatMap((row) => viewOfProvider(row, readings.get(row.providerId))),
        ...rest,
      });
    },
  } satisfies Partial<Handlers<undefined>>;
}

/** By the gravity of the health; of each, those with open issues first. */
const ATTENTION = sql<number>`2 * ${HEALTH_RANK} + case when exists (select 1 from issues where issues.provider_id = integrations.provider_id
    and resolved_at is null) then 0 else 1 end`;

function providers({ database: { kysely } }: Deps) {
  const ranked = selectIntegrations(kysely).select([HEALTH.as("healthNow"), ATTENTION.as("attention")]);
  return kysely.selectFrom(ranked.as("integrations")).selectAll();
}

function viewOfProvider(row: Integration, reading: ProviderReading | undefined): ProviderHealth[] {
  if (!reading) return [];
  return [{ providerId: row.providerId, state: row.state, health: healthOf(row), ...reading }];
}
