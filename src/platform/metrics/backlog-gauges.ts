import { Gauge, type Registry } from "prom-client";
import type { ProviderBacklog } from "./readings.ts";

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
    for (const { kind, provider_id, backlog, readAt } of backlogs) {
      const of = { kind, provider_id };
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
