import type { Updateable } from "kysely";
import type { FieldError, IntegrationChange } from "../../../generated/operations/types.ts";
import { routingAttemptsText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { escapeStep } from "../../runtime/pointer.ts";
import { changesOf } from "../access/audit.ts";
import type { Integration, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { resolveIssues } from "../issues.ts";
import { type Trx, transact } from "../transaction.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { markDue, PRIORITY } from "../work/rows.ts";
import { end, writeIntegration } from "./conditions.ts";
import { requireStaying } from "./delete.ts";
import { lockIntegration, requireIntegration } from "./integration.ts";
import { OUTLETS, ROLES, readListed } from "./mapped-lists.ts";
import { checkConnection, requireTokenOfOrigin } from "./register.ts";
import { ADVICE, detectRouting, resolveRoutingIssue, tryRoutings, undetectedText } from "./routing.ts";
import type { TokenOwners } from "./tokens.ts";

type Columns = Updateable<Schema["integrations"]>;

/** Attempts, because other changes may come in between. */
const TRIES = 3;

/** For so long webhooks may still come to the path of the kind before. */
const FORMER_KIND_MS = 30 * 24 * 3_600_000;

/**
 * Changes a registration. The routing of a draft is detected again where that is needed; any other integration is called otherwise only if
 * that works.
 * @throws ProblemError validation_failed, provider_not_found, integration_changed, provider_unavailable.
 */
export async function changeIntegration(
  deps: Deps,
  owners: Pick<TokenOwners, "forget">,
  providerId: string,
  change: IntegrationChange,
  allowInsecure: boolean,
): Promise<Integration> {
  await checkConnection(deps, change, allowInsecure);
  for (let left = TRIES; left > 0; left -= 1) {
    const before = await requireIntegration(deps.database.kysely, providerId);
    const columns = await columnsOf(deps, before, change);
    const changed = await transact(deps, async (trx) => {
      const now = await lockIntegration(trx, providerId);
      if (!isUnchanged(now, before)) return undefined;
      const changed = await write(trx, deps, before, columns);
      deps.audit?.note({ changes: changesOf(auditedFields(before), auditedFields(changed)) });
      return changed;
    });
    if (!changed) continue;
    owners.forget(changed.providerId);
    deps.log.info(
      { providerId: changed.providerId, changed: Object.keys(change) },
      "an integration was changed",
    );
    return detectRouting(deps, changed);
  }
  throw problem("integration_changed", {
    detail: "Other changes were made at the same time. This one was not applied.",
  });
}

const auditedFields = (integration: Integration) => ({
  kind: integration.kind,
  name: integration.name,
  baseUrl: integration.baseUrl,
  routing: integration.routing,
  routingSource: integration.routingSource,
  timeZone: integration.timeZone,
  language: integration.language,
  contactPhone: integration.contactPhone,
});

/** Sealing the same token gives a different text each time, also within one millisecond. */
const isUnchanged = (now: Integration, before: Integration) =>
  now.updatedAt.getTime() === before.updatedAt.getTime() &&
  now.state === before.state &&
  now.providerToken === before.providerToken;

async function columnsOf(deps: Deps, before: Integration, change: IntegrationChange): Promise<Columns> {
  const { kind, name, baseUrl, timeZone, language, contactPhone, providerToken } = change;
  requireTokenOfOrigin(before.baseUrl, change);
  const isMoved = baseUrl !== undefined && baseUrl !== before.baseUrl;
  const columns: Columns = {
    ...kindColumns(deps, before, kind),
    ...(name !== undefined && { name }),
    ...(timeZone !== undefined && { timeZone }),
    ...(language !== undefined && { language }),
    ...(contactPhone !== undefined && { contactPhone }),
    ...(providerToken !== undefined && { providerToken: deps.vault.seal(providerToken) }),
    // Another system may speak another dialect.
    ...(isMoved && { baseUrl, dialect: "{}", listsBooked: false }),
    ...routingOf(before, change, isMoved),
    // Each change its own time, also within one millisecond.
    updatedAt: new Date(Math.max(deps.now().getTime(), before.updatedAt.getTime() + 1)),
  };
  return before.state === "draft" ? columns : proven(deps, before, columns);
}

function kindColumns({ now }: Deps, before: Integration, kind: string | undefined): Columns {
  if (kind === undefined || kind === before.kind) return {};
  if (before.state === "draft") return { kind };
  const formerKindUntil = new Date(now().getTime() + FORMER_KIND_MS);
  return { kind, formerKind: before.kind, formerKindUntil };
}

const UNKNOWN = { routingSource: "pending", routingAttempts: "[]" } as const;

function routingOf(
  { routingSource }: Integration,
  { routing }: IntegrationChange,
  isMoved: boolean,
): Columns {
  if (routing === "auto") return UNKNOWN;
  if (routing !== undefined) return { routing, routingSource: "given", routingAttempts: "[]" };
  return isMoved && routingSource !== "given" ? UNKNOWN : {};
}

/** Calls the provider as it is to be called from now on. */
async function proven(deps: Deps, before: Integration, columns: Columns): Promise<Columns> {
  if (!isCalledOtherwise(columns)) return columns;
  const next = { ...before, ...columns } as Integration;
  const isKnown = next.routingSource !== "pending";
  const tried = await tryRoutings(deps, next, isKnown ? [next.routing] : undefined);
  if (tried.kind !== "found")
    throw problem("provider_unavailable", {
      detail: `Nothing was changed, because the provider returned no list of outlets: ${routingAttemptsText(tried.attempts)}. ${ADVICE}`,
    });
  return isKnown ? columns : { ...columns, routing: tried.routing, routingSource: "detected" };
}

const isCalledOtherwise = ({ baseUrl, providerToken, routingSource }: Columns) =>
  [baseUrl, providerToken, routingSource].some((column) => column !== undefined);

async function write(trx: Trx, deps: Deps, before: Integration, columns: Columns): Promise<Integration> {
  const { providerId, state } = before;
  if (isCalledOtherwise(columns)) {
    await resolveRoutingIssue(trx, deps, providerId);
    await end(trx, deps, providerId, "token_rejected");
    if (state === "draft") await forgetUnmapped(trx, providerId, columns);
    else await callAgain(trx, deps, providerId);
  }
  // A time without offset means another one now.
  if (state === "active" && columns.timeZone !== undefined && columns.timeZone !== before.timeZone)
    markRefreshDue(trx, deps, [{ providerId, key: "reread" }]);
  return writeIntegration(trx, providerId, columns);
}

/** Nothing needs what another system has listed. */
async function forgetUnmapped(trx: Trx, providerId: string, { baseUrl }: Columns): Promise<void> {
  if (baseUrl === undefined) return;
  await trx
    .deleteFrom("outlets")
    .where("providerId", "=", providerId)
    .where("workplaceId", "is", null)
    .execute();
  await trx
    .deleteFrom("roles")
    .where("providerId", "=", providerId)
    .where("competenceId", "is", null)
    .execute();
}

async function callAgain(trx: Trx, deps: Deps, providerId: string): Promise<void> {
  markRefreshDue(trx, deps, [{ providerId, key: "responds" }]);
  if (deps.checkProvider)
    markDue(trx, deps, [{ providerId, kind: "check", key: "", priority: PRIORITY.event }]);
}

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

/** Activates or suspends an integration that the transaction has locked. */
async function setState(
  trx: Trx,
  { now, audit }: Pick<Deps, "now" | "audit">,
  integration: Integration,
  state: Integration["state"],
): Promise<Integration> {
  // An organisation that is activated again does not leave.
  const stays = state === "active" && { offboarding: null, offboardingSince: null };
  audit?.note({ changes: [{ field: "state", before: integration.state, after: state }] });
  return writeIntegration(trx, integration.providerId, { state, updatedAt: now(), ...stays });
}
