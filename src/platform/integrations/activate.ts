import type { FieldError } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { escapeStep } from "../../runtime/pointer.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { resolveIssues } from "../issues.ts";
import { type Trx, transact } from "../transaction.ts";
import { markDue, PRIORITY } from "../work/due.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { setState } from "./health.ts";
import { lockIntegration, requireIntegration } from "./integration.ts";
import { OUTLETS, ROLES, readListed } from "./mapped-lists.ts";
import { requireStaying } from "./offboard.ts";
import { detectRouting, undetectedText } from "./routing.ts";

/**
 * Activates an integration whose outlets and roles are all mapped (contract section 1, "Entity mapping before activation"), or a
 * suspended one: that needs no mapping, because a job whose outlet or role is new waits for it anyway. A routing that is not known is detected
 * first.
 * @throws ProblemError provider_not_found, integration_deleting, not_ready with what is missing in `errors`.
 */
export async function activate(deps: Deps, providerId: string): Promise<Integration> {
  await detectRouting(deps, await requireIntegration(deps.database.kysely, providerId));
  return transact(deps, async (trx) => {
    const integration = await lockIntegration(trx, providerId);
    requireStaying(integration);
    const errors = [
      ...whatIsUndetected(integration),
      ...(integration.state === "draft" ? await whatIsMissing(trx, providerId) : []),
    ];
    if (errors.length > 0)
      throw problem("not_ready", { detail: "Fix or map what `errors` lists, then activate again.", errors });
    if (integration.state === "active") return integration;
    await resumeWaiting(trx, deps, integration.providerId);
    return setState(trx, deps, integration, "active");
  });
}

/** Waiting work continues, and jobs that were not offered while the integration was suspended are offered now. */
async function resumeWaiting(trx: Trx, deps: Deps, providerId: string): Promise<void> {
  markRefreshDue(trx, deps, [{ providerId, key: "activated" }]);
  if (deps.checkProvider)
    markDue(trx, deps, [{ providerId, kind: "check", key: "", priority: PRIORITY.event }]);
}

function whatIsUndetected(integration: Integration): FieldError[] {
  if (integration.routingSource !== "pending") return [];
  return [{ pointer: "/routing", message: undetectedText(integration) }];
}

async function whatIsMissing(trx: Trx, providerId: string): Promise<FieldError[]> {
  const missing: FieldError[] = [];
  for (const list of [OUTLETS, ROLES]) {
    const pointer = `/${list.table}`;
    const listed = await readListed(trx, list, providerId);
    if (listed.length === 0) missing.push({ pointer, message: "none is known: discover them first" });
    for (const { id, name, target } of listed)
      if (target === null)
        missing.push({ pointer: `${pointer}/${escapeStep(id)}`, message: `${name} is not mapped` });
  }
  return missing;
}

/**
 * Suspends an active integration until it is activated again. Its webhooks are stored and wait, and its jobs take no new bookings. Decision:
 * a draft stays a draft, because nothing of it runs and its activation must still ask for the mappings.
 * @throws ProblemError provider_not_found
 */
export async function suspend(deps: Deps, providerId: string): Promise<Integration> {
  return transact(deps, async (trx) => {
    const integration = await lockIntegration(trx, providerId);
    if (integration.state !== "active") return integration;
    // A suspended provider may be quiet, and no later round would close the issue.
    await resolveIssues(trx, deps, { providerId: integration.providerId, codes: ["provider_quiet"] });
    return setState(trx, deps, integration, "suspended");
  });
}
