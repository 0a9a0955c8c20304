import { Gauge, type Registry } from "prom-client";
import type { ProviderBacklog } from "./readings.ts";
import { labelsOf, type NamedProvider } from "./shown-providers.ts";

/** What is shown of each integration beside its backlog. */
export interface ProviderGauges {
  /** A webhook of the provider was stored by this process. */
  stored(provider: NamedProvider): void;
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
    stored: ({ providerId }) => void stored.set(providerId, Math.round(now() / 1_000)),
    show: (providers) => {
      for (const gauge of [last, health, pending]) gauge.reset();
      for (const provider of providers) {
        const { providerId, health: code, pendingSince, lastWebhookAt, readAt } = provider;
        const shown = labelsOf(provider);
        health.set({ ...shown, code }, 1);
        const ms = pendingSince === null ? 0 : readAt.getTime() - pendingSince.getTime();
        pending.set(shown, Math.max(0, ms / 1_000));
        const lastAt = Math.max(stored.get(providerId) ?? 0, (lastWebhookAt?.getTime() ?? 0) / 1_000);
        if (lastAt > 0) last.set(shown, lastAt);
      }
    },
  };
}

/** Gauges of what waits for each provider, as the operations document lists them ("Outside of this API"). */
export function backlogGauges(
  registers: Registry[],
  provider: readonly ["kind", "provider_id"],
): (backlogs: readonly ProviderBacklog[]) => void {
  const gauge = <Label extends string>(name: string, help: string, more: Label[] = []) =>
    new Gauge({ name: `shiftpact_${name}`, help, labelNames: [...provider, ...more], registers });
  const waiting = gauge("provider_waiting", "Shifts, people and checks that wait for a provider.", [
    "priority",
  ]);
  const inProgress = gauge("provider_in_progress", "Shifts, people and checks in progress.");
  const oldest = gauge("provider_oldest_seconds", "For how long the oldest has waited.");
  const limited = gauge("provider_limited", "1: what limits the backlog of a provider.", ["limit"]);
  const mail = gauge("mail_waiting", "Notifications that wait to be mailed.");
  const all = [waiting, inProgress, oldest, limited, mail];
  return (backlogs) => {
    for (const each of all) each.reset();
    for (const { backlog, readAt, ...provider } of backlogs) {
      const of = labelsOf(provider);
      const { oldestAt } = backlog;
      for (const [priority, count] of Object.entries(backlog.waiting))
        waiting.set({ ...of, priority }, count);
      inProgress.set(of, backlog.inProgress);
      oldest.set(of, oldestAt === null ? 0 : Math.max(0, secondsBetween(oldestAt, readAt)));
      limited.set({ ...of, limit: backlog.limit.code }, 1);
      mail.set(of, backlog.mail);
    }
  };
}

const secondsBetween = (from: string, to: Date): number => (to.getTime() - Date.parse(from)) / 1_000;
