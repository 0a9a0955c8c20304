import { sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { Health, Integration as IntegrationView } from "../../../../generated/operations/types.ts";
import type { Backlogs } from "../../backlog/backlogs.ts";
import type { Integration } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { activate, suspend } from "../../integrations/activate.ts";
import { changeIntegration } from "../../integrations/change.ts";
import { deleteIntegration } from "../../integrations/delete.ts";
import { discover, viewOfOutlet, viewOfRole, withSuggestions } from "../../integrations/discover.ts";
import { healthOf } from "../../integrations/health.ts";
import { requireIntegration } from "../../integrations/integration.ts";
import { type MappedList, OUTLETS, ROLES } from "../../integrations/mapped-lists.ts";
import { updateMappings } from "../../integrations/mappings.ts";
import { countRemaining, type Leaving, offboard } from "../../integrations/offboard.ts";
import { register } from "../../integrations/register.ts";
import { importRegistry } from "../../integrations/registry.ts";
import { rotatePlatformToken, storeProviderToken } from "../../integrations/rotate.ts";
import { detectRouting, routedIntegration } from "../../integrations/routing.ts";
import type { TokenOwners } from "../../integrations/tokens.ts";
import { requestVerification } from "../../verification/check.ts";
import { MAPPING_PROGRESS, type MappedQuery, mappedPage } from "../mapped-page.ts";
import { contains, countBeyond, countOf, page } from "../page.ts";
import { accepted, created, noContent, ok } from "../response.ts";

interface Sources {
  deps: Deps;
  owners: Pick<TokenOwners, "forget">;
  backlogs: Pick<Backlogs, "of">;
  allowInsecureProviders: boolean;
}

/** Integrations: their registration, mapping, checks, tokens and end. */
export function integrationHandlers({ deps, owners, backlogs, allowInsecureProviders }: Sources) {
  const { kysely } = deps.database;
  const readMapped = async (list: MappedList, providerId: string, query: MappedQuery) => {
    const { provider_id } = await requireIntegration(kysely, providerId);
    const { items, ...rest } = await mappedPage(kysely, list, provider_id, query);
    return { items: await withSuggestions(kysely, list, items), ...rest };
  };
  return {
    createIntegration: async ({ body }) => created(await register(deps, body, allowInsecureProviders)),
    listIntegrations: async ({ query }) => {
      const all = kysely
        .selectFrom("integrations")
        .selectAll()
        .select([OPEN_ISSUES.as("open_issues"), MAPPING_PROGRESS.as("mapping")])
        .where(contains(sql.ref("name"), query.search));
      return ok(
        await page(
          all,
          query,
          { id: "provider_id", ascending: true, where: { state: query.state } },
          ({ open_issues, mapping, ...row }) => ({
            ...viewOfIntegration(row),
            mapping,
            openIssues: countOf(open_issues, MOST_ISSUES),
          }),
        ),
      );
    },
    getIntegration: async ({ path }) => {
      const integration = await requireIntegration(kysely, path.providerId);
      const backlog = await backlogs.of(integration);
      const { health, offboarding, ...view } = viewOfIntegration(integration);
      const waiting = backlog.waiting.interactive + backlog.waiting.events;
      const remaining = await countRemaining(kysely, integration);
      const { mapping } = await kysely
        .selectFrom("integrations")
        .select(MAPPING_PROGRESS.as("mapping"))
        .where("provider_id", "=", integration.provider_id)
        .executeTakeFirstOrThrow();
      return ok({
        ...view,
        health: { ...health, waiting },
        backlog,
        mapping,
        ...(offboarding && { offboarding: { ...offboarding, remaining } }),
      });
    },
    changeIntegration: async ({ path, body }) =>
      ok(
        viewOfIntegration(
          await changeIntegration(deps, owners, path.providerId, body, allowInsecureProviders),
        ),
      ),
    deleteIntegration: async ({ path }) => {
      const leaving = await deleteIntegration(deps, owners, path.providerId);
      return leaving ? accepted(viewOfIntegration(leaving)) : noContent;
    },
    discoverIntegration: async ({ path }) =>
      ok(await discover(deps, await routedIntegration(deps, path.providerId))),
    listOutlets: async ({ path, query }) => {
      const { items, ...rest } = await readMapped(OUTLETS, path.providerId, query);
      return ok({ items: items.map(viewOfOutlet), ...rest });
    },
    listRoles: async ({ path, query }) => {
      const { items, ...rest } = await readMapped(ROLES, path.providerId, query);
      return ok({ items: items.map(viewOfRole), ...rest });
    },
    updateMappings: async ({ path, body }) => {
      const { provider_id } = await requireIntegration(kysely, path.providerId);
      return ok(await updateMappings(deps, provider_id, body));
    },
    importRegistry: async ({ path }) =>
      ok(await importRegistry(deps, await routedIntegration(deps, path.providerId))),
    activateIntegration: async ({ path }) => ok(viewOfIntegration(await activate(deps, path.providerId))),
    suspendIntegration: async ({ path }) => ok(viewOfIntegration(await suspend(deps, path.providerId))),
    offboardIntegration: async ({ path, body }) =>
      ok(viewOfIntegration(await offboard(deps, path.providerId, body.bookings))),
    verifyIntegration: async ({ path }) => {
      await detectRouting(deps, await requireIntegration(kysely, path.providerId));
      return accepted({ queued: await requestVerification(deps, path.providerId) });
    },
    rotateToken: async ({ path, body }) =>
      body.direction === "provider"
        ? ok(
            viewOfIntegration(
              await detectRouting(deps, await storeProviderToken(deps, path.providerId, body.providerToken)),
            ),
          )
        : created(await rotatePlatformToken(deps, owners, path.providerId, body.overlapHours)),
  } satisfies Partial<Handlers<undefined>>;
}

const MOST_ISSUES = 1_000;
const OPEN_ISSUES = countBeyond(
  MOST_ISSUES,
  sql`select 1 from issues where issues.provider_id = integrations.provider_id and resolved_at is null`,
);

/** What each state of health stops, and what ends it. */
const EFFECTS = {
  reachable: { paused: "nothing", resumes: "automatically" },
  unreachable: { paused: "all_calls", resumes: "automatically" },
  rate_limited: { paused: "all_calls", resumes: "automatically" },
  implausible: { paused: "deletions", resumes: "automatically" },
  token_rejected: { paused: "all_calls", resumes: "with_good_response" },
  mass_disappearance: { paused: "deletions", resumes: "with_operator" },
  route_missing: { paused: "one_operation", resumes: "automatically" },
} as const;

export function viewOfHealth(row: Integration): Health {
  const { code, since } = healthOf(row);
  const until = code === "rate_limited" ? row.health_until : null;
  return { code, since: since.toISOString(), ...EFFECTS[code], ...(until && { until: until.toISOString() }) };
}

export function viewOfIntegration(row: Integration): IntegrationView {
  return {
    providerId: row.provider_id,
    kind: row.kind,
    name: row.name,
    baseUrl: row.base_url,
    routing: row.routing,
    routingSource: row.routing_source,
    routingAttempts: row.routing_attempts,
    state: row.state,
    timeZone: row.time_zone,
    ...(row.language !== null && { language: row.language }),
    ...(row.contact_phone !== null && { contactPhone: row.contact_phone }),
    ...(row.checked_at && { checkedAt: row.checked_at.toISOString() }),
    dialect: row.dialect,
    health: viewOfHealth(row),
    createdAt: row.created_at.toISOString(),
    ...(row.offboarding &&
      row.offboarding_since && {
        offboarding: viewOfOffboarding(row, row.offboarding, row.offboarding_since),
      }),
  };
}

function viewOfOffboarding(row: Integration, bookings: Leaving, since: Date) {
  const requested = row.deletion_requested_at?.toISOString();
  return { bookings, since: since.toISOString(), ...(requested && { deletionRequestedAt: requested }) };
}
