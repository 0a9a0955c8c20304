import type { Handlers } from "../../../generated/operations/server.ts";
import type { Deps } from "../deps.ts";
import type { FieldUses } from "../integrations/field-uses.ts";
import { requireIntegration } from "../integrations/integration.ts";
import { importRegistry } from "../integrations/registry.ts";
import { providerReport } from "../integrations/report.ts";
import { rotatePlatformToken, takeProviderToken } from "../integrations/rotate.ts";
import { suspend } from "../integrations/suspend.ts";
import type { TokenOwners } from "../integrations/tokens.ts";
import { requestVerification } from "../verification/request.ts";
import { toView } from "./onboarding.ts";

type Operation =
  | "suspendIntegration"
  | "verifyIntegration"
  | "rotateToken"
  | "importRegistry"
  | "getProviderReport";

interface Parts {
  deps: Deps;
  fieldUses: Pick<FieldUses, "flush">;
}

/** What is done with an organisation that is registered. */
export function integrationHandlers(
  { deps, fieldUses }: Parts,
  owners: Pick<TokenOwners, "forget">,
): Pick<Handlers<undefined>, Operation> {
  return {
    suspendIntegration: async ({ path }) => ({
      status: 200,
      body: toView(await suspend(deps, path.providerId)),
    }),
    verifyIntegration: async ({ path }) => ({
      status: 202,
      body: { queued: await requestVerification(deps, path.providerId) },
    }),
    rotateToken: async ({ path, body }) => {
      if (body.direction === "provider") {
        const integration = await takeProviderToken(deps, path.providerId, body.providerToken);
        return { status: 200, body: toView(integration) };
      }
      const rotated = await rotatePlatformToken(deps, owners, path.providerId, body.overlapHours);
      return { status: 201, body: rotated };
    },
    importRegistry: async ({ path }) => {
      const integration = await requireIntegration(deps.database.kysely, path.providerId);
      return { status: 200, body: await importRegistry(deps, integration) };
    },
    getProviderReport: async ({ path }) => {
      await fieldUses.flush();
      return { status: 200, body: await providerReport(deps, path.providerId) };
    },
  };
}
