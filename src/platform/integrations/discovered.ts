import type { Kysely, Selectable } from "kysely";
import type { DiscoveredOutlet, DiscoveredRole, Discovery } from "../../../generated/operations/types.ts";
import type { Schema } from "../db/schema.ts";
import { type Option, type Suggestion, suggest } from "./suggest.ts";

type Db = Kysely<Schema>;

/** The outlets and roles of an integration as they were last read, and what they are mapped to or may be. Calls nobody. */
export async function readDiscovered(db: Db, providerId: string): Promise<Discovery> {
  const [outlets, roles] = [await outletsOf(db, providerId), await rolesOf(db, providerId)];
  const [workplaces, competences] = [await workplaceOptions(db), await competenceOptions(db)];
  return {
    outlets: outlets.map((row) => viewOfOutlet(row, suggest(row, workplaces))),
    roles: roles.map((row) => viewOfRole(row, suggest(row, competences))),
  };
}

const outletsOf = (db: Db, providerId: string) =>
  db
    .selectFrom("outlets")
    .selectAll()
    .where("provider_id", "=", providerId)
    .orderBy("name")
    .orderBy("outlet_id")
    .execute();

const rolesOf = (db: Db, providerId: string) =>
  db
    .selectFrom("roles")
    .selectAll()
    .where("provider_id", "=", providerId)
    .orderBy("name")
    .orderBy("role_id")
    .execute();

/** What an outlet may be. */
export async function workplaceOptions(db: Db): Promise<Option[]> {
  const rows = await db.selectFrom("workplaces").selectAll().orderBy("workplace_id").execute();
  return rows.map(({ workplace_id, name, address }) => ({ id: workplace_id, name, address }));
}

/** What a role may be. */
export async function competenceOptions(db: Db): Promise<Option[]> {
  const rows = await db.selectFrom("competences").selectAll().orderBy("competence_id").execute();
  return rows.map(({ competence_id, name }) => ({ id: competence_id, name }));
}

/** What is mapped needs no suggestions. */
export function viewOfOutlet(
  { outlet_id, name, address, workplace_id }: Selectable<Schema["outlets"]>,
  suggestions: readonly Suggestion[],
): DiscoveredOutlet {
  const outlet = { outletId: outlet_id, name, address };
  if (workplace_id !== null) return { ...outlet, workplaceId: workplace_id, suggestions: [] };
  return { ...outlet, suggestions: suggestions.map(({ id, ...rest }) => ({ workplaceId: id, ...rest })) };
}

export function viewOfRole(
  { role_id, name, competence_id }: Selectable<Schema["roles"]>,
  suggestions: readonly Suggestion[],
): DiscoveredRole {
  const role = { roleId: role_id, name };
  if (competence_id !== null) return { ...role, competenceId: competence_id, suggestions: [] };
  return { ...role, suggestions: suggestions.map(({ id, ...rest }) => ({ competenceId: id, ...rest })) };
}
