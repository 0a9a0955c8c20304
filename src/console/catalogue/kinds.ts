import type { Competence, Workplace } from "../../../generated/operations/types.ts";
import { addressWith } from "../components/filters.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import type { Page, PageQuery } from "../data/pages.ts";
import type { may } from "../session/me.ts";

/** A workplace or a competence. */
export interface Entry {
  id: string;
  name: string;
  address: string | null;
  /** The outlets or roles that are mapped to it: the first of `mappedCount`. */
  mapped: { providerId: string; id: string; name: string }[];
  mappedCount: number;
}

/** The values of the form. */
export interface EntryInput {
  name: string;
  address: string | null;
}

interface ListQuery extends PageQuery {
  search?: string;
}

/** The two lists of the platform that outlets and roles are mapped to. */
export interface Kind {
  path: string;
  title: string;
  /** One of them: `workplace`. */
  one: string;
  hasAddress: boolean;
  /** The provider's objects that are mapped to it: `Outlets`. */
  mapped: string;
  operations: Record<"add" | "change", Parameters<typeof may>[0]>;
  list(query: ListQuery): Promise<Page<Entry>>;
  add(input: EntryInput): Promise<unknown>;
  change(id: string, input: EntryInput): Promise<unknown>;
  /** The address of the people who have it. */
  people?(id: string): string;
}

export const WORKPLACES: Kind = {
  path: "/console/workplaces",
  title: "Workplaces",
  one: "workplace",
  hasAddress: true,
  mapped: "Outlets",
  operations: { add: "createWorkplace", change: "changeWorkplace" },
  list: async (query) => {
    const { items, ...rest } = await ask(api.listWorkplaces({ params: { query } }));
    return { items: items.map(entryOfWorkplace), ...rest };
  },
  add: ({ name, address }) => ask(api.createWorkplace({ body: { name, ...(address && { address }) } })),
  change: (workplaceId, body) => ask(api.changeWorkplace({ params: { path: { workplaceId } }, body })),
};

export const COMPETENCES: Kind = {
  path: "/console/competences",
  title: "Competences",
  one: "competence",
  hasAddress: false,
  mapped: "Roles",
  operations: { add: "createCompetence", change: "changeCompetence" },
  list: async (query) => {
    const { items, ...rest } = await ask(api.listCompetences({ params: { query } }));
    return { items: items.map(entryOfCompetence), ...rest };
  },
  add: ({ name }) => ask(api.createCompetence({ body: { name } })),
  change: (competenceId, { name }) =>
    ask(api.changeCompetence({ params: { path: { competenceId } }, body: { name } })),
  people: (competenceId) => addressWith("/console/people", { competenceId }),
};

function entryOfWorkplace({ workplaceId, name, address, outletCount, outlets }: Workplace): Entry {
  const mapped = outlets.map(({ outletId, ...rest }) => ({ ...rest, id: outletId }));
  return { id: workplaceId, name, address, mapped, mappedCount: outletCount };
}

function entryOfCompetence({ competenceId, name, roleCount, roles }: Competence): Entry {
  const mapped = roles.map(({ roleId, ...rest }) => ({ ...rest, id: roleId }));
  return { id: competenceId, name, address: null, mapped, mappedCount: roleCount };
}
