import type { Backlog } from "../../../generated/operations/types.ts";
import type { Database } from "../db/database.ts";
import type { Integration } from "../db/schema.ts";
import { healthOf } from "../integrations/health.ts";
import type { Figures } from "../metrics/figures.ts";
import { type ProviderBacklog, waitingIn } from "../metrics/readings.ts";
import { shareReading } from "../metrics/share.ts";
import { type Counts, NOTHING, readCounts, readLastWebhooks, readPending } from "./counts.ts";
import { type Limits, limitOf } from "./limit.ts";
import { AT_REST, type Pace, readPaces } from "./pace.ts";

/** What waits for the providers, since when, and what limits it. */
export interface Backlogs {
  /** Returns the backlog of an integration with the given state and health. The counts are a few seconds old. */
  of(integration: Integration): Promise<Backlog>;
  all(): Promise<ProviderBacklog[]>;
}

interface Parts {
  database: Pick<Database, "kysely">;
  now: () => Date;
  limits: Limits;
  /** Failed attempts after which work is retried only each hour. */
  tries: number;
  figures: Pick<Figures, "flush">;
}

/** How long all callers share one reading. Milliseconds. */
const KEPT_FOR_MS = 2_000;

export function createBacklogs({ database, now, limits, tries, figures }: Parts): Backlogs {
  const read = shareReading(async (key) => {
    const [providerId = ""] = key.split(" ");
    // Figures of this process are flushed first; those of other processes follow within seconds.
    await figures.flush();
    const counts = await readCounts(database, { tries, atOnce: limits.atOnce }, providerId);
    return { counts, paces: await readPaces(database, now(), providerId) };
  }, KEPT_FOR_MS);
  return {
    of: async (integration) => {
      const { provider_id, state } = integration;
      // A reading in another state must not be shown with this one.
      const { counts, paces } = await read(`${provider_id} ${state} ${healthOf(integration).code}`);
      return backlogOf(integration, counts.get(provider_id), paces.get(provider_id), limits);
    },
    all: async () => {
      const { counts, paces } = await read();
      const pending = await readPending(database);
      const webhooks = await readLastWebhooks(database);
      const integrations = await database.kysely.selectFrom("integrations").selectAll().execute();
      const readAt = now();
      return integrations.map((integration) => {
        const { kind, provider_id } = integration;
        const [own, pace] = [counts.get(provider_id), paces.get(provider_id)];
        const backlog = backlogOf(integration, own, pace, limits);
        const pendingSince = pending.get(provider_id) ?? null;
        const lastWebhookAt = webhooks.get(provider_id) ?? null;
        const health = healthOf(integration).code;
        return { kind, provider_id, readAt, backlog, health, pendingSince, lastWebhookAt };
      });
    },
  };
}

function backlogOf(
  integration: Integration,
  { waiting: counted, mail, inProgress, oldestAt }: Counts = NOTHING,
  pace: Pace = AT_REST,
  limits: Limits,
): Backlog {
  // The activation reads every shift, so no periodic reading waits for it.
  const waiting = integration.state === "active" ? counted : { ...counted, background: 0 };
  const limit = limitOf(integration, { waiting, inProgress }, pace, limits);
  const since = waitingIn(waiting) > 0 && oldestAt ? oldestAt.toISOString() : null;
  return { waiting, mail, inProgress, limit, oldestAt: since };
}
