import type { Discovery } from "../../../generated/operations/types.ts";
import type { Outlet, Role } from "../../../generated/provider/types.ts";
import type { Failure } from "../../clients/provider/answer.ts";
import { problem } from "../../contract/problem.ts";
import { isStorable, keptName } from "../../contract/storable-text.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { competenceOptions, viewOfOutlet, viewOfRole, workplaceOptions } from "./discovered.ts";
import { refreshWaiting } from "./mappings.ts";
import { askPatiently } from "./patience.ts";
import { guess } from "./suggest.ts";
import { forgetOutlet, forgetRole, unmappedOutlets, unmappedRoles } from "./unlisted.ts";

/**
 * Reads the provider's outlets and roles, maps those that certainly are a workplace or a competence, and suggests the rest.
 * @throws ProblemError provider_unavailable (502), provider_refused.
 */
export async function discover(deps: Deps, integration: Integration): Promise<Discovery> {
  const client = deps.clientFor(integration);
  const call = { traceId: deps.newTraceId() };
  const waiting = { waitsMs: deps.timing.onboardingRetriesMs };
  const [outlets, roles] = await Promise.all([
    askPatiently(() => client.listOutlets(call), waiting),
    askPatiently(() => client.listRoles(call), waiting),
  ]);
  if (outlets.kind !== "list") throw asProblem(outlets, "outlets");
  if (roles.kind !== "list") throw asProblem(roles, "roles");
  if (![...outlets.items, ...roles.items].every(isUsable)) {
    throw problem("provider_unavailable", {
      detail: "The provider names an outlet or role in text that cannot be stored.",
    });
  }
  return transact(deps, async (trx) => {
    const discovery = {
      outlets: await noteOutlets(trx, integration.provider_id, outlets.items),
      roles: await noteRoles(trx, integration.provider_id, roles.items),
    };
    await refreshWaiting(trx, deps, integration.provider_id);
    return discovery;
  });
}

/** Of a name what is too long is cut off, and what is no character is replaced. */
function isUsable(item: Outlet | Role): boolean {
  const texts = [item.name, "address" in item ? item.address : null];
  return isStorable(item.id) && texts.every((text) => !text?.includes("\0"));
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

/**
 * Two who write the same rows take turns when both go through them in the order of the ids. Answers in the provider's order what was
 * noted of each item; of an id that is listed twice the last is meant.
 */
async function noteInOrder<Item extends { id: string }, Noted>(
  items: readonly Item[],
  unmapped: readonly string[],
  { note, forget }: { note: (item: Item) => Promise<Noted>; forget: (id: string) => Promise<void> },
): Promise<Noted[]> {
  const listed = new Map(items.map((item) => [item.id, item]));
  const noted = new Map<string, Noted>();
  for (const id of [...new Set([...listed.keys(), ...unmapped])].sort()) {
    const item = listed.get(id);
    if (item) noted.set(id, await note(item));
    else await forget(id);
  }
  return [...listed.keys()].flatMap((id) => noted.get(id) ?? []);
}

async function noteOutlets(
  trx: Trx,
  provider_id: string,
  items: readonly Outlet[],
): Promise<Discovery["outlets"]> {
  const options = await workplaceOptions(trx);
  const note = async ({ id, ...rest }: Outlet) => {
    const [name, address] = [keptName(rest.name), rest.address ? keptName(rest.address) : null];
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
    return viewOfOutlet(row, suggestions);
  };
  const forget = (id: string) => forgetOutlet(trx, provider_id, id);
  return noteInOrder(items, await unmappedOutlets(trx, provider_id), { note, forget });
}

async function noteRoles(trx: Trx, provider_id: string, items: readonly Role[]): Promise<Discovery["roles"]> {
  const options = await competenceOptions(trx);
  const note = async ({ id, ...rest }: Role) => {
    const name = keptName(rest.name);
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
    return viewOfRole(row, suggestions);
  };
  const forget = (id: string) => forgetRole(trx, provider_id, id);
  return noteInOrder(items, await unmappedRoles(trx, provider_id), { note, forget });
}
