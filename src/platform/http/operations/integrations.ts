import { sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { Integration as IntegrationView } from "../../../../generated/operations/types.ts";
import type { Backlogs } from "../../backlog/backlogs.ts";
import { view } from "../../db/names.ts";
import type { Integration } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { activate, changeIntegration, suspend } from "../../integrations/change.ts";
import { healthOf, selectIntegrations } from "../../integrations/conditions.ts";
import { countRemaining, deleteIntegration, type Leaving, offboard } from "../../integrations/delete.ts";
import { discover, suggestionsFor, viewOfOutlet, viewOfRole } from "../../integrations/discover.ts";
import { requireIntegration } from "../../integrations/integration.ts";
import { type MappedList, OUTLETS, ROLES, updateMappings } from "../../integrations/mapped-lists.ts";
import { register } from "../../integrations/register.ts";
import { awaitImport, readImport, requestImport } from "../../integrations/registry/import.ts";
import { detectRouting, routedIntegration } from "../../integrations/routing.ts";
import { rotatePlatformToken, storeProviderToken, type TokenOwners } from "../../integrations/tokens.ts";
import { requestVerification } from "../../verification/check.ts";
import { accepted, created, doesNotWait, noContent, ok } from "../handlers.ts";
import { MAPPING_PROGRESS, type MappedQuery, mappedPage } from "../mapped-page.ts";
import { contains, countBeyond, countOf, page } from "../page.ts";

interface Sources {
  deps: Deps;
  owners: Pick<TokenOwners, "forget">;
  backlogs: Pick<Backlogs, "of">;
  allowInsecureProviders: boolean;
}

/** Integrations: their registration, mapping, checks, tokens and end. */
export function integrationHandlers({ deps, owners, backlogs, allowInsecureProviders }: Sources) {
  const { kysely } = deps.database;
  const readMapped = async (list: MappedList, id: string, query: MappedQuery) => {
    const { providerId } = await requireIntegration(kysely, id);
    const { items, ...rest } = await mappedPage(kysely, list, providerId, query);
    return { items, suggestions: await suggestionsFor(kysely, list, items), ...rest };
  };
  return {
    createIntegration: async ({ body }) => created(await register(deps, body, allowInsecureProviders)),
    listIntegrations: async ({ query }) => {
      const all = selectIntegrations(kysely)
        .select([OPEN_ISSUES.as("openIssues"), MAPPING_PROGRESS.as("mapping")])
        .where(contains(sql.ref("name"), query.search));
      return ok(
        await page(
          all,
          query,
          { id: "providerId", ascending: true, where: { state: query.state } },
          ({ openIssues, mapping, ...row }) => ({
            ...viewOfIntegration(row),
            mapping,
            openIssues: countOf(openIssues, MOST_ISSUES),
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
        .where("providerId", "=", integration.providerId)
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
      const { items, suggestions, ...rest } = await readMapped(OUTLETS, path.providerId, query);
      return ok({ items: items.map((each) => viewOfOutlet(each, suggestions.get(each.id))), ...rest });
    },
    listRoles: async ({ path, query }) => {
      const { items, suggestions, ...rest } = await readMapped(ROLES, path.providerId, query);
      return ok({ items: items.map((each) => viewOfRole(each, suggestions.get(each.id))), ...rest });
    },
    updateMappings: async ({ path, body }) => {
      const { providerId } = await requireIntegration(kysely, path.providerId);
      return ok(await updateMappings(deps, providerId, body));
    },
    getRegistryImport: async ({ path }) => ok(await readImport(kysely, path.providerId)),
    importRegistry: async ({ path, headers }) => {
      await requestImport(deps, path.providerId);
      return doesNotWait(headers.Prefer)
        ? accepted(await readImport(kysely, path.providerId))
        : ok(await awaitImport(deps, path.providerId));
    },
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

function viewOfIntegration(row: Integration): IntegrationView {
  return {
    ...view(row, ["providerId", "kind", "name", "baseUrl", "routing", "routingSource", "routingAttempts"]),
    ...view(row, ["state", "timeZone", "language", "contactPhone", "checkedAt", "dialect", "createdAt"]),
    health: healthOf(row),
    ...(row.offboarding &&
      row.offboardingSince && {
        offboarding: viewOfOffboarding(row, row.offboarding, row.offboardingSince),
      }),
  };
}

function viewOfOffboarding(row: Integration, bookings: Leaving, since: Date) {
  const requested = row.deletionRequestedAt?.toISOString();
  return { bookings, since: since.toISOString(), ...(requested && { deletionRequestedAt: requested }) };
}
