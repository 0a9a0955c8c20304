import { EVENTS_OF_PRESENCE } from "../../contract/shift-event.ts";
import type { Integration } from "../db/schema.ts";
import type { CheckProvider, Deps, ProviderFinding, Vault } from "../deps.ts";
import type { ProviderClients } from "../integrations/clients.ts";
import { isSameConnection, lockIntegration, requireIntegration } from "../integrations/integration.ts";
import { transact } from "../transaction.ts";
import { endClaim } from "../work/claims.ts";
import { markDue, PRIORITY } from "../work/due.ts";
import type { Run } from "../work/worker.ts";
import { noteCouldNotCheck, noteFindings } from "./findings.ts";

/**
 * Asks for a check of the provider, in whatever state the integration is. Returns false where the platform has no check.
 * @throws ProblemError provider_not_found
 */
export async function requestVerification(deps: Deps, providerId: string): Promise<boolean> {
  return transact(deps, async (trx) => {
    const { provider_id } = await lockIntegration(trx, providerId);
    if (!deps.checkProvider) return false;
    const due = { providerId: provider_id, kind: "check", key: "", priority: PRIORITY.event } as const;
    await markDue(trx, deps, [due]);
    return true;
  });
}

const AFTER_THE_STOP_MS = 1_000;

/**
 * Checks a provider with calls that change nothing.
 * @param stopping a check takes half a minute: the platform's stop does not wait for it
 */
export const checkOnce =
  (deps: Deps, stopping: AbortSignal): Run =>
  async (claim, signal) => {
    const { providerId, priority } = claim;
    const integration = await requireIntegration(deps.database.kysely, providerId);
    const either = AbortSignal.any([signal, stopping]);
    const findings = await Promise.race([findingsOf(deps, integration, either), aborted(either)]);
    // An aborted check says nothing of the provider, and is no attempt. The worker still runs while the requests under way are answered.
    if (stopping.aborted) {
      const rest = { afterMs: AFTER_THE_STOP_MS, attempts: claim.attempts - 1, priority };
      return transact(deps, (trx) => endClaim(trx, claim, rest));
    }
    signal.throwIfAborted();
    await transact(deps, async (trx) => {
      // What was checked is not how the provider is called now: the change has asked for another check.
      const isOutdated = !isSameConnection(await lockIntegration(trx, providerId), integration);
      if (isOutdated) return endClaim(trx, claim, { attempts: 0, priority });
      if (findings) await noteFindings(trx, deps, providerId, findings);
      else await noteCouldNotCheck(trx, deps, providerId);
      await endClaim(trx, claim, { attempts: 0, priority });
    });
  };

/** Checks an integration as it is registered, by calls under the platform's own guard and limits. */
export function createCheck(
  check: CheckProvider,
  clients: Pick<ProviderClients, "fetchFor">,
  vault: Vault,
): NonNullable<Deps["checkProvider"]> {
  return (integration, { shiftId, signal }) =>
    check({
      baseUrl: integration.base_url,
      providerId: integration.provider_id,
      token: vault.open(integration.provider_token),
      routing: integration.routing,
      fetch: clients.fetchFor(integration, signal),
      ...(shiftId !== undefined && { shiftId }),
    });
}

/** Undefined when the check could not be made. */
async function findingsOf(
  deps: Deps,
  integration: Integration,
  signal: AbortSignal,
): Promise<ProviderFinding[] | undefined> {
  try {
    const shiftId = await shiftToRead(deps, integration, signal);
    return (await deps.checkProvider?.(integration, { shiftId, signal })) ?? [];
  } catch (error) {
    deps.log.warn({ err: error, providerId: integration.provider_id }, "the provider could not be checked");
    return undefined;
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** Rows that are tried: an old one may be of a shift that is gone. */
const MOST_TRIES = 3;

/** Returns a shift that the provider has now: without one, its shifts cannot be checked. */
async function shiftToRead(deps: Deps, integration: Integration, signal: AbortSignal) {
  const client = deps.clientFor(integration, false);
  for (const shiftId of await shiftsOf(deps, integration.provider_id)) {
    const read = await client.getShift(shiftId, { traceId: deps.newTraceId(), signal });
    if (read.kind === "unusable") return shiftId;
    // As the provider spells it.
    if (read.kind === "shift" && !read.shift.cancelled) return read.shift.id;
  }
  return undefined;
}

/** Shifts of future jobs, then of the last events, which may still wait when the integration is activated. */
async function shiftsOf({ database, now }: Deps, providerId: string): Promise<string[]> {
  const jobs = await database.kysely
    .selectFrom("jobs")
    .select("shift_id")
    .where("provider_id", "=", providerId)
    .where("status", "in", ["open", "filled", "blocked_mapping"])
    .where("start_time", ">", now())
    .orderBy("start_time")
    .limit(MOST_TRIES)
    .execute();
  const events = await database.kysely
    .selectFrom("all_events")
    .select("shift_id")
    .where("provider_id", "=", providerId)
    .where("event", "in", EVENTS_OF_PRESENCE)
    .orderBy("event_id", "desc")
    .limit(MOST_TRIES)
    .execute();
  return [...new Set([...jobs, ...events].map(({ shift_id }) => shift_id))];
}
