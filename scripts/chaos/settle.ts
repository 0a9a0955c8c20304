import { setTimeout as sleep } from "node:timers/promises";
import { LEASE_MS } from "../../src/platform/work/rows.ts";
import type { Load } from "./load.ts";
import type { ChaosOptions } from "./options.ts";
import { RECONCILE_MS, type Target } from "./target.ts";

const SETTLED_WITHIN_MS = 90_000;
const RECOVERY_MS = 150_000;
/** The time in which each shift is read again, once the claims of a killed process have ended. */
const ALL_READ_MS = 1.2 * RECONCILE_MS;

/**
 * Ends the provider's faults. Waits until every webhook is delivered, every shift is read once more, and no work is due. The check finds
 * work that is still due a minute and a half after all webhooks were delivered, which may take as long on a slow machine.
 */
export async function settle(
  targets: readonly Target[],
  loads: readonly Load[],
  { fast }: ChaosOptions,
): Promise<void> {
  for (const { organisation } of loads) organisation.provider.clearFaults();
  await sleep(ALL_READ_MS + (fast ? 0 : LEASE_MS));
  let before = -1;
  let until = Number.POSITIVE_INFINITY;
  for (let sent = 0; before < sent && performance.now() < until; ) {
    before = sent;
    for (const { organisation, underWay } of loads) {
      await Promise.all(underWay);
      await organisation.provider.settled();
    }
    until = Math.min(until, performance.now() + SETTLED_WITHIN_MS);
    await Promise.all(targets.map((target) => target.idle(until - performance.now())));
    sent = loads.reduce((sum, { organisation }) => sum + organisation.provider.deliveries.length, 0);
  }
  await Promise.all(loads.map(untilReachable));
}

/** Waits until the provider is no longer reported as down: each process keeps such a report for two minutes after its last attempt. */
async function untilReachable({ organisation }: Load): Promise<void> {
  const until = performance.now() + RECOVERY_MS;
  while (performance.now() < until && (await organisation.issueCodes()).includes("provider_down"))
    await sleep(500);
}
