import { Gauge, type Registry } from "prom-client";
import type { ProviderBacklog } from "./readings.ts";
import type { ProviderLabels } from "./shown-providers.ts";

/** What is shown of each integration beside its backlog. */
export interface ProviderGauges {
  /** A webhook of the provider was stored by this process. */
  stored(provider: ProviderLabels): void;
  show(providers: readonly ProviderBacklog[]): void;
}

/** `labels`: of the provider. */
export function providerGauges(
  registers: Registry[],
  labels: readonly ["kind", "provider_id"],
  now: () => number = Date.now,
): ProviderGauges {
  /** In seconds: what is read has the minute. */
  const stored = new Map<string, number>();
  const last = new Gauge({
    name: "shiftpact_provider_last_webhook_timestamp_seconds",
    help: "When the last webhook of a provider was stored, to the minute; missing before the first.",
    labelNames: labels,
    registers,
  });
  const health = new Gauge({
    name: "shiftpact_provider_health",
    help: "1: the health of a provider; other codes are left out.",
    labelNames: [...labels, "code"],
    registers,
  });
  const pending = new Gauge({
    name: "shiftpact_provider_oldest_pending_booking_seconds",
    help: "For how long the oldest pending booking has waited for a provider; 0 when there is none.",
    labelNames: labels,
    registers,
  });
  return {
    stored: ({ provider_id }) => void stored.set(provider_id, Math.round(now() / 1_000)),
    show: (providers) => {
      for (const gauge of [last, health, pending]) gauge.reset();
      for (const { kind, provider_id, health: code, pendingSince, lastWebhookAt, readAt } of providers) {
        health.set({ kind, provider_id, code }, 1);
        const ms = pendingSince === null ? 0 : readAt.getTime() - pendingSince.getTime();
        pending.set({ kind, provider_id }, Math.max(0, ms / 1_000));
        const lastAt = Math.max(stored.get(provider_id) ?? 0, (lastWebhookAt?.getTime() ?? 0) / 1_000);
        if (lastAt > 0) last.set({ kind, provider_id }, lastAt);
      }
    },
  };
}
