import type { Handlers } from "../../../generated/operations/server.ts";
import type { Health, Integration as IntegrationView } from "../../../generated/operations/types.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { activate } from "../integrations/activate.ts";
import { discover, readDiscovered } from "../integrations/discover.ts";
import { healthOf } from "../integrations/health.ts";
import { requireIntegration } from "../integrations/integration.ts";
import { updateMappings } from "../integrations/mappings.ts";
import { register } from "../integrations/register.ts";
import { page } from "./pages.ts";

type Onboarding = Pick<
  Handlers<undefined>,
  | "createIntegration"
  | "listIntegrations"
  | "getIntegration"
  | "discoverIntegration"
  | "getMappings"
  | "updateMappings"
  | "activateIntegration"
  | "createWorkplace"
  | "listWorkplaces"
  | "createCompetence"
  | "listCompetences"
>;

interface Parts {
  deps: Deps;
  allowInsecureProviders: boolean;
}

/** From registering an organisation to activating it. */
export function onboardingHandlers({ deps, allowInsecureProviders }: Parts): Onboarding {
  const { kysely } = deps.database;
  return {
    createIntegration: async ({ body }) => ({
      status: 201,
      body: await register(deps, body, allowInsecureProviders),
    }),
    listIntegrations: async ({ query }) => {
      const all = kysely.selectFrom("integrations").selectAll();
      return { status: 200, body: await page(all, query, { id: "provider_id", ascending: true }, toView) };
    },
    getIntegration: async ({ path }) => {
      const view = toView(await requireIntegration(kysely, path.providerId));
      const waiting = await countWaiting(deps, view.providerId);
      return { status: 200, body: { ...view, health: { ...view.health, waiting } } };
    },
    discoverIntegration: async ({ path }) => {
      const integration = await requireIntegration(kysely, path.providerId);
      return { status: 200, body: await discover(deps, integration) };
    },
    getMappings: async ({ path }) => {
      const { provider_id } = await requireIntegration(kysely, path.providerId);
      return { status: 200, body: await readDiscovered(kysely, provider_id) };
    },
    updateMappings: async ({ path, body }) => {
      const { provider_id } = await requireIntegration(kysely, path.providerId);
      return { status: 200, body: await updateMappings(deps, provider_id, body) };
    },
    activateIntegration: async ({ path }) => ({
      status: 200,
      body: toView(await activate(deps, path.providerId)),
    }),
    ...platformHandlers(deps),
  };
}

type Platforms = "createWorkplace" | "listWorkplaces" | "createCompetence" | "listCompetences";

/** What is the platform's own, and outlets and roles are mapped to. */
function platformHandlers({ database: { kysely }, newId, now }: Deps): Pick<Onboarding, Platforms> {
  return {
    createWorkplace: async ({ body: { name, address = null } }) => {
      const workplaceId = newId();
      const row = { workplace_id: workplaceId, name, address, created_at: now() };
      await kysely.insertInto("workplaces").values(row).execute();
      return { status: 201, body: { workplaceId, name, address } };
    },
    listWorkplaces: async ({ query }) => {
      const all = kysely.selectFrom("workplaces").select(["workplace_id", "name", "address"]);
      const body = await page(all, query, { id: "workplace_id" }, ({ workplace_id, ...rest }) => ({
        ...{ workplaceId: workplace_id, ...rest },
      }));
      return { status: 200, body };
    },
    createCompetence: async ({ body: { name } }) => {
      const competenceId = newId();
      const row = { competence_id: competenceId, name, created_at: now() };
      await kysely.insertInto("competences").values(row).execute();
      return { status: 201, body: { competenceId, name } };
    },
    listCompetences: async ({ query }) => {
      const all = kysely.selectFrom("competences").select(["competence_id", "name"]);
      const body = await page(all, query, { id: "competence_id" }, ({ competence_id, name }) => ({
        ...{ competenceId: competence_id, name },
      }));
      return { status: 200, body };
    },
  };
}

/** Shifts and people that wait for the provider. */
async function countWaiting({ database }: Deps, providerId: string): Promise<number> {
  const { waiting } = await database.kysely
    .selectFrom("work")
    .select(({ fn }) => fn.countAll<number>().as("waiting"))
    .where("provider_id", "=", providerId)
    .where("kind", "in", ["shift", "person"])
    .where("priority", "<", 2)
    .executeTakeFirstOrThrow();
  return waiting;
}

/** What each state of health stops, and what ends it. */
const EFFECTS = {
  reachable: { paused: "nothing", resumes: "automatically" },
  unreachable: { paused: "all_calls", resumes: "automatically" },
  rate_limited: { paused: "all_calls", resumes: "automatically" },
  implausible: { paused: "deletions", resumes: "automatically" },
  token_rejected: { paused: "all_calls", resumes: "with_good_response" },
  mass_disappearance: { paused: "deletions", resumes: "with_operator" },
} as const;

function viewOfHealth(row: Integration): Health {
  const { code, since } = healthOf(row);
  const until = code === "rate_limited" ? row.health_until : null;
  return { code, since: since.toISOString(), ...EFFECTS[code], ...(until && { until: until.toISOString() }) };
}

export function toView(row: Integration): IntegrationView {
  return {
    providerId: row.provider_id,
    kind: row.kind,
    name: row.name,
    baseUrl: row.base_url,
    routing: row.routing,
    state: row.state,
    timeZone: row.time_zone,
    dialect: row.dialect,
    health: viewOfHealth(row),
    createdAt: row.created_at.toISOString(),
  };
}
