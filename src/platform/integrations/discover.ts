import type { Discovery } from "../../../generated/operations/types.ts";
import type { Outlet, Role } from "../../../generated/provider/types.ts";
import type { Failure } from "../../clients/provider/answer.ts";
import { problem } from "../../contract/problem.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";
import { competenceOptions, viewOfOutlet, viewOfRole, workplaceOptions } from "./discovered.ts";
import { refreshWaiting } from "./mappings.ts";
import { guess } from "./suggest.ts";

/**
 * Reads the provider's outlets and roles, maps those that certainly are a workplace or a competence, and suggests the rest.
 * @throws ProblemError provider_unavailable (502), provider_refused.
 */
export async function discover(deps: Deps, integration: Integration): Promise<Discovery> {
  const client = deps.clientFor(integration);
  const call = { traceId: deps.newTraceId() };
  const [outlets, roles] = await Promise.all([client.listOutlets(call), client.listRoles(call)]);
  if (outlets.kind !== "list") throw asProblem(outlets, "outlets");
  if (roles.kind !== "list") throw asProblem(roles, "roles");
  if (![...outlets.items, ...roles.items].every(isStorable)) {
    throw problem("provider_unavailable", {
      detail: "The provider names an outlet or role in text with U+0000.",
    });
  }
  return deps.database.kysely.transaction().execute(async (trx) => {
    const discovery = {
      outlets: await noteOutlets(trx, integration.provider_id, outlets.items),
      roles: await noteRoles(trx, integration.provider_id, roles.items),
    };
    await refreshWaiting(trx, deps, integration.provider_id);
    return discovery;
  });
}

/** PostgreSQL's text cannot hold U+0000. */
function isStorable(item: Outlet | Role): boolean {
  return [item.id, item.name, "address" in item ? item.address : null].every((text) => !text?.includes("\0"));
}

function asProblem(failure: Failure, what: string) {
  if (failure.kind === "unavailable") {
    return problem("provider_unavailable", {
      detail: `The provider's ${what} could not be read: ${failure.reason}.`,
    });
  }
  const detail = `The provider refused to list its ${what}: status ${failure.status}. Check the token, the providerId and the base URL.`;
  return problem("provider_unavailable", { detail });
}

async function noteOutlets(
  trx: Trx,
  provider_id: string,
  items: readonly Outlet[],
): Promise<Discovery["outlets"]> {
  const options = await workplaceOptions(trx);
  const noted: Discovery["outlets"] = [];
  for (const { id, name, address = null } of items) {
    const { certain, suggestions } = guess({ name, address }, options);
    const row = await trx
      .insertInto("outlets")
      .values({ provider_id, outlet_id: id, name, address, workplace_id: certain ?? null })
      .onConflict((conflict) =>
        conflict.columns(["provider_id", "outlet_id"]).doUpdateSet(({ fn, ref, val }) => ({
          name,
          address,
          workplace_id: fn.coalesce(ref("outlets.workplace_id"), val(certain ?? null)),
        })),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    noted.push(viewOfOutlet(row, suggestions));
  }
  return noted;
}

async function noteRoles(trx: Trx, provider_id: string, items: readonly Role[]): Promise<Discovery["roles"]> {
  const options = await competenceOptions(trx);
  const noted: Discovery["roles"] = [];
  for (const { id, name } of items) {
    const { certain, suggestions } = guess({ name }, options);
    const row = await trx
      .insertInto("roles")
      .values({ provider_id, role_id: id, name, competence_id: certain ?? null })
      .onConflict((conflict) =>
        conflict.columns(["provider_id", "role_id"]).doUpdateSet(({ fn, ref, val }) => ({
          name,
          competence_id: fn.coalesce(ref("roles.competence_id"), val(certain ?? null)),
        })),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    noted.push(viewOfRole(row, suggestions));
  }
  return noted;
}
