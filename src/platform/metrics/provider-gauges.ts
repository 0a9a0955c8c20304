import { Counter, Gauge, type Registry } from "prom-client";
import type { ProviderBacklog } from "./readings.ts";

interface Provider {
  kind: string;
  provider_id: string;
}

/** What is shown of each integration beside its backlog. */
export interface ProviderGauges {
  /** A webhook of the provider was stored. */
  stored(provider: Provider): void;
  show(providers: readonly ProviderBacklog[]): void;
}

/** `labels`: of the provider. */
export function providerGauges(
  registers: Registry[],
  labels: readonly ["kind", "provider_id"],
  now: () => number = Date.now,
): ProviderGauges {
  const webhooks = new Counter({
    name: "shiftpact_provider_webhooks_total",
    help: "Webhooks of a provider that this process stored, repeated ones included.",
    labelNames: labels,
    registers,
  });
  const last = new Gauge({
    name: "shiftpact_provider_last_webhook_timestamp_seconds",
    help: "When this process stored the last webhook of a provider; missing before the first.",
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
    stored: ({ kind, provider_id }) => {
      const of = { kind, provider_id };
      webhooks.inc(of);
      last.set(of, Math.round(now() / 1_000));
    },
    show: (providers) => {
      health.reset();
      pending.reset();
      for (const { kind, provider_id, health: code, pendingSince, readAt } of providers) {
        health.set({ kind, provider_id, code }, 1);
        const ms = pendingSince === null ? 0 : readAt.getTime() - pendingSince.getTime();
        pending.set({ kind, provider_id }, Math.max(0, ms / 1_000));
      }
    },
  };
}
