import type { Counter, Histogram } from "prom-client";
import { HEALTH_BY_GRAVITY } from "../../contract/operator-text.ts";
import { type ProviderBacklog, waitingIn } from "./readings.ts";

export interface NamedProvider {
  kind: string;
  providerId: string;
}

/** The labels of the series of a provider. */
export type ProviderLabels = Record<"kind" | "provider_id", string>;

export const labelsOf = ({ kind, providerId }: NamedProvider): ProviderLabels => ({
  kind,
  provider_id: providerId,
});

/** Providers with series of their own, unless given: each adds about 150 time series. */
export const MOST_PROVIDERS = 100;

/** All other providers together. */
const OTHER: NamedProvider = { kind: "other", providerId: "other" };

const rankOf = ({ health }: ProviderBacklog) => HEALTH_BY_GRAVITY.indexOf(health);

/**
 * Returns the `most` providers that need attention most: those with the gravest health, and of each those whose work has waited longest. The
 * rest of them is one provider named `other`, with their sums, the oldest of their times, and the health and the limit of the worst of them.
 */
export function worstProviders(
  providers: readonly ProviderBacklog[],
  most: number,
): readonly ProviderBacklog[] {
  if (providers.length <= most) return providers;
  const sorted = providers.toSorted(
    (one, other) =>
      rankOf(one) - rankOf(other) ||
      sinceOf(one) - sinceOf(other) ||
      waitingIn(other.backlog.waiting) - waitingIn(one.backlog.waiting),
  );
  const rest = sorted.slice(most);
  return [...sorted.slice(0, most), rest.reduce(together)];
}

/** When the oldest of its work began to wait; in the future when none waits. */
function sinceOf({ backlog, pendingSince }: ProviderBacklog): number {
  const oldest = backlog.oldestAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(backlog.oldestAt);
  return Math.min(oldest, pendingSince?.getTime() ?? Number.MAX_SAFE_INTEGER);
}

function together(one: ProviderBacklog, other: ProviderBacklog): ProviderBacklog {
  const [first, second] = [one.backlog, other.backlog];
  return {
    ...one,
    ...OTHER,
    pendingSince: earliest(one.pendingSince, other.pendingSince),
    lastWebhookAt: latest(one.lastWebhookAt, other.lastWebhookAt),
    backlog: {
      waiting: {
        interactive: first.waiting.interactive + second.waiting.interactive,
        events: first.waiting.events + second.waiting.events,
        background: first.waiting.background + second.waiting.background,
      },
      mail: first.mail + second.mail,
      inProgress: first.inProgress + second.inProgress,
      limit: first.limit,
      oldestAt: earliest(first.oldestAt, second.oldestAt),
    },
  };
}

const earliest = <T extends Date | string>(one: T | null, other: T | null): T | null =>
  one === null || (other !== null && other < one) ? other : one;
const latest = <T extends Date | string>(one: T | null, other: T | null): T | null =>
  one === null || (other !== null && other > one) ? other : one;

type Counted = Counter<string> | Histogram<string>;

/** The providers that this process counts one by one; those beyond them count as `other`. */
export interface CountedProviders {
  labels(provider: NamedProvider): ProviderLabels;
  /** Removes the series of the providers that were among these before and no longer are; others take their places. */
  keep(providers: readonly NamedProvider[]): Promise<void>;
}

/** `metrics`: with the labels kind and provider_id, and any others. */
export function countedProviders(metrics: readonly Counted[], most: number): CountedProviders {
  const counted = new Set<string>();
  // One that is registered after a reading counts before it is in the next one.
  const seen = new Set<string>();
  return {
    labels: (provider) => {
      const labels = labelsOf(provider);
      const key = keyOf(labels);
      if (!counted.has(key) && counted.size >= most) return labelsOf(OTHER);
      counted.add(key);
      return labels;
    },
    keep: async (providers) => {
      const kept = new Set(providers.map((each) => keyOf(labelsOf(each))));
      const gone = [...seen].filter((key) => !kept.has(key));
      for (const key of kept) seen.add(key);
      for (const key of gone) {
        seen.delete(key);
        counted.delete(key);
      }
      if (gone.length === 0) return;
      for (const metric of metrics) await removeSeries(metric, (labels) => gone.includes(keyOf(labels)));
    },
  };
}

const keyOf = ({ kind, provider_id }: Partial<ProviderLabels>) => `${kind} ${provider_id}`;

async function removeSeries(
  metric: Counted,
  isGone: (labels: Partial<ProviderLabels>) => boolean,
): Promise<void> {
  for (const { labels } of (await metric.get()).values) {
    const { le: _edge, ...own } = labels as Record<string, string | number>;
    if (isGone(own as Partial<ProviderLabels>)) metric.remove(own);
  }
}
