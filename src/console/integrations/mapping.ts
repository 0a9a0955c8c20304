import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type {
  Competence,
  DiscoveredOutlet,
  DiscoveredRole,
  Mappings,
  Workplace,
} from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { type Page, type PageQuery, type Pages, type ReadPage, usePages } from "../data/pages.ts";
import { concernsMapping } from "./use-integration.ts";

/** An outlet or a role of the provider. */
export interface Mappable {
  /** At the provider. */
  id: string;
  name: string;
  address?: string;
  /** The stored mapping; undefined without one. */
  mappedTo?: string;
  suggestions: { id: string; name: string; score: number }[];
}

/** A workplace or a competence of the platform. */
export interface Target {
  id: string;
  name: string;
  address?: string;
}

/** The unsaved choices: the id on the platform by the id at the provider. */
export type Choices = Readonly<Record<string, string>>;

export interface Draft {
  outlets: Choices;
  roles: Choices;
}

export const NO_CHOICES: Draft = { outlets: {}, roles: {} };

/** The unsaved choices by providerId. They survive a visit to another page. */
const drafts = signal<Readonly<Record<string, Draft>>>({});

export function draftOf(providerId: string): Draft {
  return drafts.value[providerId] ?? NO_CHOICES;
}

export function changeDraft(providerId: string, change: (draft: Draft) => Draft): void {
  drafts.value = { ...drafts.value, [providerId]: change(draftOf(providerId)) };
}

const mappableOutlet = ({ outletId, workplaceId, suggestions, ...rest }: DiscoveredOutlet): Mappable => ({
  id: outletId,
  ...namesOf(rest),
  ...(workplaceId && { mappedTo: workplaceId }),
  suggestions: suggestions.map((each) => ({ ...each, id: each.workplaceId })),
});

const mappableRole = ({ roleId, name, competenceId, suggestions }: DiscoveredRole): Mappable => ({
  id: roleId,
  name,
  ...(competenceId && { mappedTo: competenceId }),
  suggestions: suggestions.map((each) => ({ ...each, id: each.competenceId })),
});

const namesOf = ({ name, address }: { name: string; address: string | null }) => ({
  name,
  ...(address && { address }),
});

export function workplaceTargets(workplaces: readonly Workplace[]): Target[] {
  return workplaces.map(({ workplaceId, ...rest }) => ({ id: workplaceId, ...namesOf(rest) }));
}

export function competenceTargets(competences: readonly Competence[]): Target[] {
  return competences.map(({ competenceId, name }) => ({ id: competenceId, name }));
}

/** A choice that equals the stored mapping is no change. */
export function choose(choices: Choices, { id, mappedTo }: Mappable, target: string): Choices {
  const { [id]: _before, ...others } = choices;
  return target === "" || target === mappedTo ? others : { ...others, [id]: target };
}

/** The number of unsaved choices. */
export function unsaved({ outlets, roles }: Draft): number {
  return Object.keys(outlets).length + Object.keys(roles).length;
}

/** The changed mappings only: another operator may map the rest at the same time. */
export function toMappings({ outlets, roles }: Draft): Mappings {
  return {
    outlets: Object.entries(outlets).map(([outletId, workplaceId]) => ({ outletId, workplaceId })),
    roles: Object.entries(roles).map(([roleId, competenceId]) => ({ roleId, competenceId })),
  };
}

/** The items without a mapping and without a choice. */
export function stillOpen(items: readonly Mappable[], choices: Choices): Mappable[] {
  return items.filter(({ id, mappedTo }) => mappedTo === undefined && choices[id] === undefined);
}

/** The outlets or the roles of an organisation, as far as they are shown. */
export interface MappedList {
  pages: Pages<Mappable>;
  /** A part of the name, or the id. */
  search: string;
  find(search: string): void;
  /** Of what the search finds. */
  readUnmapped: ReadPage<Mappable>;
}

export type MappedLists = Record<keyof Draft, MappedList>;

/** Both lists. An issue leads to its outlet or role: the address names the id that is searched for at first. */
export function useMappedLists(providerId: string): MappedLists {
  return { outlets: useMappedList(providerId, "outlets"), roles: useMappedList(providerId, "roles") };
}

function useMappedList(providerId: string, kind: keyof Draft): MappedList {
  const { query } = useLocation();
  const [search, find] = useState(query[kind] ?? "");
  const read = (state: "unmapped" | undefined) => (page: PageQuery) =>
    READ[kind](providerId, { ...page, ...(search && { search }), ...(state && { state }) });
  const pages = usePages(`${kind} of ${providerId} ${search}`, read(undefined), concernsMapping(providerId));
  return { pages, search, find, readUnmapped: (page) => read("unmapped")({ limit: MOST, ...page }) };
}

/** The most rows of a page that the platform returns. */
const MOST = 200;

interface ListQuery extends PageQuery {
  search?: string;
  state?: "unmapped";
}

const READ: Record<keyof Draft, (providerId: string, query: ListQuery) => Promise<Page<Mappable>>> = {
  outlets: async (providerId, query) => {
    const { items, ...rest } = await ask(api.listOutlets({ params: { path: { providerId }, query } }));
    return { items: items.map(mappableOutlet), ...rest };
  },
  roles: async (providerId, query) => {
    const { items, ...rest } = await ask(api.listRoles({ params: { path: { providerId }, query } }));
    return { items: items.map(mappableRole), ...rest };
  },
};
