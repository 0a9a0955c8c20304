import type { CheckProvider, Deps, Vault } from "../deps.ts";
import type { ProviderClients } from "../integrations/clients.ts";

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
