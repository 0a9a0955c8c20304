import type { Updateable } from "kysely";
import type { IntegrationChange } from "../../../generated/operations/types.ts";
import { routingAttemptsText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { changesOf } from "../access/audit.ts";
import type { Integration, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { markDue, PRIORITY } from "../work/due.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { checkConnection, requireTokenOfOrigin } from "./connection.ts";
import { resumeCalls } from "./health.ts";
import { lockIntegration, requireIntegration, writeIntegration } from "./integration.ts";
import { ADVICE, detectRouting, resolveRoutingIssue, tryRoutings } from "./routing.ts";
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
  checkConnection(change, allowInsecure);
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
    owners.forget(changed.provider_id);
    deps.log.info(
      { providerId: changed.provider_id, changed: Object.keys(change) },
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
  baseUrl: integration.base_url,
  routing: integration.routing,
  routingSource: integration.routing_source,
  timeZone: integration.time_zone,
  language: integration.language,
  contactPhone: integration.contact_phone,
});

/** Sealing the same token gives a different text each time, also within one millisecond. */
const isUnchanged = (now: Integration, before: Integration) =>
  now.updated_at.getTime() === before.updated_at.getTime() &&
  now.state === before.state &&
  now.provider_token === before.provider_token;

async function columnsOf(deps: Deps, before: Integration, change: IntegrationChange): Promise<Columns> {
  const { kind, name, baseUrl, timeZone, language, contactPhone, providerToken } = change;
  requireTokenOfOrigin(before.base_url, change);
  const isMoved = baseUrl !== undefined && baseUrl !== before.base_url;
  const columns: Columns = {
    ...kindColumns(deps, before, kind),
    ...(name !== undefined && { name }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(language !== undefined && { language }),
    ...(contactPhone !== undefined && { contact_phone: contactPhone }),
    ...(providerToken !== undefined && { provider_token: deps.vault.seal(providerToken) }),
    // Another system may speak another dialect.
    ...(isMoved && { base_url: baseUrl, dialect: "{}", lists_booked: false }),
    ...routingOf(before, change, isMoved),
    // Each change its own time, also within one millisecond.
    updated_at: new Date(Math.max(deps.now().getTime(), before.updated_at.getTime() + 1)),
  };
  return before.state === "draft" ? columns : proven(deps, before, columns);
}

function kindColumns({ now }: Deps, before: Integration, kind: string | undefined): Columns {
  if (kind === undefined || kind === before.kind) return {};
  if (before.state === "draft") return { kind };
  const former_kind_until = new Date(now().getTime() + FORMER_KIND_MS);
  return { kind, former_kind: before.kind, former_kind_until };
}

const UNKNOWN = { routing_source: "pending", routing_attempts: "[]" } as const;

function routingOf(
  { routing_source }: Integration,
  { routing }: IntegrationChange,
  isMoved: boolean,
): Columns {
  if (routing === "auto") return UNKNOWN;
  if (routing !== undefined) return { routing, routing_source: "given", routing_attempts: "[]" };
  return isMoved && routing_source !== "given" ? UNKNOWN : {};
}

/** Calls the provider as it is to be called from now on. */
async function proven(deps: Deps, before: Integration, columns: Columns): Promise<Columns> {
  if (!isCalledOtherwise(columns)) return columns;
  const next = { ...before, ...columns } as Integration;
  const isKnown = next.routing_source !== "pending";
  const tried = await tryRoutings(deps, next, isKnown ? [next.routing] : undefined);
  if (tried.kind !== "found")
    throw problem("provider_unavailable", {
      detail: `Nothing was changed, because the provider returned no list of outlets: ${routingAttemptsText(tried.attempts)}. ${ADVICE}`,
    });
  return isKnown ? columns : { ...columns, routing: tried.routing, routing_source: "detected" };
}

const isCalledOtherwise = ({ base_url, provider_token, routing_source }: Columns) =>
  [base_url, provider_token, routing_source].some((column) => column !== undefined);

async function write(trx: Trx, deps: Deps, before: Integration, columns: Columns): Promise<Integration> {
  const { provider_id: providerId, state } = before;
  if (isCalledOtherwise(columns)) {
    await resolveRoutingIssue(trx, deps, providerId);
    await resumeCalls(trx, deps, providerId);
    if (state === "draft") await forgetUnmapped(trx, providerId, columns);
    else await callAgain(trx, deps, providerId);
  }
  // A time without offset means another one now.
  if (state === "active" && columns.time_zone !== undefined && columns.time_zone !== before.time_zone)
    markRefreshDue(trx, deps, [{ providerId, key: "reread" }]);
  return writeIntegration(trx, providerId, columns);
}

/** Nothing needs what another system has listed. */
async function forgetUnmapped(trx: Trx, providerId: string, { base_url }: Columns): Promise<void> {
  if (base_url === undefined) return;
  await trx
    .deleteFrom("outlets")
    .where("provider_id", "=", providerId)
    .where("workplace_id", "is", null)
    .execute();
  await trx
    .deleteFrom("roles")
    .where("provider_id", "=", providerId)
    .where("competence_id", "is", null)
    .execute();
}

async function callAgain(trx: Trx, deps: Deps, providerId: string): Promise<void> {
  markRefreshDue(trx, deps, [{ providerId, key: "responds" }]);
  if (deps.checkProvider)
    markDue(trx, deps, [{ providerId, kind: "check", key: "", priority: PRIORITY.event }]);
}
