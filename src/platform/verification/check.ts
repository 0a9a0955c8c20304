import { sql } from "kysely";
import type { CheckFinding, Params, Subject } from "../../../generated/operations/types.ts";
import { failedCall, type Unavailable } from "../../clients/provider/answer.ts";
import { ProviderHttpError } from "../../clients/provider/http-error.ts";
import { withoutPeople } from "../../contract/personal-data.ts";
import { EVENTS_OF_PRESENCE } from "../../contract/shift.ts";
import { IS_LIVE, jsonTexts } from "../db/fragments.ts";
import type { Integration } from "../db/schema.ts";
import type { CheckProvider, Deps, ProviderFinding, Vault } from "../deps.ts";
import type { ProviderClients } from "../integrations/clients.ts";
import { isSameConnection, lockIntegration, requireIntegration } from "../integrations/integration.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import { failureParams } from "../step.ts";
import { type Trx, transact } from "../transaction.ts";
import { endClaim, markDue, PRIORITY, type Run } from "../work/rows.ts";

/**
 * Requests a check of the provider, whatever the state of the integration. Returns false if the platform has no check.
 * @throws ProblemError provider_not_found
 */
export async function requestVerification(deps: Deps, id: string): Promise<boolean> {
  return transact(deps, async (trx) => {
    const { providerId } = await lockIntegration(trx, id);
    if (!deps.checkProvider) return false;
    const due = { providerId, kind: "check", key: "", priority: PRIORITY.event } as const;
    markDue(trx, deps, [due]);
    return true;
  });
}

/** The next process continues with an interrupted check after this time. */
const AFTER_STOP_MS = 1_000;

/**
 * Checks a provider with calls that change nothing.
 * @param stopping aborts the check when the platform stops, because a check takes half a minute
 */
export const checkOnce =
  (deps: Deps, stopping: AbortSignal): Run =>
  async (claim, signal) => {
    const { providerId, priority } = claim;
    const integration = await requireIntegration(deps.database.kysely, providerId);
    const either = AbortSignal.any([signal, stopping]);
    const result = await Promise.race([findingsOf(deps, integration, either), aborted(either)]);
    // An aborted check proves nothing about the provider and is not an attempt. The worker still runs while requests in progress end.
    if (stopping.aborted) {
      const rest = { afterMs: AFTER_STOP_MS, attempts: claim.attempts - 1, priority };
      return transact(deps, (trx) => endClaim(trx, claim, rest));
    }
    signal.throwIfAborted();
    await transact(deps, async (trx) => {
      // The connection changed during the check. The change has requested another check.
      const isOutdated = !isSameConnection(await lockIntegration(trx, providerId), integration);
      if (isOutdated) return endClaim(trx, claim, { attempts: 0, priority });
      if (Array.isArray(result)) {
        await trx
          .updateTable("integrations")
          .set({ checkedAt: deps.now() })
          .where("providerId", "=", providerId)
          .execute();
        await noteFindings(trx, deps, providerId, result);
      }
      if (!Array.isArray(result))
        await noteCouldNotCheck(trx, deps, providerId, result && failureParams(result));
      endClaim(trx, claim, { attempts: 0, priority });
    });
  };

/** Returns a check of an integration, whose calls are subject to the platform's address guard and limits. */
export function createCheck(
  check: CheckProvider,
  clients: Pick<ProviderClients, "trialFetchFor">,
  vault: Vault,
): NonNullable<Deps["checkProvider"]> {
  return async (integration, { shiftId, signal }) => {
    const call = clients.trialFetchFor(integration, signal);
    let failed: unknown;
    const fetch: typeof call = (...request) =>
      call(...request).catch((error) => {
        failed = error;
        throw error;
      });
    const { baseUrl, providerId, routing } = integration;
    const token = vault.open(integration.providerToken);
    return check({
      baseUrl,
      providerId,
      token,
      routing,
      fetch,
      signal,
      ...(shiftId !== undefined && { shiftId }),
    }).catch((error) => {
      if (error instanceof ProviderHttpError || failed === undefined) throw error;
      // The kit describes the failure for people; the issue has a code for it.
      throw new Error(String(error), { cause: failed });
    });
  };
}

/** Returns the failed call if the check could not be made, or undefined if no call was the cause. */
async function findingsOf(
  deps: Deps,
  integration: Integration,
  signal: AbortSignal,
): Promise<ProviderFinding[] | Unavailable | undefined> {
  try {
    const shiftId = await shiftToRead(deps, integration, signal);
    return (await deps.checkProvider?.(integration, { shiftId, signal })) ?? [];
  } catch (error) {
    deps.log.warn({ err: error, providerId: integration.providerId }, "the provider could not be checked");
    return failedCallOf(error);
  }
}

function failedCallOf(error: unknown): Unavailable | undefined {
  if (error instanceof ProviderHttpError) return failedCall(error);
  return error instanceof Error && error.cause !== undefined ? failedCallOf(error.cause) : undefined;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** How many shifts of each kind are tried: an old one may be gone. */
const MAX_TRIES = 3;

/** Returns a shift that the provider has now, with which the reading of shifts is checked. */
async function shiftToRead(deps: Deps, integration: Integration, signal: AbortSignal) {
  const client = deps.clientFor(integration, false);
  for (const shiftId of await shiftsOf(deps, integration.providerId)) {
    const read = await client.getShift(shiftId, { traceId: deps.newTraceId(), signal });
    if (read.kind === "unusable") return shiftId;
    // As the provider spells it.
    if (read.kind === "shift" && !read.shift.cancelled) return read.shift.id;
  }
  return undefined;
}

/** Returns shifts of future jobs, then of the last events, which may still wait when the integration is activated. */
async function shiftsOf({ database, now }: Deps, providerId: string): Promise<string[]> {
  const jobs = await database.kysely
    .selectFrom("jobs")
    .select("shiftId")
    .where("providerId", "=", providerId)
    .where(IS_LIVE)
    .where("startTime", ">", now())
    .orderBy("startTime")
    .limit(MAX_TRIES)
    .execute();
  const events = await database.kysely
    .selectFrom("allEvents")
    .select("shiftId")
    .where("providerId", "=", providerId)
    .where("event", "in", EVENTS_OF_PRESENCE)
    .orderBy("eventId", "desc")
    .limit(MAX_TRIES)
    .execute();
  return [...new Set([...jobs, ...events].map(({ shiftId }) => shiftId))];
}

const FOUND = "provider_check";
const FAILED = "provider_check_failed";
const SUBJECT: Subject = { kind: "integration" };
/** The longest text of a finding. Characters. */
const LONGEST = 1_000;
const FINDINGS_AT_MOST = 10;

/** Raises an issue for each kind of finding of an operation, and resolves those of earlier checks that were not found again. */
async function noteFindings(
  trx: Trx,
  deps: Deps,
  providerId: string,
  findings: readonly ProviderFinding[],
): Promise<void> {
  const byKind = Map.groupBy(findings, ({ code, operation }) => `${operation} ${code}`);
  await resolveIssues(trx, deps, { providerId, codes: [FAILED], subject: SUBJECT });
  const isNoLongerFound = sql<boolean>`(subject ->> 'operation') || ' ' || (subject ->> 'finding') <> all (
    array(select ${jsonTexts([...byKind.keys()])}))`;
  await resolveIssues(trx, deps, { providerId, codes: [FOUND], where: isNoLongerFound });
  for (const group of byKind.values()) {
    const [first] = group;
    if (!first) continue;
    const subject: Subject = { kind: "operation", operation: first.operation, finding: first.code };
    const params = { findings: group.slice(0, FINDINGS_AT_MOST).map(viewOf) };
    await raiseIssue(trx, deps, { code: FOUND, providerId, subject, params });
  }
}

/** Raises an issue about a check that could not be made. The findings of earlier checks stay. */
async function noteCouldNotCheck(
  trx: Trx,
  deps: Deps,
  providerId: string,
  params: Params = {},
): Promise<void> {
  await raiseIssue(trx, deps, { code: FAILED, providerId, subject: SUBJECT, params });
}

function viewOf({ severity, section, reproduce, ...finding }: ProviderFinding): CheckFinding {
  return {
    severity,
    section,
    title: storable(finding.title),
    fix: storable(finding.fix),
    expected: storable(finding.expected),
    actual: storable(finding.actual),
    ...(reproduce !== "" && { reproduce: storable(reproduce) }),
  };
}

/** Removes personal data, which the response of a look-up may contain, and U+0000, which PostgreSQL cannot store. */
function storable(text: string): string {
  return withoutPeople(text).replaceAll("\0", "\\0").slice(0, LONGEST);
}
