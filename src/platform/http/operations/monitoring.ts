import type { Handlers } from "../../../../generated/operations/server.ts";
import type { ProviderHealth } from "../../../../generated/operations/types.ts";
import type { Backlogs } from "../../backlog/backlogs.ts";
import { type ProviderReading, readProviders } from "../../backlog/provider-health.ts";
import type { Integration } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import type { FieldUses } from "../../integrations/field-uses.ts";
import { providerReport } from "../../integrations/report.ts";
import type { Figures } from "../../metrics/figures.ts";
import { readStatistics } from "../../metrics/statistics.ts";
import { page } from "../page.ts";
import { ok } from "../response.ts";
import { viewOfHealth } from "./integrations.ts";

interface Sources {
  deps: Deps;
  figures: Pick<Figures, "flush">;
  fieldUses: Pick<FieldUses, "flush">;
  backlogs: Pick<Backlogs, "all">;
}

const DEFAULT_MINUTES = 60;

/** Counts of this process are written before they are read; those of other processes follow within seconds. */
export function monitoringHandlers({ deps, figures, fieldUses, backlogs }: Sources) {
  return {
    getStatistics: async ({ query: { minutes = DEFAULT_MINUTES } }) => {
      await figures.flush();
      return ok(await readStatistics(deps, minutes));
    },
    listProviderHealth: async ({ query }) => {
      const all = deps.database.kysely.selectFrom("integrations").selectAll();
      const { items, ...rest } = await page(all, query, { id: "provider_id", ascending: true }, (row) => row);
      await figures.flush();
      const ids = items.map(({ provider_id }) => provider_id);
      const readings = await readProviders(deps.database, backlogs, ids, deps.now());
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

function viewOfProvider(row: Integration, reading: ProviderReading | undefined): ProviderHealth[] {
  if (!reading) return [];
  return [{ providerId: row.provider_id, state: row.state, health: viewOfHealth(row), ...reading }];
}
