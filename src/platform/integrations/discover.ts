import type {
  DiscoveredOutlet,
  DiscoveredRole,
  Discovery,
  DiscoveryFault,
} from "../../../generated/operations/types.ts";
import type { Outlet, Role } from "../../../generated/provider/types.ts";
import type { Failure } from "../../clients/provider/answer.ts";
import type { ReadList } from "../../clients/provider/organisation.ts";
import { routingAttemptsText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { keptName } from "../../contract/storable-text.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { lockUnchangedIntegration } from "./integration.ts";
import {
  deleteListed,
  type Listed,
  lockListed,
  type MappedList,
  OUTLETS,
  ROLES,
  readOptions,
  storeListed,
} from "./mapped-lists.ts";
import { refreshWaiting } from "./mappings.ts";
import { readWithRetries } from "./retried-read.ts";
import { ADVICE, attemptOf } from "./routing.ts";
import { matcher, type Suggestion } from "./suggest.ts";

const MOST_FAULTS = 100;

/**
 * Reads the provider's outlets and roles, and maps those that certainly are a workplace or a competence.
 * @throws ProblemError provider_unavailable (502), integration_changed.
 */
export async function discover(deps: Deps, integration: Integration): Promise<Discovery> {
  const client = deps.clientFor(integration);
  const call = { traceId: deps.newTraceId() };
  const waiting = { waitsMs: deps.timing.onboardingRetriesMs };
  const [outlets, roles] = await Promise.all([
    readWithRetries(() => client.listOutlets(call), waiting),
    readWithRetries(() => client.listRoles(call), waiting),
  ]);
  if (outlets.kind !== "list") throw asProblem(integration, outlets, "outlets");
  if (roles.kind !== "list") throw asProblem(integration, roles, "roles");
  return transact(deps, async (trx) => {
    await lockUnchangedIntegration(trx, integration);
    const discovery = {
      outlets: (await storeAll(trx, OUTLETS, integration.providerId, outlets.items)).map((each) =>
        viewOfOutlet(each),
      ),
      roles: (await storeAll(trx, ROLES, integration.providerId, roles.items)).map((each) =>
        viewOfRole(each),
      ),
    };
    await refreshWaiting(trx, deps, integration.providerId);
    const faults = [...faultsIn("outlets", outlets.faults), ...faultsIn("roles", roles.faults)];
    return { ...discovery, ...(faults.length > 0 && { faults: faults.slice(0, MOST_FAULTS) }) };
  });
}

const faultsIn = (list: DiscoveryFault["list"], faults: ReadList<unknown>["faults"]): DiscoveryFault[] =>
  faults.map((fault) => ({ list, ...fault }));

function asProblem(integration: Integration, failure: Failure, what: "outlets" | "roles") {
  const call = routingAttemptsText([attemptOf(integration, `/${what}`, failure)]);
  return problem("provider_unavailable", {
    detail: `The provider's ${what} could not be read: ${call}. ${failure.kind === "refused" ? ADVICE : "Try again when the provider responds."}`,
  });
}

/** Returns the entries in the provider's order; if an id is listed twice, the last entry counts. */
async function storeAll(
  trx: Trx,
  list: MappedList,
  providerId: string,
  items: readonly (Outlet | Role)[],
): Promise<Listed[]> {
  const certain = matcher(await readOptions(trx, list));
  const rows = new Map(
    items.map((item) => {
      const address = "address" in item && item.address ? keptName(item.address) : null;
      const entry = { name: keptName(item.name), address };
      return [item.id, { id: item.id, ...entry, target: certain(entry) ?? null }];
    }),
  );
  const known = await lockListed(trx, list, providerId);
  const gone = known.flatMap(({ id, target }) => (target === null && !rows.has(id) ? [id] : []));
  if (gone.length > 0) await deleteListed(trx, list, providerId, gone);
  const stored = await storeListed(trx, list, providerId, [...rows.values()]);
  const byId = new Map(stored.map((each) => [each.id, each]));
  return [...rows.keys()].flatMap((id) => byId.get(id) ?? []);
}

export function viewOfOutlet(
  { id, name, address, target }: Listed,
  suggestions: readonly Suggestion[] = [],
): DiscoveredOutlet {
  const suggested = suggestions.map(({ id, ...rest }) => ({ workplaceId: id, ...rest }));
  return {
    outletId: id,
    name,
    address,
    ...(target !== null && { workplaceId: target }),
    suggestions: suggested,
  };
}

export function viewOfRole(
  { id, name, target }: Listed,
  suggestions: readonly Suggestion[] = [],
): DiscoveredRole {
  const suggested = suggestions.map(({ id, ...rest }) => ({ competenceId: id, ...rest }));
  return { roleId: id, name, ...(target !== null && { competenceId: target }), suggestions: suggested };
}
