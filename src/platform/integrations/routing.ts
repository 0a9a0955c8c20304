import type { Routing, RoutingAttempt, Subject } from "../../../generated/operations/types.ts";
import type { Failure } from "../../clients/provider/answer.ts";
import { baseUrlOf } from "../../clients/provider/client.ts";
import { routingAttemptsText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import { type Trx, transact } from "../transaction.ts";
import { readWithRetries } from "./clients.ts";
import { writeIntegration } from "./conditions.ts";
import { isSameConnection, lockIntegration, requireIntegration } from "./integration.ts";

/** Contract section 4.1, the recommended one first. */
const ROUTINGS = ["path", "header"] as const;

const ISSUE: { code: "provider_check_failed"; subject: Subject } = {
  code: "provider_check_failed",
  subject: { kind: "operation", operation: "listOutlets" },
};

export type Tried =
  | { kind: "found"; routing: Routing }
  /** `unavailable`: the same calls may succeed later. */
  | { kind: "refused" | "unavailable"; attempts: RoutingAttempt[]; retryAfterMs?: number };

/** A call that failed, for messages. */
export function attemptOf(
  integration: Pick<Integration, "providerId" | "baseUrl" | "routing">,
  path: string,
  failure: Failure,
): RoutingAttempt {
  const { providerId, baseUrl, routing } = integration;
  const call = { routing, url: `${baseUrlOf({ providerId, baseUrl, routing })}${path}` };
  const { status } = failure;
  const code = failure.kind === "refused" ? failure.code : failure.providerCode;
  return {
    ...call,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { providerCode: code }),
    ...(failure.kind === "unavailable" && { failure: failure.failure }),
    ...(failure.kind === "unavailable" && failure.pointers && { pointers: [...failure.pointers] }),
  };
}

/** Lists the outlets in each way at the same time. The first way of `routings` that returns a list is found. */
export async function tryRoutings(
  deps: Deps,
  integration: Integration,
  routings: readonly Routing[] = ROUTINGS,
): Promise<Tried> {
  const over = new AbortController();
  const call = { traceId: deps.newTraceId(), signal: over.signal };
  const calls = routings.map((routing) => ({
    routing,
    answering: deps.trialClientFor(integration, routing).listOutlets(call),
  }));
  const failures: { routing: Routing; failure: Failure }[] = [];
  for (const { routing, answering } of calls) {
    const answer = await answering;
    if (answer.kind === "list") {
      over.abort();
      return { kind: "found", routing };
    }
    failures.push({ routing, failure: answer });
  }
  const attempts = failures.map(({ routing, failure }) =>
    attemptOf({ ...integration, routing }, "/outlets", failure),
  );
  const waits = failures.flatMap(({ failure }) =>
    failure.kind === "unavailable" ? [failure.retryAfterMs ?? 0] : [],
  );
  if (waits.length === 0) return { kind: "refused", attempts };
  return { kind: "unavailable", attempts, retryAfterMs: Math.max(...waits) };
}

/**
 * Detects the routing of an integration, unless it is known. Returns the integration as it is then, with the attempts where none was found.
 * @param waitsMs the longest wait before each further try; one try unless given
 */
export async function detectRouting(
  deps: Deps,
  integration: Integration,
  waitsMs: readonly number[] = [],
): Promise<Integration> {
  if (integration.routingSource !== "pending") return integration;
  const tried = await readWithRetries(() => tryRoutings(deps, integration), { waitsMs });
  return transact(deps, async (trx) => {
    const now = await lockIntegration(trx, integration.providerId);
    // The change detects it, too.
    if (!isSameConnection(now, integration)) return now;
    return tried.kind === "found"
      ? noteFound(trx, deps, now, tried.routing)
      : noteNotFound(trx, deps, now, tried.attempts);
  });
}

async function noteFound(
  trx: Trx,
  deps: Deps,
  integration: Integration,
  routing: Routing,
): Promise<Integration> {
  const { providerId } = integration;
  await resolveRoutingIssue(trx, deps, providerId);
  const found = { routing, routingSource: "detected", routingAttempts: "[]" } as const;
  return writeIntegration(trx, providerId, { ...found, updatedAt: deps.now() });
}

async function noteNotFound(
  trx: Trx,
  deps: Deps,
  { providerId }: Integration,
  routingAttempts: RoutingAttempt[],
): Promise<Integration> {
  await raiseIssue(trx, deps, { ...ISSUE, providerId, params: { routingAttempts } });
  return writeIntegration(trx, providerId, { routingAttempts: JSON.stringify(routingAttempts) });
}

/** The provider is called in another way now, or in one that is known to work: an earlier failed check no longer applies. */
export async function resolveRoutingIssue(trx: Trx, deps: Deps, providerId: string): Promise<void> {
  await resolveIssues(trx, deps, { providerId, codes: [ISSUE.code] });
}

/**
 * Returns an integration whose routing is known, for an operator's request that calls the provider.
 * @throws ProblemError provider_not_found, provider_unavailable with what was tried.
 */
export async function routedIntegration(deps: Deps, providerId: string): Promise<Integration> {
  const integration = await requireIntegration(deps.database.kysely, providerId);
  const detected = await detectRouting(deps, integration, deps.timing.onboardingRetriesMs);
  if (detected.routingSource !== "pending") return detected;
  throw problem("provider_unavailable", { detail: undetectedText(detected) });
}

/** Why the routing is not known, and what to do. */
export function undetectedText({ routingAttempts }: Pick<Integration, "routingAttempts">): string {
  if (routingAttempts.length === 0) return "The routing is not detected yet. Try again.";
  return `No routing returned a list of outlets: ${routingAttemptsText(routingAttempts)}. ${ADVICE}`;
}

export const ADVICE = "Check the base URL, the providerId, and the provider token.";
