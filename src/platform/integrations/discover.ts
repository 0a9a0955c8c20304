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
import type { Database } from "../db/database.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { lockUnchangedIntegration } from "./integration.ts";
import {
  deleteListed,
  type Listed,
  type MappedList,
  OUTLETS,
  ROLES,
  readListed,
  readOptions,
  storeListed,
} from "./mapped-lists.ts";
import { refreshWaiting } from "./mappings.ts";
import { readWithRetries } from "./retried-read.ts";
import { ADVICE, attemptOf } from "./routing.ts";
import { type Suggestion, suggester } from "./suggest.ts";

const MOST_FAULTS = 100;

/**
 * Reads the provider's outlets and roles, maps those that certainly are a workplace or a competence, and suggests the rest.
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
      outlets: (await storeAll(trx, OUTLETS, integration.provider_id, outlets.items)).map(viewOfOutlet),
      roles: (await storeAll(trx, ROLES, integration.provider_id, roles.items)).map(viewOfRole),
    };
    await refreshWaiting(trx, deps, integration.provider_id);
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

interface Suggested extends Listed {
  suggestions: readonly Suggestion[];
}

/**
 * Writes in the order of the ids, so that two transactions on the same rows take turns. Returns the entries in the provider's order; if an
 * id is listed twice, the last entry counts.
 */
async function storeAll(
  trx: Trx,
  list: MappedList,
  providerId: string,
  items: readonly (Outlet | Role)[],
): Promise<Suggested[]> {
  const { guess } = suggester(await readOptions(trx, list));
  const listed = new Map<string, Outlet | Role>(items.map((item) => [item.id, item]));
  const known = await readListed(trx, list, providerId);
  const unmapped = known.filter(({ target }) => target === null).map(({ id }) => id);
  const stored = new Map<string, Suggested>();
  for (const id of [...new Set([...listed.keys(), ...unmapped])].sort()) {
    const item = listed.get(id);
    if (!item) await deleteListed(trx, list, providerId, id);
    else {
      const address = "address" in item && item.address ? keptName(item.address) : null;
      const wanted = { name: keptName(item.name), address };
      const { certain, suggestions } = guess(wanted);
      const row = await storeListed(trx, list, providerId, { id, ...wanted, target: certain ?? null });
      stored.set(id, { ...row, suggestions });
    }
  }
  return [...listed.keys()].flatMap((id) => stored.get(id) ?? []);
}

/** Entries of a list as they were last read, each with what it may be mapped to. Calls no provider. */
export async function withSuggestions(
  db: Database["kysely"],
  list: MappedList,
  listed: readonly Listed[],
): Promise<Suggested[]> {
  const isOpen = listed.some(({ target }) => target === null);
  const { suggest } = suggester(isOpen ? await readOptions(db, list) : []);
  return listed.map((each) => ({ ...each, suggestions: each.target === null ? suggest(each) : [] }));
}

/** All outlets and roles of an integration as they were last read. Calls no provider. */
export async function readDiscovered(db: Database["kysely"], providerId: string): Promise<Discovery> {
  const read = async (list: MappedList) => withSuggestions(db, list, await readListed(db, list, providerId));
  return { outlets: (await read(OUTLETS)).map(viewOfOutlet), roles: (await read(ROLES)).map(viewOfRole) };
}

/** What is mapped needs no suggestions. */
export function viewOfOutlet({ id, name, address, target, suggestions }: Suggested): DiscoveredOutlet {
  const outlet = { outletId: id, name, address };
  if (target !== null) return { ...outlet, workplaceId: target, suggestions: [] };
  return { ...outlet, suggestions: suggestions.map(({ id, ...rest }) => ({ workplaceId: id, ...rest })) };
}

export function viewOfRole({ id, name, target, suggestions }: Suggested): DiscoveredRole {
  const role = { roleId: id, name };
  if (target !== null) return { ...role, competenceId: target, suggestions: [] };
  return { ...role, suggestions: suggestions.map(({ id, ...rest }) => ({ competenceId: id, ...rest })) };
}
