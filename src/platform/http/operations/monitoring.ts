import { sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { ProviderHealth } from "../../../../generated/operations/types.ts";
import type { Backlogs } from "../../backlog/backlogs.ts";
import { type ProviderReading, readProviders } from "../../backlog/provider-health.ts";
import type { Integration } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import type { FieldUses } from "../../integrations/field-uses.ts";
import { providerReport } from "../../integrations/report.ts";
import { periodOf, readStatistics } from "../../jobs/statistics.ts";
import { page } from "../page.ts";
import { ok } from "../response.ts";
import { viewOfHealth } from "./integrations.ts";

interface Sources {
  deps: Deps;
  fieldUses: Pick<FieldUses, "flush">;
  backlogs: Pick<Backlogs, "all">;
}

export function monitoringHandlers({ deps, fieldUses, backlogs }: Sources) {
  return {
    getStatistics: async ({ query }) => ok(await readStatistics(deps.database, periodOf(query, deps.now()))),
    listProviderHealth: async ({ query }) => {
      const first = query.order === "attention" && ({ column: "attention", holds: "ranks" } as const);
      const where = { state: query.state, health_now: query.health };
      const order = { id: "provider_id", ascending: true, where, ...(first && { first }) } as const;
      const { items, ...rest } = await page(providers(deps), query, order, (row) => row);
      const ids = items.map(({ provider_id }) => provider_id);
      const readings = await readProviders(deps.database, backlogs, ids);
      return ok({
        items: items.flatMap((row) => viewOfProvider(row, readings.get(row.provider_id))),
        ...rest,
      });
    },
    getProviderReport: async ({ path }) => {
      await fieldUses.flush();
      return ok(await providerReport(deps, path.providerId));
    },
  } satisfies Partial<Handlers<undefined>>;
}

/** As `healthOf` has it. */
const HEALTH_NOW = sql<string>`case when paused_since is not null then 'token_rejected'
  when held_since is not null then 'mass_disappearance' else health end`;

/** By the gravity of the health; of each, those with open issues first. */
const ATTENTION = sql<number>`case ${HEALTH_NOW} when 'reachable' then 4 when 'rate_limited' then 2 else 0 end
  + case when exists (select 1 from issues where issues.provider_id = integrations.provider_id
    and resolved_at is null) then 0 else 1 end`;

function providers({ database: { kysely } }: Deps) {
  const all = kysely.selectFrom("integrations").selectAll();
  const ranked = all.select([HEALTH_NOW.as("health_now"), ATTENTION.as("attention")]);
  return kysely.selectFrom(ranked.as("integrations")).selectAll();
}

function viewOfProvider(row: Integration, reading: ProviderReading | undefined): ProviderHealth[] {
  if (!reading) return [];
  return [{ providerId: row.provider_id, state: row.state, health: viewOfHealth(row), ...reading }];
}
